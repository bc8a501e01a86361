import { LRUCache } from 'lru-cache';
import {
  type Account,
  type Address,
  decodeMint,
  type MintHint,
  metaplexMetadataAddress,
  readTokenMetadata,
  sol,
  sysvarLengths,
  type TokenMetadata,
} from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { AppError } from '../problems.ts';
import { TransferRefused } from './transfer-refused.ts';

/** The accounts or prices that a decision still needs. */
export type ChainQuestion = { needs: readonly Address[] } | { needsPricesFor: readonly Address[] };

/** The facts read so far; more are added until a decision is possible. */
export interface FactsFromChain {
  read: Map<Address, Account | null>;
  recentPrices: readonly bigint[] | undefined;
}

type WhenAllowed = (read: () => Promise<void>) => Promise<void>;

/** A decision that may need facts more than once. */
export interface ChainDecision<Answer extends object> {
  /** The mint whose transfer hook is to be resolved: looked at when that failed. */
  mint: Address;
  facts: FactsFromChain;
  /** Read before the first decision, sysvars included. */
  firstAddresses: readonly Address[];
  /** Decides from `facts`, or says what is missing. */
  decide: () => Answer | ChainQuestion | Promise<Answer | ChainQuestion>;
  /** Called for each call of a read that takes several; runs it when its turn comes. Absent: all calls run at once. */
  whenAllowed?: WhenAllowed;
}

// The first read is for everything; a mint whose transfer hook is not known yet needs a second, as do recent prices, and a hook
// that finds one account through the data of another needs one more for each step.
const maxRounds = 5;

// The most accounts that a node returns in one call.
const maxAccountsPerRead = 100;

/**
 * Reads facts and decides, again and again until the decision needs no more of them.
 *
 * Throws an `AppError` when the chain cannot be read, and `TransferRefused` when a transfer hook needs too many steps.
 */
export async function decideFromChain<Answer extends object>(
  reader: Pick<ChainReader, 'readAccounts' | 'readRecentPrices'>,
  deadline: Deadline,
  question: ChainDecision<Answer>,
): Promise<Answer> {
  const { facts, firstAddresses, decide, whenAllowed = atOnce } = question;
  if (firstAddresses.length > 0) await readInto(facts.read, firstAddresses, reader, deadline, whenAllowed);
  assertSysvarsAreWhole(facts.read);
  for (let round = 1; round <= maxRounds; round++) {
    const decision = await decide();
    if (!isQuestion(decision)) return decision;
    if ('needs' in decision) await readInto(facts.read, decision.needs, reader, deadline, whenAllowed);
    else facts.recentPrices = await reader.readRecentPrices(decision.needsPricesFor, deadline);
  }
  const context = { mint: question.mint, fault: { kind: 'too_many_steps' } } as const;
  throw new TransferRefused([{ code: 'transfer_hook_unresolvable', field: 'mint', context }]);
}

function isQuestion(decision: object): decision is ChainQuestion {
  return 'needs' in decision || 'needsPricesFor' in decision;
}

const atOnce: WhenAllowed = (read) => read();

// Fast path: nearly every read is one call.
function readInto(
  read: Map<Address, Account | null>,
  addresses: readonly Address[],
  reader: Pick<ChainReader, 'readAccounts'>,
  deadline: Deadline,
  whenAllowed: WhenAllowed,
): Promise<void> {
  if (addresses.length > maxAccountsPerRead) return readInParts(read, addresses, reader, deadline, whenAllowed);
  return reader.readAccounts(addresses, deadline).then(({ accounts }) => {
    let index = 0;
    for (const address of addresses) read.set(address, accounts[index++] ?? null);
  });
}

// In as few calls as possible.
async function readInParts(
  read: Map<Address, Account | null>,
  addresses: readonly Address[],
  reader: Pick<ChainReader, 'readAccounts'>,
  deadline: Deadline,
  whenAllowed: WhenAllowed,
): Promise<void> {
  const parts: (readonly Address[])[] = [];
  for (let start = 0; start < addresses.length; start += maxAccountsPerRead) {
    parts.push(addresses.slice(start, start + maxAccountsPerRead));
  }
  await Promise.all(parts.map((part) => whenAllowed(() => readInto(read, part, reader, deadline, whenAllowed))));
}

/** Throws an `upstream_error` when a sysvar that was read is missing or too short. */
function assertSysvarsAreWhole(read: ReadonlyMap<Address, Account | null>): void {
  for (const [sysvar, length] of sysvarLengths) {
    if ((read.get(sysvar)?.data.length ?? 0) >= length) continue;
    throw new AppError('upstream_error', `The Solana node does not have the sysvar ${sysvar}.`);
  }
}

// Enough for every token that a payment service handles; the oldest is dropped first.
const maxRememberedMints = 10_000;

// An issuer may rename a token; the name is only shown.
const nameLifeMs = 600_000;

const solName: TokenMetadata = { name: 'SOL', symbol: 'SOL' };

/** The token program and transfer hook of mints seen before, so that the first read asks only for accounts that they need. */
export class MintHints {
  readonly #hints = new LRUCache<Address, MintHint>({ max: maxRememberedMints });
  readonly #names = new LRUCache<Address, TokenMetadata>({ max: maxRememberedMints, ttl: nameLifeMs });

  /** Returns what is known of a mint; `undefined` if it was never seen. */
  of(mint: Address): MintHint | undefined {
    return this.#hints.peek(mint);
  }

  /** Remembers the mint in an account, if the account is a mint. */
  learn(address: Address, account: Account | null | undefined): void {
    const mint = account && decodeMint(account);
    if (mint) this.remember(address, mint);
  }

  /** Remembers a mint. */
  remember(address: Address, { tokenProgram, transferHookProgram }: MintHint): void {
    const known = this.#hints.peek(address);
    if (known?.tokenProgram === tokenProgram && known.transferHookProgram === transferHookProgram) return;
    this.#hints.set(address, { tokenProgram, transferHookProgram });
  }

  /** Returns the account that has to be read to know what a mint calls its token; none once that is known. */
  nameAddresses(mint: Address): readonly Address[] {
    return mint === sol || this.#names.has(mint) ? [] : [metaplexMetadataAddress(mint)];
  }

  /** Returns what a mint calls its token, as it was read now or in the last ten minutes. */
  nameOf(mint: Address, read: ReadonlyMap<Address, Account | null>): TokenMetadata {
    if (mint === sol) return solName;
    const known = this.#names.get(mint);
    if (known) return known;
    const name = readTokenMetadata(mint, read) ?? { name: undefined, symbol: undefined };
    if (read.has(metaplexMetadataAddress(mint))) this.#names.set(mint, name);
    return name;
  }
}
