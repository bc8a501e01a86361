import { LRUCache } from 'lru-cache';
import { type Address, decodeTransaction, summarizeTransfer } from 'splwright-core';
import { Work } from '../app/work.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import { dailyLimitReached, utcDayOf } from '../keys/usage/daily-amounts.ts';
import { isAppError } from '../problems.ts';
import { assertCanSponsor, type SponsorParts } from '../transfers/build-sponsored.ts';
import type { TransferBuilder } from '../transfers/transfer-builder.ts';
import { LinkChecker } from './check/link-checker.ts';
import { LinkWatch, type Look, payerAgeMs } from './check/link-watch.ts';
import { FairPace } from './fair-pace.ts';
import {
  amountOutOfBounds,
  keyEnded,
  LinkClosed,
  linkPaid,
  rentNotSponsored,
  tooManyOpenLinks,
  tooManyPayers,
} from './link-problems.ts';
import { type LinkView, underKeys, viewOf } from './link-view.ts';
import { type LinkOwner, makeLink, type NewPaymentLink, tokensAsked } from './make-link.ts';
import { assertAsPromised, type LinkTransaction, lastValidBlockHeightOf, paymentRequest } from './payment-request.ts';
import type { LinkRecords } from './records/link-records.ts';
import { inToken, type OwnerKey, type PaymentLink, type StoredPaymentLink } from './records/payment-link.ts';
import type { DescribeLink } from './records/save-check.ts';
import { SponsoredPayments } from './sponsored-payments.ts';

// A list has a hundred links, and each check that it causes is a write.
const listedAgeMs = 60_000;

const noteIntervalMs = 10_000;

// What is noted covers the transactions of this many blocks more, so that it need not be noted of each.
const noteAheadBlocks = 50n;

// Of each link. Further payers wait, networks in turn.
const paymentsPerSecond = 10;

export interface PaymentLinksOptions {
  store: Omit<LinkRecords, 'prune' | 'pruneIssued' | 'listUnsettled'>;
  reader: Pick<ChainReader, 'readAccounts' | 'readBlockhash' | 'readRecentPrices'>;
  history: ChainHistory;
  builder: Pick<TransferBuilder, 'build'>;
  /** Signs for payers of sponsored links; absent where there is none. */
  sponsoring?: SponsorParts | undefined;
  /** Makes the data of the events of a link. */
  describe?: DescribeLink | undefined;
  /** How often the chain is asked for all links together. */
  checksPerSecond: number;
  /** How long one check may take. */
  checkTimeoutMs: number;
  /** Resolves with how many milliseconds a slot takes. */
  readSlotMs?: (() => Promise<number | undefined>) | undefined;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** The monotonic clock that deadlines use, in milliseconds. */
  elapsed: () => number;
}

