import type {
  BatchData,
  BatchTransaction,
  Lifetime,
  PaymentLink,
  PendingBatchTransaction,
  Summary,
  TransferData,
  TransferOutcome,
} from './api-types.ts';
import { fromBase64, toBase64 } from './bytes.ts';
import { type Answer, type CallOptions, type ClientOptions, pause, request } from './call.ts';
import type {
  BatchRequest,
  CreatePaymentLinkRequest,
  CreateTokenAccountTransferRequest,
  PaymentLinkFilter,
  RefundRequest,
  TokenTransferRequest,
  TransferRequest,
} from './requests.ts';
import {
  type TransferPath,
  type VerifiedBatch,
  type VerifiedTransfer,
  type VerifyOptions,
  verifyBatch,
  verifyTransfer,
} from './verify/index.ts';
import { expectHeight } from './verify/reply.ts';
import { expectSame } from './verify/verification-error.ts';

/** A transaction that was built: its bytes, what they live by, and who must sign. */
export interface BuiltTransfer extends Omit<TransferData, 'transaction'> {
  transaction: Uint8Array;
  /** Whether it was built for an earlier call with the same key: there is one payment, not two. */
  isReplay: boolean;
  /** What it does, read from its bytes; absent with `verify: false`. */
  verified?: VerifiedTransfer;
}

/** A transaction of one of the three operations that answer nothing else. */
export interface BuiltTokenTransfer {
  transaction: Uint8Array;
  lifetime: Lifetime;
  /** Where `summary` was asked for. */
  summary?: Summary;
  isReplay: boolean;
  verified?: VerifiedTransfer;
}

/** The transactions of a batch, each of which lands by itself. */
export interface BuiltBatch extends Omit<BatchData, 'transactions' | 'pending_transactions'> {
  transactions: readonly (Omit<BatchTransaction, 'transaction'> & { transaction: Uint8Array })[];
  /** Those that were built before and may still land; without bytes where these must not be signed any more. */
  pending_transactions: readonly (Omit<PendingBatchTransaction, 'transaction'> & { transaction?: Uint8Array })[];
  isReplay: boolean;
  verified?: VerifiedBatch;
}

/**
 * A transaction of which the outcome is asked for: as it was built, or better as it was signed.
 *
 * `{ transaction, ...built.lifetime }` is one.
 */
export interface Question {
  transaction: Uint8Array;
  /** Without it the service cannot say that the transaction has expired, unless it has a nonce. */
  last_valid_block_height?: string | bigint | undefined;
}

const linksPath = '/v1/payment-links';

/**
 * A client of one service. Its methods reject with a `SplwrightError`, or with the reason of the caller's signal.
 *
 * What builds verifies each transaction, and rejects with a `VerificationError` where one does not do what was asked for.
 */
