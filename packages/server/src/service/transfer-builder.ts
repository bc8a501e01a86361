import type { Account, Address, BuiltTransfer, TransferPlan, TransferRequest } from 'splwright-core';
import {
  accountsToRead,
  buildTransaction,
  type DecidedTransfer,
  decideTransfer,
  deriveTokenAccounts,
  summarizeTransaction,
  systemProgram,
  type TransferFacts,
  type TransferTokenAccounts,
} from 'splwright-core';
import type { ChainReader, Deadline, Simulation } from '../chain/chain-reader.ts';
import { AppError } from '../errors.ts';
import { explainSimulationError } from '../wire/words/explain-simulation-error.ts';
import { assertSysvarsAreWhole } from './assert-sysvars.ts';
import { MintHints } from './mint-hints.ts';
import { TransferRefused } from './transfer-refused.ts';

/** Observes what is built. */
export interface BuildObserver {
  /** A transaction was built with a blockhash that was asked for at this moment of `performance.now`; absent with a nonce. */
  built(blockhashAskedAt: number | undefined): void;
}

/** The settings of a builder, and its observer. */
export interface TransferBuilderOptions {
  /** How much the priority fee of one transaction may cost. */
  maxPriorityFeeLamports: bigint;
  observer?: BuildObserver | undefined;
  /** What is known of mints; shared with other builders where it is given. */
  hints?: MintHints;
}

// How often a decision is tried. The first read is for everything; a mint whose transfer hook is not known yet needs a second,
// as do recent prices, and a hook that finds one account through the data of another needs one more for each step.
const maxRounds = 5;

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
   * Builds the transaction of a request, and simulates it when that is asked for.
   *
   * Throws `TransferRefused` with every reason why it would not land, or an `AppError`: the upstream's fault when the chain
   * cannot be read, or the simulation that failed.
   */
  async build(request: TransferRequest, deadline: Deadline, simulates = false): Promise<BuiltTransfer> {
    if (request.nonceAccount === undefined) this.#prepareBlockhash(deadline);
    const decided = await this.#decide(request, deadline);
    const { plan } = decided;
    const unitsConsumed = simulates ? await this.#simulate(plan, deadline) : undefined;
    // The newest one available now, not the one at the time of the request.
    const blockhash = plan.nonce ?? this.#reader.readBlockhash(deadline);
    const lifetime = blockhash instanceof Promise ? await blockhash : blockhash;
    const bytes = buildTransaction(plan, 'nonce' in lifetime ? lifetime.nonce : lifetime.blockhash);
    this.#options.observer?.built('nonce' in lifetime ? undefined : lifetime.askedAt);
    return { ...decided, bytes, lifetime, unitsConsumed };
  }

  // Requests it, when necessary, in parallel to the accounts. A failure is reported only if the blockhash is needed in the end.
  #prepareBlockhash(deadline: Deadline): void {
    const blockhash = this.#reader.readBlockhash(deadline);
    if (blockhash instanceof Promise) blockhash.catch(() => undefined);
  }

  // Before the blockhash is chosen, which would only grow old meanwhile: the node puts in one of its own.
  async #simulate(plan: TransferPlan, deadline: Deadline): Promise<number> {
    const bytes = buildTransaction(plan, plan.nonce?.nonce ?? anyBlockhash);
    const simulation = await this.#reader.simulate(bytes, deadline);
    if (simulation.error !== null) throw simulationFailure(bytes, simulation);
    return simulation.unitsConsumed;
  }

  async #decide(request: TransferRequest, deadline: Deadline): Promise<DecidedTransfer> {
    const read = new Map<Address, Account | null>();
    const facts: TransferFacts = {
      read,
      tokenAccountsUnder: rememberPairs(request),
      recentPrices: undefined,
      maxPriorityFee: this.#options.maxPriorityFeeLamports,
    };
    const hint = this.#hints.of(request.mint);
    await this.#readInto(read, accountsToRead(request, hint, facts.tokenAccountsUnder), deadline);
    assertSysvarsAreWhole(read);
    for (let round = 1; round <= maxRounds; round++) {
      const decision = decideTransfer(request, facts);
      if ('plan' in decision) {
        this.#hints.remember(request.mint, decision.mint);
        return decision;
      }
      if ('findings' in decision) {
        this.#hints.learn(request.mint, read.get(request.mint));
        throw new TransferRefused(decision.findings);
      }
      if ('needs' in decision) await this.#readInto(read, decision.needs, deadline);
      else facts.recentPrices = await this.#reader.readRecentPrices(decision.needsPricesFor, deadline);
    }
    const context = { mint: request.mint, fault: { kind: 'too_many_steps' } } as const;
    throw new TransferRefused([{ code: 'transfer_hook_unresolvable', field: 'mint', context }]);
  }

  async #readInto(
    read: Map<Address, Account | null>,
    addresses: readonly Address[],
    deadline: Deadline,
  ): Promise<void> {
    const { accounts } = await this.#reader.readAccounts(addresses, deadline);
    let index = 0;
    for (const address of addresses) read.set(address, accounts[index++] ?? null);
  }
}

// Deriving is the dearest step of a build: each pair is derived once a request, and nearly all requests need one.
function rememberPairs(request: TransferRequest): (tokenProgram: Address) => TransferTokenAccounts {
  const pairs: TransferTokenAccounts[] = [];
  return (tokenProgram) => {
    for (const pair of pairs) if (pair.tokenProgram === tokenProgram) return pair;
    const pair = deriveTokenAccounts(request, tokenProgram);
    pairs.push(pair);
    return pair;
  };
}

function simulationFailure(bytes: Uint8Array, { error, logs }: Simulation): AppError {
  const { instructions } = summarizeTransaction(bytes);
  return new AppError('simulation_failed', explainSimulationError(error, logs, instructions), { logs });
}
