import {
  accountsToRead,
  type BlockhashLifetime,
  type BuiltTransfer,
  buildTransaction,
  type DecidedTransfer,
  decideTransfer,
  type Finding,
  type Lifetime,
  type RecentBlockhash,
  summarizeTransaction,
  systemProgram,
  type TokenMetadata,
  type TransferFacts,
  type TransferPlan,
  type TransferRequest,
  thawsOf,
} from 'splwright-core';
import type { ChainReader, Deadline, FreshBlockhash } from '../chain/chain-reader.ts';
import type { Draft } from '../sponsor/sponsor-rules.ts';
import { decideFromChain, type FactsFromChain, MintHints } from './decide-from-chain.ts';
import { lifetimeToken } from './transaction-replies.ts';
import { type Findings, findOtherTokens, SimulationFailed, TransferRefused } from './transfer-refused.ts';

/** Observes what is built. */
export interface BuildObserver {
  /** A transaction was built with a blockhash that was asked for at this moment of `performance.now`; absent with a nonce. */
  built(blockhashAskedAt: number | undefined): void;
}

/** The settings of a builder, and its observer. */
export interface TransferBuilderOptions {
  /** The highest priority fee of one transaction. */
  maxPriorityFeeLamports: bigint;
  observer?: BuildObserver | undefined;
  /** Hints shared with other builders; absent: the builder has its own. */
  hints?: MintHints;
}

/** A transfer that was built, and what its mint calls the token. */
export interface NamedTransfer extends BuiltTransfer {
  token: TokenMetadata;
}

/** Asks the sponsor what it wants for some transactions, in base units of the fee's token, each. */
export type AskSponsorFees = (drafts: readonly Draft[]) => Promise<readonly bigint[]>;

/** Returns the transaction of a plan, to ask a sponsor about. */
export function draftOf({ plan, mint, tokenAccountRent }: Omit<Draft, 'bytes'>, lifetime: Lifetime): Draft {
  return { plan, mint, tokenAccountRent, bytes: buildTransaction(plan, lifetimeToken(lifetime)) };
}

/** Returns a request whose transactions pay the sponsor these fees. */
export function withFees<Request extends Pick<TransferRequest, 'sponsorFee'>>(
  request: Request,
  amounts: readonly bigint[],
): Request {
  return { ...request, sponsorFee: request.sponsorFee && { ...request.sponsorFee, amounts } };
}

// The node replaces the blockhash of what it simulates: 32 bytes of any kind do.
const anyBlockhash = systemProgram;

/** Builds transfers from fresh facts: one round trip for all accounts, with the blockhash read in parallel. */
export class TransferBuilder {
  readonly #reader: ChainReader;
  readonly #options: TransferBuilderOptions;
  readonly #hints: MintHints;

  constructor(reader: ChainReader, options: TransferBuilderOptions) {
    this.#reader = reader;
    this.#options = options;
    this.#hints = options.hints ?? new MintHints();
  }

  /**
   * Builds the transaction of a request, and simulates it when that is asked for, or when it thaws: whether an issuer lets a
   * recipient in, nothing else shows. Without checks that is left to time, as a frozen token account is.
   *
   * `askFees` is asked for the sponsor's fee of what would be built, and the same facts are decided again with that.
   *
   * Throws `TransferRefused` with every reason why it would not land, or an `AppError`: the upstream's fault when the chain
   * cannot be read, or the simulation that failed.
   */
  async build(
    request: TransferRequest,
    deadline: Deadline,
    simulates = false,
    askFees?: AskSponsorFees,
  ): Promise<NamedTransfer> {
    if (request.nonceAccount === undefined) this.#prepareBlockhash(deadline);
    const asked = this.#askedLifetime(request, deadline);
    const facts = this.#noFacts();
    let decided = await this.#decide(request, facts, deadline, asked);
    if (askFees) {
      const lifetime = await this.#chooseLifetime(decided.plan, deadline, asked);
      const fees = await askFees([draftOf(decided, lifetime)]);
      decided = await this.#decide(withFees(request, fees), facts, deadline, asked);
    }
    const { plan } = decided;
    const isDoubtful = request.checks === 'full' && !plan.isFromVault && thawsOf(plan).length > 0;
    const unitsConsumed = simulates || isDoubtful ? await this.#simulate(plan, deadline) : undefined;
    const lifetime = await this.#chooseLifetime(plan, deadline, asked);
    const { bytes } = draftOf(decided, lifetime);
    this.#options.observer?.built('askedAt' in lifetime ? lifetime.askedAt : undefined);
    const token = this.#hints.nameOf(request.mint, facts.read);
    return { ...decided, bytes, lifetime, unitsConsumed, token };
  }

