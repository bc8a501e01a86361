import type { ChainReader } from '../chain/chain-reader.ts';
import type { Account } from '../core/account.ts';
import type { Address } from '../core/address.ts';
import { buildTransaction } from '../core/build-transaction.ts';
import {
  decideTransfer,
  deriveTokenAccounts,
  type TokenAccountPair,
  type TransferFacts,
} from '../core/decide-transfer.ts';
import { isTokenProgram, tokenPrograms } from '../core/programs.ts';
import type { BlockhashLifetime, TransferRequest } from '../core/transfer-plan.ts';
import { AppError, type Finding } from '../errors.ts';

/** An unsigned transaction and how long it lives. */
export interface BuiltTransfer extends BlockhashLifetime {
  bytes: Uint8Array;
}

// Enough for every token that a payment service handles; the oldest goes first.
const rememberedMints = 10_000;

/** Builds transfers from fresh facts: one round trip for all accounts, with the blockhash read beside it. */
export class TransferBuilder {
  readonly #reader: ChainReader;
  /** The token program of mints seen before: only their own two token accounts are read, not those of both programs. */
  readonly #tokenProgramByMint = new Map<Address, Address>();

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

    const decision = decideTransfer(request, await this.#readFacts(request, signal));
    if ('findings' in decision) throw refusal(decision.findings);

    let blockhash = await pendingBlockhash;
    if (!this.#reader.isFresh(blockhash)) blockhash = await this.#reader.readBlockhash(signal);
    const bytes = buildTransaction(decision.plan, blockhash.blockhash);
    return { bytes, blockhash: blockhash.blockhash, lastValidBlockHeight: blockhash.lastValidBlockHeight };
  }

  async #readFacts(request: TransferRequest, signal: AbortSignal): Promise<TransferFacts> {
    const known = this.#tokenProgramByMint.get(request.mint);
    const facts = await this.#readFactsUnder(known ? [known] : tokenPrograms, request, signal);
    const owner = facts.mint?.owner;
    if (owner === undefined || !isTokenProgram(owner)) return facts;
    this.#remember(request.mint, owner);
    // A mint can be closed and made anew under the other token program: what was remembered is then wrong.
    return facts.tokenAccounts ? facts : this.#readFactsUnder([owner], request, signal);
  }

  async #readFactsUnder(
    programs: readonly Address[],
    request: TransferRequest,
    signal: AbortSignal,
  ): Promise<TransferFacts> {
    const pairs = programs.map((program) => deriveTokenAccounts(request, program));
    const addresses = [
      request.mint,
      request.from,
      request.to,
      ...pairs.flatMap((pair) => [pair.sender, pair.recipient]),
    ];
    const { accounts } = await this.#reader.readAccounts(addresses, signal);
    const [mint = null, , recipient = null, ...tokenAccounts] = accounts;
    return { mint, recipient, tokenAccounts: pickPair(mint, pairs, tokenAccounts) };
  }

  #remember(mint: Address, tokenProgram: Address): void {
    if (this.#tokenProgramByMint.get(mint) === tokenProgram) return;
    const oldest = this.#tokenProgramByMint.keys().next();
    if (this.#tokenProgramByMint.size >= rememberedMints && !oldest.done) this.#tokenProgramByMint.delete(oldest.value);
    this.#tokenProgramByMint.set(mint, tokenProgram);
  }
}

function pickPair(
  mint: Account | null,
  pairs: readonly TokenAccountPair[],
  accounts: readonly (Account | null)[],
): TransferFacts['tokenAccounts'] {
  const index = pairs.findIndex((pair) => pair.tokenProgram === mint?.owner);
  const addresses = pairs[index];
  if (!addresses) return undefined;
  return { addresses, sender: accounts[index * 2] ?? null, recipient: accounts[index * 2 + 1] ?? null };
}

function refusal(findings: readonly Finding[]): AppError {
  const [first] = findings;
  if (!first) return new AppError('internal_error', 'a transfer was refused without a reason');
  const others = findings.length - 1;
  const more = others > 0 ? ` (and ${others} more, in errors)` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings });
}
