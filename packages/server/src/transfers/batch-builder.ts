import {
  type Address,
  accountsToRead,
  type BatchRequest,
  type BuiltBatch,
  buildTransaction,
  checkTransfersOfBatch,
  type DecidedBatch,
  decideBatch,
  decodeMint,
  type Finding,
  partsByMint,
  type Steps,
  systemProgram,
  type TransferFacts,
} from 'splwright-core';
import type { Work } from '../app/work.ts';
import type { ChainReader } from '../chain/chain-reader.ts';
import type { Draft } from '../sponsor/sponsor-rules.ts';
import { type ChainQuestion, decideFromChain, type FactsFromChain, type MintHints } from './decide-from-chain.ts';
import { type AskSponsorFees, draftOf, withFees } from './transfer-builder.ts';
import { findOtherTokens, TransferRefused } from './transfer-refused.ts';

/** The settings of a builder of batches. */
export interface BatchBuilderOptions {
  /** The highest priority fee of one transaction. */
  maxPriorityFeeLamports: bigint;
  hints: MintHints;
}

/** Returns the plans of a batch in the order of its transactions, each with what is known of the mint that it pays. */
export function plannedOf({ parts }: Pick<DecidedBatch, 'parts'>): readonly Omit<Draft, 'bytes'>[] {
  return parts.flatMap(({ mint, tokenAccountRent, plans }) => plans.map((plan) => ({ plan, mint, tokenAccountRent })));
}

/** Builds batches from fresh facts, in turns between which other requests are served. */
export class BatchBuilder {
  readonly #reader: ChainReader;
  readonly #options: BatchBuilderOptions;

  constructor(reader: ChainReader, options: BatchBuilderOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /**
   * Builds the transactions of a batch, as `TransferBuilder` builds one.
   *
   * Throws `TransferRefused` with every reason why some would not land, or an `AppError` when the chain cannot be read.
   */
  async build(request: BatchRequest, work: Work, askFees?: AskSponsorFees): Promise<BuiltBatch> {
    const { maxPriorityFeeLamports: maxPriorityFee } = this.#options;
    const facts: TransferFacts & FactsFromChain = { read: new Map(), recentPrices: undefined, maxPriorityFee };
    let decided = await this.#decide(request, facts, work);
    if (askFees) {
      const { plan } = decided.transactions[0] ?? {};
      const lifetime = plan?.nonce ?? (await this.#reader.readBlockhash(work.deadline));
      const fees = await askFees(plannedOf(decided).map((planned) => draftOf(planned, lifetime)));
      decided = await this.#decide(withFees(request, fees), facts, work);
    }
    const { nonce } = decided.transactions[0]?.plan ?? {};
    const lifetime = nonce ?? (await this.#reader.readBlockhash(work.deadline));
    const token = 'nonce' in lifetime ? lifetime.nonce : lifetime.blockhash;
    await work.next();
    const bytes: Uint8Array[] = [];
    for (const { plan } of decided.transactions) bytes.push(await work.step(() => buildTransaction(plan, token)));
    return { ...decided, lifetime, bytes };
  }

  /**
   * Returns what is wrong on the chain with each transfer of a batch by itself, none of it about the whole.
   *
   * Throws an `AppError` when the chain cannot be read.
   */
  async findTransferFaults(request: BatchRequest, work: Work): Promise<readonly Finding[]> {
    const facts: FactsFromChain = { read: new Map(), recentPrices: undefined };
    const decide = () => checkTransfersOfBatch(request, facts.read);
    const { findings } = await this.#decideFromChain(request, work, facts, decide);
    return findings;
  }

  async #decide(request: BatchRequest, facts: TransferFacts & FactsFromChain, work: Work): Promise<DecidedBatch> {
    const decide = () => decideBatch(request, facts);
    const decision = await this.#decideFromChain(request, work, facts, decide);
    if ('findings' in decision) {
      throw new TransferRefused(await findOtherTokens(decision.findings, this.#reader, work.deadline));
    }
    return decision;
  }

  async #decideFromChain<Answer extends object>(
    request: BatchRequest,
    work: Work,
    facts: FactsFromChain,
    decide: () => Steps<Answer | ChainQuestion>,
  ): Promise<Answer> {
    const { hints } = this.#options;
    const parts = partsByMint(request).map((part) => part.request);
    const firstAddresses = parts.flatMap((part) => accountsToRead(part, hints.of(part.mint)));
    await work.next();
    const decision = await decideFromChain(this.#reader, work.deadline, {
      get mint() {
        return hookedMint(parts, facts);
      },
      facts,
      firstAddresses: facts.read.size > 0 ? [] : [...new Set(firstAddresses)],
      decide: async () => {
        await work.next();
        return work.run(decide());
      },
      whenAllowed: async (read) => {
        await work.next();
        await read();
      },
    });
    for (const { mint } of parts) hints.learn(mint, facts.read.get(mint));
    return decision;
  }
}

// The first one that has a transfer hook.
function hookedMint(parts: readonly BatchRequest[], { read }: FactsFromChain): Address {
  const hooked = parts.find(({ mint }) => {
    const account = read.get(mint);
    return account ? decodeMint(account)?.transferHookProgram !== undefined : false;
  });
  return hooked?.mint ?? systemProgram;
}
