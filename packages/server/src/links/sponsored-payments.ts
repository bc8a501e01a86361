import { type Address, type BuiltTransfer, decodeTransaction, encodeBase58, summarizeTransfer } from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { sponsoredLamports, utcDayOf } from '../keys/usage/daily-amounts.ts';
import { AppError } from '../problems.ts';
import { buildSponsored, type SponsorParts } from '../transfers/build-sponsored.ts';
import { sponsorFeeJson } from '../transfers/transaction-replies.ts';
import type { TransferBuilder } from '../transfers/transfer-builder.ts';
import { LinkClosed, sponsoredPaymentOpen, tooManyPayers } from './link-problems.ts';
import { keyOf, type LinkView } from './link-view.ts';
import { assertAsPromised, type LinkTransaction, lastValidBlockHeightOf, paymentRequest } from './payment-request.ts';
import type { LinkRecords } from './records/link-records.ts';
import { type IssuedTransaction, inToken, type PaymentLink } from './records/payment-link.ts';

export interface SponsoredPaymentsOptions {
  store: Pick<LinkRecords, 'findIssued' | 'issueSponsored' | 'listOwnerKeys'>;
  reader: Pick<ChainReader, 'readBlockhash'>;
  builder: Pick<TransferBuilder, 'build'>;
  sponsoring?: SponsorParts | undefined;
  /** Resolves with how many milliseconds a slot takes. */
  readSlotMs?: (() => Promise<number | undefined>) | undefined;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

/** The most that a sponsor pays for one link in a day where its key has no limit: some thousand payments. Payers have no key. */
const maxLamportsOfLinkPerDay = 10_000_000n;

// agave `MAX_PROCESSING_AGE`.
const blockhashLifetimeBlocks = 150n;
const usualSlotMs = 400;

/**
 * Gives payers of sponsored links their transactions, signed by the sponsor: to each payer of a link one at a time.
 *
 * A transaction is stored before it is given. While it can land and has not, its payer gets the same bytes for the same payment, and
 * nothing for another one. What it costs the sponsor is counted for the key and for the link in the same write.
 */
export class SponsoredPayments {
  readonly #options: SponsoredPaymentsOptions;
  /** The last request of each payer of a link that is not answered yet: further ones wait, so that they get its bytes. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: SponsoredPaymentsOptions) {
    this.#options = options;
  }

  /** Returns the transaction by which a wallet pays a link. Throws as `PaymentLinks.pay` does. */
  async give(view: LinkView, account: Address, amount: bigint, deadline: Deadline): Promise<LinkTransaction> {
    const turn = `${view.link.id} ${account}`;
    const given = (this.#turns.get(turn) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#give(view, account, amount, deadline));
    this.#turns.set(turn, given);
    return given.finally(() => {
      if (this.#turns.get(turn) === given) this.#turns.delete(turn);
    });
  }

  async #give(view: LinkView, account: Address, amount: bigint, deadline: Deadline): Promise<LinkTransaction> {
    const { open, landed } = await this.#findGiven(view, account, deadline);
    if (open) return this.#giveAgain(view, { ...open, account, amount }, deadline);
    const signed = await this.#sign(view, { account, amount, landed }, deadline);
    // Another process may have given this payer one meanwhile: only one of the two is ever given.
    const { open: stored } = await this.#findGiven(view, account, deadline);
    // One that has just landed has the newest blockhash: the same payment would be the same transaction.
    if (!stored) throw tooManyPayers();
    return this.#giveAgain(view, { ...stored, account, amount }, deadline, signed);
  }

  /** The transactions of a payer that can still land and have not, with the newest last block height; and those that have landed. */
  async #findGiven(
    { link, payments }: LinkView,
    payer: Address,
    deadline: Deadline,
  ): Promise<{ open: OpenPayment | undefined; landed: readonly Uint8Array[] }> {
    const { lastValidBlockHeight: newestHeight } = await this.#options.reader.readBlockhash(deadline);
    const issued = await this.#options.store.findIssued({ linkId: link.id, payer }, newestHeight);
    const paid = new Set(payments.map(({ signature }) => signature));
    const hasLanded = ({ bytes }: IssuedTransaction): boolean => paid.has(signatureOf(bytes));
    const open = issued.find((each) => !hasLanded(each));
    return {
      open: open && { issued: open, newestHeight },
      landed: issued.filter(hasLanded).map(({ bytes }) => bytes),
    };
  }