  // Asked for in parallel to the accounts, as the blockhash is.
  #askedLifetime({ recentBlockhash }: TransferRequest, deadline: Deadline): Promise<AskedLifetime> | undefined {
    if (recentBlockhash === undefined) return undefined;
    const asked = readAskedLifetime(this.#reader, recentBlockhash, deadline);
    asked.catch(() => undefined);
    return asked;
  }

  // The newest one available now, not the one at the time of the request, unless the request names one.
  async #chooseLifetime(
    { nonce }: TransferPlan,
    deadline: Deadline,
    asked: Promise<AskedLifetime> | undefined,
  ): Promise<Lifetime | FreshBlockhash> {
    if (nonce) return nonce;
    const answer = await asked;
    if (answer === undefined) return this.#reader.readBlockhash(deadline);
    if ('finding' in answer) throw new TransferRefused([answer.finding]);
    return answer.lifetime;
  }

  // Starts a read of the blockhash in parallel to the accounts. Its failure is reported only if the blockhash is used.
  #prepareBlockhash(deadline: Deadline): void {
    const blockhash = this.#reader.readBlockhash(deadline);
    if (blockhash instanceof Promise) blockhash.catch(() => undefined);
  }

  // Runs before the blockhash is chosen, which would grow old meanwhile: the node replaces the blockhash of what it simulates.
  async #simulate(plan: TransferPlan, deadline: Deadline): Promise<number> {
    const bytes = buildTransaction(plan, plan.nonce?.nonce ?? anyBlockhash);
    const simulation = await this.#reader.simulate(bytes, deadline);
    if (simulation.error !== null) {
      throw new SimulationFailed({ ...simulation, instructions: summarizeTransaction(bytes).instructions });
    }
    return simulation.unitsConsumed;
  }

  #noFacts(): TransferFacts & FactsFromChain {
    return { read: new Map(), recentPrices: undefined, maxPriorityFee: this.#options.maxPriorityFeeLamports };
  }

  #decide(
    request: TransferRequest,
    facts: TransferFacts & FactsFromChain,
    deadline: Deadline,
    asked: Promise<AskedLifetime> | undefined,
  ): Promise<DecidedTransfer> {
    const { mint } = request;
    const firstAddresses =
      facts.read.size > 0 ? [] : [...accountsToRead(request, this.#hints.of(mint)), ...this.#hints.nameAddresses(mint)];
    const decide = () => {
      const decision = decideTransfer(request, facts);
      if ('findings' in decision) {
        this.#hints.learn(mint, facts.read.get(mint));
        return this.#refuse(decision.findings, deadline, asked);
      }
      if ('plan' in decision) this.#hints.remember(mint, decision.mint);
      return decision;
    };
    return decideFromChain(this.#reader, deadline, { mint, facts, firstAddresses, decide });
  }

  async #refuse(findings: Findings, deadline: Deadline, asked: Promise<AskedLifetime> | undefined): Promise<never> {
    const [known, answer] = await Promise.all([findOtherTokens(findings, this.#reader, deadline), asked]);
    throw new TransferRefused(answer && 'finding' in answer ? [...known, answer.finding] : known);
  }
}

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150n;

/** The lifetime that a request asks for, or why no transaction can live by it. */
export type AskedLifetime = { lifetime: BlockhashLifetime } | { finding: Finding };

/**
 * Asks the upstream whether transactions with the blockhash of a request are accepted now.
 *
 * The last valid block height is the caller's where it can be right, otherwise the highest possible one: until then the transaction
 * is never called expired. Throws an `AppError` when the chain cannot be read.
 */
export async function readAskedLifetime(
  reader: Pick<ChainReader, 'isBlockhashValid' | 'readBlockhash'>,
  { blockhash, lastValidBlockHeight }: RecentBlockhash,
  deadline: Deadline,
): Promise<AskedLifetime> {
  const [newest, { slot, isValid }] = await Promise.all([
    reader.readBlockhash(deadline),
    reader.isBlockhashValid(blockhash, deadline),
  ]);
  const refuse = (fault: Extract<Finding, { code: 'blockhash_not_valid' }>['context']['fault']): AskedLifetime => {
    const field = fault.kind === 'not_valid' ? 'recentBlockhash' : 'lastValidBlockHeight';
    return { finding: { code: 'blockhash_not_valid', field, context: { blockhash, fault } } };
  };
  if (!isValid) return refuse({ kind: 'not_valid' });
  // One that is valid is as old as the newest block at least, and no slot since the newest known blockhash has more than one block.
  const min = newest.lastValidBlockHeight - blockhashLifetimeBlocks;
  const max = newest.lastValidBlockHeight + (slot > newest.slot ? slot - newest.slot : 0n);
  if (lastValidBlockHeight === undefined) return { lifetime: { blockhash, lastValidBlockHeight: max } };
  if (lastValidBlockHeight >= min && lastValidBlockHeight <= max)
    return { lifetime: { blockhash, lastValidBlockHeight } };
  return refuse({ kind: 'impossible_height', lastValidBlockHeight, min, max });
}
