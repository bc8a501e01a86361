import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Account,
  type Address,
  type BatchFacts,
  type BatchRequest,
  type BatchTokenAccounts,
  type BuiltBatch,
  batchAccountsToRead,
  buildTransaction,
  type DecidedBatch,
  decideBatch,
  deriveBatchTokenAccounts,
  tokenPrograms,
} from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { assertSysvarsAreWhole } from './assert-sysvars.ts';
import type { MintHints } from './mint-hints.ts';
import { TransferRefused } from './transfer-refused.ts';

/** The settings of a builder of batches. */
export interface BatchBuilderOptions {
  /** How much the priority fee of one transaction may cost. */
  maxPriorityFeeLamports: bigint;
  hints: MintHints;
}

// As many as a node reads in one call.
const maxAccountsPerRead = 100;

// How often a decision is tried: as for single transfers.
const maxRounds = 5;

// What a turn of the event loop may take of other requests' time: so many derivations take a millisecond, so do so many builds.
const derivationsPerTurn = 100;
const buildsPerTurn = 8;

/** Builds batches from fresh facts, in turns between which other requests are served. */
export class BatchBuilder {
  readonly #reader: ChainReader;
  readonly #options: BatchBuilderOptions;

  constructor(reader: ChainReader, options: BatchBuilderOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /**
   * Builds the transactions of a batch.
   *
   * Throws `TransferRefused` with every reason why some would not land, or an `AppError` when the chain cannot be read.
   */
  async build(request: BatchRequest, deadline: Deadline): Promise<BuiltBatch> {
    const decided = await this.#decide(request, deadline);
    const { nonce } = decided.transactions[0]?.plan ?? {};
    const lifetime = nonce ?? (await this.#reader.readBlockhash(deadline));
    const token = 'nonce' in lifetime ? lifetime.nonce : lifetime.blockhash;
    const transactions: Uint8Array[] = [];
    for (const [index, { plan }] of decided.transactions.entries()) {
      if (index % buildsPerTurn === buildsPerTurn - 1) await nextTurn();
      transactions.push(buildTransaction(plan, token));
    }
    // The caller sums them up and writes them in a turn of its own.
    await nextTurn();
    return { ...decided, lifetime, bytes: transactions };
  }

  async #decide(request: BatchRequest, deadline: Deadline): Promise<DecidedBatch> {
    const read = new Map<Address, Account | null>();
    const hint = this.#options.hints.of(request.mint);
    const derived = await deriveInTurns(request, hint?.tokenProgram);
    const facts: BatchFacts = {
      read,
      tokenAccountsUnder: derived,
      recentPrices: undefined,
      maxPriorityFee: this.#options.maxPriorityFeeLamports,
    };
    await this.#readInto(read, batchAccountsToRead(request, hint, derived), deadline);
    assertSysvarsAreWhole(read);
    for (let round = 1; round <= maxRounds; round++) {
      await nextTurn();
      const decision = decideBatch(request, facts);
      if ('transactions' in decision || 'findings' in decision) {
        this.#options.hints.learn(request.mint, read.get(request.mint));
        if ('transactions' in decision) return decision;
        throw new TransferRefused(decision.findings);
      }
      if ('needs' in decision) await this.#readInto(read, decision.needs, deadline);
      else facts.recentPrices = await this.#reader.readRecentPrices(decision.needsPricesFor, deadline);
    }
    const context = { mint: request.mint, fault: { kind: 'too_many_steps' } } as const;
    throw new TransferRefused([{ code: 'transfer_hook_unresolvable', field: 'mint', context }]);
  }

  // In as few calls as possible, all at once.
  async #readInto(
    read: Map<Address, Account | null>,
    addresses: readonly Address[],
    deadline: Deadline,
  ): Promise<void> {
    const parts: (readonly Address[])[] = [];
    for (let start = 0; start < addresses.length; start += maxAccountsPerRead) {
      parts.push(addresses.slice(start, start + maxAccountsPerRead));
    }
    const answers = await Promise.all(parts.map((part) => this.#reader.readAccounts(part, deadline)));
    for (const [index, { accounts }] of answers.entries()) {
      for (const [position, address] of (parts[index] ?? []).entries()) read.set(address, accounts[position] ?? null);
    }
  }
}

// Each is derived once, whatever asks for it; all those under a known token program before the chain is asked.
async function deriveInTurns(
  request: BatchRequest,
  knownProgram: Address | undefined,
): Promise<(tokenProgram: Address) => BatchTokenAccounts> {
  const derived = new Map<Address, BatchTokenAccounts>();
  for (const tokenProgram of knownProgram === undefined ? tokenPrograms : [knownProgram]) {
    const { transfers, ...rest } = request;
    const parts: BatchTokenAccounts[] = [];
    for (let start = 0; start < transfers.length; start += derivationsPerTurn) {
      if (start > 0) await nextTurn();
      const part = { ...rest, transfers: transfers.slice(start, start + derivationsPerTurn) };
      parts.push(deriveBatchTokenAccounts(part, tokenProgram));
    }
    const [first] = parts;
    if (first) derived.set(tokenProgram, { ...first, recipients: parts.flatMap(({ recipients }) => recipients) });
  }
  return (tokenProgram) => {
    const known = derived.get(tokenProgram) ?? deriveBatchTokenAccounts(request, tokenProgram);
    derived.set(tokenProgram, known);
    return known;
  };
}