  async #giveAgain(
    view: LinkView,
    { issued, newestHeight, account, amount }: OpenPayment & { account: Address; amount: bigint },
    deadline: Deadline,
    signed?: BuiltTransfer,
  ): Promise<LinkTransaction> {
    const { link } = view;
    const { bytes, lastValidBlockHeight, sponsorFee } = issued;
    const slotMs = (await this.#options.readSlotMs?.()) ?? usualSlotMs;
    const blocksLeft = Number(lastValidBlockHeight - newestHeight + blockhashLifetimeBlocks);
    const secondsLeft = Math.max(0, Math.floor((blocksLeft * slotMs) / 1_000));
    if (issued.mint !== link.mint || issued.amount !== amount) {
      throw sponsoredPaymentOpen(inToken(link, issued.mint) ?? link, issued.amount, secondsLeft);
    }
    const { blockhash, signers } = decodeTransaction(bytes);
    const [sponsor = account] = signers;
    const request = { ...paymentRequest(link, account, amount), feePayer: sponsor };
    const built = signed ?? (await this.#options.builder.build(request, deadline));
    assertAsPromised(link, built);
    return {
      view,
      transaction: bytes,
      lifetime: { blockhash, lastValidBlockHeight },
      amount,
      summary: summarizeTransfer(built),
      openAmounts: [],
      sponsored: { sponsor, fee: sponsorFee, secondsLeft },
    };
  }

  /** Has a payment signed, counts it and stores it, unless another process has stored one meanwhile. */
  async #sign(
    { link, payments }: LinkView,
    { account, amount, landed }: { account: Address; amount: bigint; landed: readonly Uint8Array[] },
    deadline: Deadline,
  ): Promise<BuiltTransfer> {
    const { store, builder, sponsoring, now } = this.#options;
    const key = keyOf(link, await store.listOwnerKeys(link.ownerId, new Date(now())));
    if (!key) throw new LinkClosed('cancelled');
    const { id, restrictions } = key;
    const asked = { feeMint: undefined, maxFee: link.maxSponsorFee ?? 0n };
    const { built, signed, costs } = await buildSponsored({ request: asked, restrictions, deadline }, sponsoring, {
      request: paymentRequest(link, account, amount),
      build: async (request, askFees) => {
        const made = await builder.build(request, deadline, false, askFees);
        assertAsPromised(link, made);
        return made;
      },
      draftsOf: (each) => [each],
    });
    const [bytes] = signed;
    if (!bytes) throw new Error('a sponsor has signed nothing');
    const { sponsoredLamportsPerDay: limit } = restrictions;
    const paid = { day: utcDayOf(now()), mint: sponsoredLamports, amount: costs.lamports };
    const counted = [
      ...(limit === null ? [] : [{ added: { keyId: id, ...paid }, limit }]),
      { added: { keyId: link.id, ...paid }, limit: limit ?? maxLamportsOfLinkPerDay },
    ];
    const stored = await store.issueSponsored(
      {
        linkId: link.id,
        payer: account,
        mint: link.mint,
        amount,
        paymentsBefore: payments.filter(({ payer }) => payer === account).length,
        bytes,
        lastValidBlockHeight: lastValidBlockHeightOf(built.lifetime),
        sponsorFee: sponsorFeeJson(summarizeTransfer(built).sponsorFee).sponsor_fee,
      },
      landed,
      counted,
    );
    if (stored === 'limit_reached') throw limitReached(link);
    return built;
  }
}

/** A transaction that a payer was given, and the last block height of one that would be built now. */
interface OpenPayment {
  issued: IssuedTransaction;
  newestHeight: bigint;
}

// The fee payer's, by which it is found once it has landed: the sponsor has signed.
function signatureOf(bytes: Uint8Array): string {
  return encodeBase58(decodeTransaction(bytes).signatures[0] ?? new Uint8Array());
}

function limitReached({ id }: PaymentLink): AppError {
  return new AppError(
    'daily_limit_reached',
    `The sponsor has paid as much for the payment link ${id}, or for its API key, as it may in a day. The next day begins at 00:00 UTC.`,
  );
}