export class SplwrightClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Builds a transfer: for new programs. */
  async buildTransfer(request: TransferRequest, call?: CallOptions): Promise<BuiltTransfer> {
    const answer = await this.#build<TransferData>('/v1/transfers', request, call);
    const verified = await this.#verify('/v1/transfers', request, answer, call);
    const { data } = answer.body;
    return { ...data, transaction: fromBase64(data.transaction), isReplay: isReplay(answer), ...verified };
  }

  /** Builds the transactions that pay up to 1,000 recipients. */
  async buildBatch(request: BatchRequest, call?: CallOptions): Promise<BuiltBatch> {
    const answer = await this.#build<BatchData>('/v1/transfers/batch', request, call);
    const options = this.#verification(answer, call);
    const verified = options && { verified: await verifyBatch(request, answer.body, options) };
    const { data } = answer.body;
    const transactions = data.transactions.map((each) => ({ ...each, transaction: fromBase64(each.transaction) }));
    const pending = (data.pending_transactions ?? []).map(({ transaction, ...each }) => {
      return { ...each, ...(transaction !== undefined && { transaction: fromBase64(transaction) }) };
    });
    return { ...data, transactions, pending_transactions: pending, isReplay: isReplay(answer), ...verified };
  }

  /** Builds a transfer between existing token accounts, with `memo` or `yid` before it. */
  buildTokenTransfer(request: TokenTransferRequest, call?: CallOptions): Promise<BuiltTokenTransfer> {
    return this.#buildBytes('/v1/token-transfer-memo-hash', request, call);
  }

  /** Builds a transfer that creates the recipient's token account if it is missing. */
  buildCreateTokenAccountTransfer(
    request: CreateTokenAccountTransferRequest,
    call?: CallOptions,
  ): Promise<BuiltTokenTransfer> {
    return this.#buildBytes('/v1/create-token-account-transfer', request, call);
  }

  /** Finds out what became of a transaction. */
  async findOutcome(question: Question, call?: CallOptions): Promise<TransferOutcome> {
    return this.#ask<TransferOutcome>(toJson(question), call);
  }

  /** Finds out what became of up to 100 transactions, in their order. */
  async findOutcomes(questions: readonly Question[], call?: CallOptions): Promise<readonly TransferOutcome[]> {
    return this.#ask<readonly TransferOutcome[]>({ transactions: questions.map(toJson) }, call);
  }

  /**
   * Asks until the outcome is final: `landed` and finalized, `failed`, or `expired`.
   *
   * `onOutcome` hears of each answer, so that a page can show it. `everyMs` is 2,000 by default.
   */
  async waitForOutcome(
    question: Question,
    call: CallOptions & { everyMs?: number; onOutcome?: (outcome: TransferOutcome) => void } = {},
  ): Promise<TransferOutcome> {
    for (;;) {
      const outcome = await this.findOutcome(question, call);
      call.onOutcome?.(outcome);
      if (outcome.is_final) return outcome;
      await pause(call.everyMs ?? 2_000, call.signal);
    }
  }

  /** Makes a link that any wallet can pay. */
  async createPaymentLink(link: CreatePaymentLinkRequest, call: CallOptions = {}): Promise<PaymentLink> {
    const asked = { path: linksPath, body: link, call, builds: true };
    return (await request<{ data: PaymentLink }>(this.#options, asked)).body.data;
  }

  /** Reads a payment link as the chain shows it now. */
  readPaymentLink(id: string, call?: CallOptions): Promise<PaymentLink> {
    return this.#link(id, call);
  }

  /** Cancels a payment link. A payment that lands later counts all the same. */
  cancelPaymentLink(id: string, call?: CallOptions): Promise<PaymentLink> {
    return this.#link(`${id}/cancel`, call, {});
  }

  /**
   * Builds the transfer that gives back `amount` of what a link has received, and verifies that it pays whom you name.
   *
   * Give each refund an `idempotencyKey` of its own, and the same in each retry. `signature` names the payment where there are several.
   */
  async refundPaymentLink(id: string, refund: RefundRequest, call?: CallOptions): Promise<BuiltTransfer> {
    const { signature, ...expected } = refund;
    const body = { amount: expected.amount, ...(signature !== undefined && { signature }) };
    const answer = await this.#build<TransferData>(`${linksPath}/${id}/refund`, body, call);
    const { data } = answer.body;
    // By which the service finds it: a read-only account.
    const request = { ...expected, references: data.summary.references };
    const verified = await this.#verify('/v1/transfers', request, answer, call);
    return { ...data, transaction: fromBase64(data.transaction), isReplay: isReplay(answer), ...verified };
  }

  /** All payment links of this API key, the newest first: `for await (const link of client.paymentLinks())`. */
  async *paymentLinks(
    call: CallOptions & PaymentLinkFilter & { limit?: number } = {},
  ): AsyncGenerator<PaymentLink, void> {
    const { limit = 100, state, created_from, created_to, metadata, reference } = call;
    const filter = { state, created_from, created_to, metadata, reference };
    let cursor: string | undefined;
    do {
      const page = await this.listPaymentLinks({ ...filter, limit, ...(cursor !== undefined && { cursor }) }, call);
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }

  /** Lists a page of the payment links of this API key, the newest first. There are more where the reply has a `next_cursor`. */
  async listPaymentLinks(
    page: PaymentLinkFilter & { limit?: number; cursor?: string } = {},
    call: CallOptions = {},
  ): Promise<{ data: readonly PaymentLink[]; next_cursor?: string }> {
    const query = Object.entries(page).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    const asked = { path: `${linksPath}?${query.join('&')}`, call, builds: false };
    return (await request<{ data: readonly PaymentLink[]; next_cursor?: string }>(this.#options, asked)).body;
  }

  /** Reads a payment link until its state is final: `paid`, `expired` or `cancelled`. */
  async waitForPayment(
    id: string,
    call: CallOptions & { everyMs?: number; onState?: (link: PaymentLink) => void } = {},
  ): Promise<PaymentLink> {
    for (;;) {
      const link = await this.readPaymentLink(id, call);
      call.onState?.(link);
      if (link.is_final) return link;
      await pause(call.everyMs ?? 2_000, call.signal);
    }
  }

  async #link(path: string, call: CallOptions = {}, body?: object): Promise<PaymentLink> {
    const asked = { path: `${linksPath}/${path}`, call, builds: false, ...(body && { body }) };
    return (await request<{ data: PaymentLink }>(this.#options, asked)).body.data;
  }

  async #ask<Data>(body: object, call: CallOptions = {}): Promise<Data> {
    const asked = { path: '/v1/transfers/outcome', body, call, builds: false };
    return (await request<{ data: Data }>(this.#options, asked)).body.data;
  }

  #build<Data>(path: string, body: object, call: CallOptions = {}): Promise<Answer<{ data: Data; summary?: Summary }>> {
    return request(this.#options, { path, body, call, builds: true });
  }

  /** The options to verify an answer with; undefined where that is not wanted. */
  #verification({ headers }: Answer<unknown>, call: CallOptions = {}): VerifyOptions | undefined {
    const always = this.#options.verify ?? {};
    const { verify = always } = call;
    if (verify === false) return undefined;
    const named = headers.get('solana-blockhash') ?? undefined;
    const known: VerifyOptions = { ...always, ...verify };
    const { lifetimeToken = named } = known;
    expectSame('wrong_lifetime', 'Solana-Blockhash', lifetimeToken, named ?? lifetimeToken);
    return { ...known, lifetimeToken };
  }

  async #verify(
    path: TransferPath,
    request: object,
    answer: Answer<unknown>,
    call: CallOptions | undefined,
  ): Promise<{ verified: VerifiedTransfer } | undefined> {
    const options = this.#verification(answer, call);
    return options && { verified: await verifyTransfer(request, answer.body, { ...options, operation: path }) };
  }

  async #buildBytes(
    path: TransferPath,
    transfer: { nonce_account?: string },
    call?: CallOptions,
  ): Promise<BuiltTokenTransfer> {
    const asked = { ...transfer, encoding: 'base64' };
    const answer = await this.#build<string | { transaction: string }>(path, asked, call);
    const verified = await this.#verify(path, asked, answer, call);
    const options = this.#verification(answer, call);
    const height = answer.headers.get('solana-last-valid-block-height') ?? undefined;
    if (options) expectHeight(height, options, { nonceAccount: transfer.nonce_account });
    const { data, summary } = answer.body;
    return {
      transaction: fromBase64(typeof data === 'string' ? data : data.transaction),
      lifetime: lifetimeOf(answer.headers, transfer.nonce_account),
      ...(summary && { summary }),
      isReplay: isReplay(answer),
      ...verified,
    };
  }
}

function lifetimeOf(headers: Headers, nonceAccount: string | undefined): Lifetime {
  const token = headers.get('solana-blockhash') ?? '';
  if (nonceAccount !== undefined) return { nonce: token, nonce_account: nonceAccount };
  return { blockhash: token, last_valid_block_height: headers.get('solana-last-valid-block-height') ?? '' };
}

function isReplay({ headers }: Answer<unknown>): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

function toJson({ transaction, last_valid_block_height }: Question): object {
  return { transaction: toBase64(transaction), last_valid_block_height };
}
