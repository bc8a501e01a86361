import type { ChainReader } from '../chain/chain-reader.ts';
import type { Account } from '../core/account.ts';
import type { Address } from '../core/address.ts';
import { buildTransaction } from '../core/build-transaction.ts';
import { decideTransfer } from '../core/decide-transfer.ts';
import { clockSysvar, rentSysvar } from '../core/sysvars.ts';
import { decodeMint } from '../core/token-state.ts';
import {
  accountsToRead,
  deriveTokenAccounts,
  type MintHint,
  type TokenAccountPair,
} from '../core/transfer-accounts.ts';
import type { BlockhashLifetime, TransferPlan, TransferRequest } from '../core/transfer-plan.ts';
import { AppError, type Finding } from '../errors.ts';

/** An unsigned transaction, what went into it, and how long it lives. */
export interface BuiltTransfer extends BlockhashLifetime {
  bytes: Uint8Array;
  plan: TransferPlan;
}

// Enough for every token that a payment service handles; the oldest goes first.
const rememberedMints = 10_000;

// The first reads everything; a mint whose transfer hook is not known yet needs a second, and a hook that finds one account
// through the data of another needs one more for each step.
const maximumRounds = 4;

// In bytes: what a healthy node has without exception, so that anything less is the node's fault.
const sysvarLengths = [
  [rentSysvar, 17],
  [clockSysvar, 40],
] as const;

/** Builds transfers from fresh facts: one round trip for all accounts, with the blockhash read beside it. */
export class TransferBuilder {
  readonly #reader: ChainReader;
  /** The token program and hook of mints seen before: only the accounts that they need are read. */
  readonly #hints = new Map<Address, MintHint>();

  constructor(reader: ChainReader) {
    this.#reader = reader;
  }

  /**
   * Builds the transaction of a request.
   *
   * Throws an `AppError` with every reason why it would not land, or the upstream's fault when the chain cannot be read.
   */
  async build(request: TransferRequest, signal: AbortSignal): Promise<BuiltTransfer> {
    const pendingBlockhash = this.#reader.readBlockhash(signal);
    // Awaited only after the decision, and not at all after a refusal: its failure must not go unhandled meanwhile.
    pendingBlockhash.catch(() => undefined);

    const plan = await this.#decide(request, signal);
    let blockhash = await pendingBlockhash;
    if (!this.#reader.isFresh(blockhash)) blockhash = await this.#reader.readBlockhash(signal);
    const bytes = buildTransaction(plan, blockhash.blockhash);
    return { bytes, plan, blockhash: blockhash.blockhash, lastValidBlockHeight: blockhash.lastValidBlockHeight };
  }

  async #decide(request: TransferRequest, signal: AbortSignal): Promise<TransferPlan> {
    const tokenAccountsUnder = rememberPairs(request);
    const read = new Map<Address, Account | null>();
    let needs: readonly Address[] = accountsToRead(request, this.#hints.get(request.mint), tokenAccountsUnder);
    for (let round = 1; round <= maximumRounds; round++) {
      await this.#readInto(read, needs, signal);
      const decision = decideTransfer(request, read, tokenAccountsUnder);
      if ('plan' in decision) return decision.plan;
      if ('findings' in decision) throw refusal(decision.findings);
      needs = decision.needs;
    }
    const detail = `The mint ${request.mint} calls a program on each transfer that needs too many accounts found through one another.`;
    throw refusal([{ code: 'transfer_hook_unresolvable', pointer: '/token_mint_address', detail }]);
  }

  async #readInto(
    read: Map<Address, Account | null>,
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<void> {
    const { accounts } = await this.#reader.readAccounts(addresses, signal);
    for (const [index, address] of addresses.entries()) read.set(address, accounts[index] ?? null);
    for (const [sysvar, length] of sysvarLengths) {
      const isCut = addresses.includes(sysvar) && (read.get(sysvar)?.data.length ?? 0) < length;
      if (isCut) throw new AppError('upstream_error', `The Solana node does not have the sysvar ${sysvar}.`);
    }
    const [first] = addresses;
    const mintAccount = first && read.get(first);
    const mint = mintAccount && decodeMint(mintAccount);
    if (mint) this.#remember(first, mint);
  }

  #remember(address: Address, { tokenProgram, transferHookProgram }: MintHint): void {
    const oldest = this.#hints.keys().next();
    const isNew = !this.#hints.has(address);
    if (isNew && this.#hints.size >= rememberedMints && !oldest.done) this.#hints.delete(oldest.value);
    this.#hints.set(address, { tokenProgram, transferHookProgram });
  }
}

// Deriving is the dearest step of a build: each pair is derived once a request.
function rememberPairs(request: TransferRequest): (tokenProgram: Address) => TokenAccountPair {
  const pairs = new Map<Address, TokenAccountPair>();
  return (tokenProgram) => {
    const pair = pairs.get(tokenProgram) ?? deriveTokenAccounts(request, tokenProgram);
    pairs.set(tokenProgram, pair);
    return pair;
  };
}

function refusal(findings: readonly [Finding, ...Finding[]]): AppError {
  const [first, ...others] = findings;
  const more = others.length > 0 ? ` (and ${others.length} more, in errors)` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings });
}