/** Payment links: anyone who has the URL can pay, and the chain says whether the link is paid. */
export class PaymentLinks {
  readonly #options: PaymentLinksOptions;
  readonly #watch: LinkWatch;
  readonly #sponsored: SponsoredPayments;
  readonly #payers = new LRUCache<string, FairPace>({
    max: 10_000,
    memoMethod: () => new FairPace(paymentsPerSecond, () => performance.now()),
  });

  constructor(options: PaymentLinksOptions) {
    const { checksPerSecond, elapsed } = options;
    this.#options = options;
    const pace = new FairPace(checksPerSecond, elapsed);
    const isOwnerActive = async (ownerId: string): Promise<boolean> =>
      (await options.store.listOwnerKeys(ownerId, new Date(options.now()))).length > 0;
    this.#sponsored = new SponsoredPayments(options);
    this.#watch = new LinkWatch({ ...options, isOwnerActive, checker: new LinkChecker(options), pace });
  }

  /**
   * Makes a link, and counts the most that it takes towards the daily limit of its key: on the day of its creation.
   *
   * Throws `TransferRefused` with every reason why it could not be paid, the fault of the upstream, also when no node keeps the
   * history of payments, `daily_limit_reached`, `too_many_open_links`, `api_key_invalid` for a key that ended meanwhile, or what the store
   * throws, or what `owner` throws. What is refused was never stored.
   */
  async create(asked: NewPaymentLink, owner: LinkOwner, deadline: Deadline): Promise<LinkView> {
    const { maxSponsorFee: maxFee } = asked;
    if (maxFee !== null) {
      const mints = tokensAsked(asked).map(({ mint }) => mint);
      await assertCanSponsor(this.#options.sponsoring, { mints, maxFee });
    }
    const { link, warnings, lacking } = await makeLink(asked, owner, { ...this.#options, deadline });
    if (maxFee !== null && lacking !== undefined && !owner.sponsorsRent) throw rentNotSponsored(lacking);
    owner.assertMayMake?.(link);
    await this.#insert(link, owner, asked);
    return { ...viewOf({ link, payments: [] }, this.#options.now()), warnings };
  }

  /** Returns a link as it is stored; `undefined` when there is none. */
  find(id: string): Promise<StoredPaymentLink | undefined> {
    return this.#options.store.find(id);
  }

  /**
   * Returns a link as the chain shows it; `undefined` when it does not exist or has another owner than `ownerId`, if that is given.
   *
   * While the upstream fails, the link is as of its last check: see `link.checkedAt`.
   */
  async read(id: string, deadline: Deadline, ownerId?: string): Promise<LinkView | undefined> {
    const stored = await this.find(id);
    if (!stored || (ownerId !== undefined && stored.link.ownerId !== ownerId)) return undefined;
    return this.#viewToday(await this.#refreshIfPossible(stored, ownersLook(stored.link.ownerId, deadline)));
  }

  /**
   * Asks nodes that have reached `minSlot` about a link, however fresh it is, also one that is settled without a payment in this slot.
   * Throws when that fails; does nothing when there is no such link.
   */
  async check(id: string, minSlot: bigint, deadline: Deadline): Promise<void> {
    const stored = await this.find(id);
    if (!stored) return;
    // After a restart, scans see again what they saw before.
    const isKnown = stored.payments.some(({ slot }) => slot === minSlot);
    if (stored.link.settledAt !== null && isKnown) return;
    const look = { ...ownersLook(stored.link.ownerId, deadline), maxAgeMs: 0, isRequired: true, minSlot };
    await this.#watch.refresh(stored, look);
  }

  /** Returns a link as `read` does, for payers: when its owner has no valid key, it is checked only for a payment under way. */
  async show(id: string, work: Work): Promise<LinkView | undefined> {
    const stored = await this.find(id);
    return stored && this.#viewToday(await this.#refreshIfPossible(stored, { work, isOwners: false }));
  }

  /**
   * Returns the links of an owner, the newest first, with the payments that count.
   *
   * Each is checked as by `read`, if its turn comes within 1.5 s; one that is not likely being paid, once a minute.
   */
  async list(
    ownerId: string,
    page: Parameters<LinkRecords['list']>[1],
    deadline: Deadline,
  ): Promise<readonly LinkView[]> {
    const look = { ...ownersLook(ownerId, deadline), idleAgeMs: listedAgeMs };
    // No turn of the event loop has two lists.
    await look.work.next();
    const [links, keys] = await Promise.all([
      this.#options.store.list(ownerId, page),
      this.#options.store.listOwnerKeys(ownerId, new Date(this.#options.now())),
    ]);
    return Promise.all(
      links.map(async (listed) => {
        const stored = await this.#refreshIfPossible(listed, look);
        const payments = stored.payments.filter(({ flaw }) => flaw === undefined);
        const flawedCount = stored === listed ? listed.flawedCount : stored.payments.length - payments.length;
        return { ...(await this.#viewToday({ link: stored.link, payments }, keys)), flawedCount };
      }),
    );
  }

  /**
   * Cancels a link, unless it is closed already; `undefined` when there is none.
   *
   * Throws `payment_link_paid` when a single payment was made. One that lands later counts all the same.
   */
  async cancel(id: string, deadline: Deadline): Promise<LinkView | undefined> {
    const { store, now } = this.#options;
    const stored = await store.find(id);
    if (!stored) return undefined;
    const look = { ...ownersLook(stored.link.ownerId, deadline), maxAgeMs: payerAgeMs };
    const known = await this.#refreshIfPossible(stored, look);
    const { state, payments } = viewOf(known, now());
    const payment = payments.find(({ flaw }) => flaw === undefined);
    if (state === 'paid' && payment) throw linkPaid(payment.signature);
    if (state !== 'open') return this.#viewToday(known);
    await store.cancel(id, new Date(now()));
    const cancelled = await store.find(id);
    return cancelled && this.#viewToday(cancelled);
  }

  /**
   * Returns the transaction by which a wallet pays a link that `find` has just returned, in the token that the link is given in.
   *
   * `amount` is in base units, and may be undefined if the link's is fixed. A payer who asks again for the same amount gets the same
   * bytes while they can land, from every process on the database.
   *
   * Throws `payment_link_closed`, `payment_link_changed`, `amount_out_of_bounds`, `TransferRefused`, `overloaded` when too many
   * links are checked, or the fault of the upstream; of a sponsored link also a problem of the sponsor, and `sponsored_payment_open`.
   */
  async pay(
    found: StoredPaymentLink,
    account: Address,
    amount: bigint | undefined,
    work: Work,
  ): Promise<LinkTransaction> {
    // The limits of its key are checked first: what they refuse costs no call to the chain.
    const before = await this.#viewToday(found);
    if (before.state === 'cancelled' || before.state === 'expired') throw new LinkClosed(before.state);
    // An open link has an owner whose key is accepted.
    const isForPayers = before.state === 'open';
    const look = { work, isOwners: false, isForPayers, maxAgeMs: payerAgeMs, isRequired: true };
    const { id } = found.link;
    await new Promise<void>((begin, refuse) => {
      const giveUp = (): void => refuse(tooManyPayers());
      this.#payers.memo(id).add({ parties: [work.owner], precedence: 0, work, begin, giveUp });
    });
    // It may have been paid while this payer waited.
    const current = (await this.find(id)) ?? found;
    const known = viewOf(await this.#watch.refresh(current, look), this.#options.now());
    if (known.state !== 'open') throw new LinkClosed(known.state);
    const view = { ...known, link: inToken(known.link, found.link.mint) ?? known.link };
    return this.#issue(view, account, amountToPay(view.link, amount), work.deadline);
  }

  async #issue(view: LinkView, account: Address, baseUnits: bigint, deadline: Deadline): Promise<LinkTransaction> {
    const { link, payments } = view;
    if (link.maxSponsorFee !== null) {
      const given = await this.#sponsored.give(view, account, baseUnits, deadline);
      await this.#noteHandedOut(link, given.lifetime.lastValidBlockHeight);
      return given;
    }
    const built = await this.#options.builder.build(paymentRequest(link, account, baseUnits), deadline);
    assertAsPromised(link, built);
    // A payer who has paid and asks again wants to pay again.
    const paidBefore = (wanted: { mint: Address; amount: bigint }): number =>
      payments.filter(
        ({ payer, mint, amount }) => payer === account && mint === wanted.mint && amount === wanted.amount,
      ).length;
    const asked = { mint: link.mint, amount: baseUnits };
    const given = await this.#options.store.issue({
      linkId: link.id,
      payer: account,
      ...asked,
      paymentsBefore: paidBefore(asked),
      bytes: built.bytes,
      lastValidBlockHeight: lastValidBlockHeightOf(built.lifetime),
    });
    const issued = given.find(({ mint, amount }) => mint === asked.mint && amount === asked.amount);
    if (!issued) throw new Error('the transaction of a link was not stored');
    const { bytes, lastValidBlockHeight } = issued;
    await this.#noteHandedOut(link, lastValidBlockHeight);
    return {
      view,
      transaction: bytes,
      lifetime: { blockhash: decodeTransaction(bytes).blockhash, lastValidBlockHeight },
      amount: baseUnits,
      summary: summarizeTransfer(built),
      openAmounts: given
        .filter((each) => each !== issued && each.paymentsBefore >= paidBefore(each))
        .map(({ mint, amount }) => ({ mint, amount })),
    };
  }

  /** Stores that a transaction was issued, and until when it can land, unless that was stored in the last ten seconds. */
  async #noteHandedOut({ id, handedOutAt, handedOutHeight }: PaymentLink, lastValidBlockHeight: bigint): Promise<void> {
    const { store, now } = this.#options;
    const age = handedOutAt ? now() - handedOutAt.getTime() : Number.POSITIVE_INFINITY;
    const isCovered = handedOutHeight !== null && lastValidBlockHeight <= handedOutHeight;
    if (age >= 0 && age < noteIntervalMs && isCovered) return;
    await store.noteHandedOut(id, new Date(now()), lastValidBlockHeight + noteAheadBlocks);
  }

  async #refreshIfPossible(stored: StoredPaymentLink, look: Look): Promise<StoredPaymentLink> {
    try {
      return await this.#watch.refresh(stored, look);
    } catch (error) {
      if (error instanceof UpstreamFault || isAppError(error, 'overloaded')) return stored;
      throw error;
    }
  }

  async #insert(link: PaymentLink, { dailyLimits: limits }: LinkOwner, asked: NewPaymentLink): Promise<void> {
    const atMs = link.createdAt.getTime();
    const bounds = limits === undefined ? {} : { daily: { day: utcDayOf(atMs), limits } };
    const insertion = await this.#options.store.insert(link, bounds);
    switch (insertion.kind) {
      case 'inserted':
        return;
      case 'daily_limit_reached': {
        const { mint } = insertion;
        const amount = inToken(link, mint)?.maxAmount ?? 0n;
        throw dailyLimitReached({ mint, amount, pointer: amountPointer(asked, mint) }, { ...insertion, atMs });
      }
      case 'too_many_open':
        throw tooManyOpenLinks(insertion);
      case 'key_ended':
        throw keyEnded();
    }
  }

  /** `keys` are those of the link's owner, if they are known already. */
  async #viewToday(stored: StoredPaymentLink, keys?: readonly OwnerKey[]): Promise<LinkView> {
    const { store, now } = this.#options;
    const view = viewOf(stored, now());
    if (view.state !== 'open') return view;
    const accepted = keys ?? (await store.listOwnerKeys(stored.link.ownerId, new Date(now())));
    return underKeys(view, accepted);
  }
}

function ownersLook(ownerId: string, deadline: Deadline): Look {
  return { work: new Work({ owner: ownerId, deadline }), isOwners: true };
}

/** Where the request has the highest amount of a link in a token. */
function amountPointer(asked: NewPaymentLink, mint: string): string {
  const { minAmount, maxAmount, at } = tokensAsked(asked).find((token) => token.mint === mint) ?? { ...asked, at: '' };
  if (minAmount !== maxAmount) return `${at}/amount_max`;
  return typeof maxAmount === 'bigint' ? `${at}/amount` : `${at}/amount_decimal`;
}

/** Returns the amount to pay, in base units. Throws `amount_out_of_bounds` when the link does not take it. */
function amountToPay(link: PaymentLink, amount: bigint | undefined): bigint {
  const { minAmount, maxAmount } = link;
  const wanted = minAmount === maxAmount ? (amount ?? minAmount) : amount;
  if (wanted === undefined || wanted < minAmount || wanted > maxAmount) throw amountOutOfBounds(link, amount);
  return wanted;
}
