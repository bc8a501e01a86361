import {
  type Address,
  type Lifetime,
  leastReceived,
  parseMemo,
  summarizeTransfer,
  type TransferSummary,
} from 'splwright-core';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import { isAppError } from '../errors.ts';
import type {
  OwnerKey,
  PaymentLink,
  PaymentLinkStore,
  StoredPaymentLink,
} from '../keys/store/payment-links/payment-link-store.ts';
import { dailyLimitReached, utcDayOf } from '../keys/usage/daily-amounts.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import { FairLimit } from '../work/fair-limit.ts';
import { Work } from '../work/work.ts';
import { CheckBudget } from './check/check-budget.ts';
import { LinkChecker } from './check/link-checker.ts';
import { type FreshnessNeed, LinkWatch, payerAgeMs } from './check/link-watch.ts';
import { HandedOut } from './handed-out.ts';
import {
  amountOutOfBounds,
  feeRaised,
  keyEnded,
  linkClosed,
  linkPaid,
  tokenChanged,
  tooManyOpenLinks,
} from './link-problems.ts';
import { type LinkView, type MayMake, underKeys, viewOf } from './link-view.ts';
import { type LinkOwner, makeLink, type NewPaymentLink } from './make-link.ts';

/** What payment links are served with. */
export interface PaymentLinksOptions {
  store: Omit<PaymentLinkStore, 'prune' | 'listUnsettled'>;
  reader: Pick<ChainReader, 'readAccounts' | 'readBlockhash' | 'readRecentPrices'>;
  history: ChainHistory;
  builder: Pick<TransferBuilder, 'build'>;
  /** Whether a key with these limits may make a link. */
  mayMake: MayMake;
  /** How often the chain is asked for all links together. */
  checksPerSecond: number;
  /** How long one check may take. */
  checkTimeoutMs: number;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** The monotonic clock in milliseconds, by which deadlines are. */
  elapsed: () => number;
}

/** The transaction that a payer gets. */
export interface LinkTransaction {
  view: LinkView;
  /** Unsigned. */
  transaction: Uint8Array;
  lifetime: Lifetime;
  /** Base units. */
  amount: bigint;
  summary: TransferSummary;
}

// Of the links of one list.
const maxParallelChecks = 8;

/** Payment links: whoever has one can pay it, and the chain says whether it is paid. */
export class PaymentLinks {
  readonly #options: PaymentLinksOptions;
  readonly #watch: LinkWatch;
  readonly #handedOut: HandedOut;

  constructor(options: PaymentLinksOptions) {
    const { checksPerSecond, elapsed } = options;
    this.#options = options;
    const budget = new CheckBudget(checksPerSecond, elapsed);
    this.#watch = new LinkWatch({ ...options, checker: new LinkChecker(options), budget });
    this.#handedOut = new HandedOut(elapsed);
  }

  /**
   * Makes a link, and counts the most that it takes towards the daily limit of its key: on the day of its creation.
   *
   * Throws `TransferRefused` with every reason why nobody could pay it, the fault of the upstream, also where it could not say
   * what was paid, `daily_limit_reached`, `too_many_open_links`, `api_key_invalid` for a key that ended meanwhile, or what the store
   * throws. What is refused was never stored.
   */
  async create(asked: NewPaymentLink, owner: LinkOwner, deadline: Deadline): Promise<LinkView> {
    const { link, warnings } = await makeLink(asked, owner, { ...this.#options, deadline });
    await this.#insert(link, owner);
    return { ...viewOf({ link, payments: [] }, this.#options.now()), warnings };
  }

  /**
   * Returns a link as the chain shows it, whoever owns it; `undefined` when there is none.
   *
   * While the chain cannot be asked, it is as the last check has found it: `link.checkedAt` says when that was.
   */
  async read(id: string, deadline: Deadline): Promise<LinkView | undefined> {
    const stored = await this.#options.store.find(id);
    return stored && this.#viewToday(await this.#refreshIfPossible(stored, {}, deadline));
  }

  /** Returns the links of an owner, the newest first, as `read` does as far as the budget of checks goes. */
  async list(
    ownerId: string,
    page: Parameters<PaymentLinkStore['list']>[1],
    deadline: Deadline,
  ): Promise<readonly LinkView[]> {
    const links = await this.#options.store.list(ownerId, page);
    const limit = new FairLimit(maxParallelChecks);
    const work = new Work({ owner: ownerId, deadline });
    const refreshed = links.map((stored) => limit.run(work, () => this.#refreshIfPossible(stored, {}, deadline)));
    const keys = await this.#options.store.listOwnerKeys(ownerId, new Date(this.#options.now()));
    return Promise.all((await Promise.all(refreshed)).map((stored) => this.#viewToday(stored, keys)));
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
    const known = await this.#refreshIfPossible(stored, { maxAgeMs: payerAgeMs }, deadline);
    const { state, payments } = viewOf(known, now());
    const payment = payments.find(({ flaw }) => flaw === undefined);
    if (state === 'paid' && payment) throw linkPaid(payment.signature);
    if (state !== 'open') return this.#viewToday(known);
    await store.cancel(id, new Date(now()));
    const cancelled = await store.find(id);
    return cancelled && this.#viewToday(cancelled);
  }

  /**
   * Returns the transaction by which a wallet pays a link; `undefined` when there is no such link.
   *
   * `amount` is in base units, and may be left out where it is fixed. The same for the same within 20 s.
   *
   * Throws `payment_link_closed`, `payment_link_changed`, `amount_out_of_bounds`, `TransferRefused`, `overloaded` when too many
   * links are checked, or the fault of the upstream.
   */
  async pay(
    id: string,
    account: Address,
    amount: bigint | undefined,
    deadline: Deadline,
  ): Promise<LinkTransaction | undefined> {
    const known = await this.#options.store.find(id);
    if (!known) return undefined;
    // The limits of its key before the chain, which is not asked about what they refuse.
    const before = await this.#viewToday(known);
    if (before.state === 'cancelled' || before.state === 'expired') throw linkClosed(before.state);
    const refreshed = await this.#watch.refresh(known, { maxAgeMs: payerAgeMs, isRequired: true }, deadline);
    const view = viewOf(refreshed, this.#options.now());
    const { link, state, payments } = view;
    if (state !== 'open') throw linkClosed(state);
    const baseUnits = amountToPay(link, amount);
    const paymentsBefore = payments.filter(({ payer }) => payer === account).length;
    const built = await this.#handedOut.get({ linkId: id, payer: account, amount: baseUnits, paymentsBefore }, () =>
      this.#build(link, account, baseUnits, deadline),
    );
    this.#watch.noteHandedOut(id);
    const { bytes, lifetime } = built;
    return { view, transaction: bytes, lifetime, amount: baseUnits, summary: summarizeTransfer(built) };
  }

  async #build(link: PaymentLink, account: Address, amount: bigint, deadline: Deadline) {
    const memo = link.memo === null ? undefined : parseMemo(link.memo);
    const built = await this.#options.builder.build(
      {
        layout: 'default',
        createTokenAccount: 'if_missing',
        from: account,
        to: link.recipient,
        mint: link.mint,
        amount,
        splits: [],
        memo: memo && 'memo' in memo ? memo.memo : undefined,
        feePayer: account,
        version: 'legacy',
        priorityFee: undefined,
        nonceAccount: undefined,
        references: [link.reference],
        allowsOffCurveRecipient: link.allowsOffCurveRecipient,
        checks: 'full',
      },
      deadline,
    );
    const { tokenProgram, decimals, recipientTokenAccount, transferFee } = built.plan;
    const isSame = tokenProgram === link.tokenProgram && decimals === link.decimals;
    if (!isSame || recipientTokenAccount !== link.destination) throw tokenChanged(link);
    const arrives = amount - transferFee;
    const promised = link.transferFees && leastReceived(amount, link.transferFees);
    if (promised !== null && arrives < promised) throw feeRaised(link, promised, arrives);
    return built;
  }

  async #refreshIfPossible(stored: StoredPaymentLink, need: FreshnessNeed, deadline: Deadline) {
    try {
      return await this.#watch.refresh(stored, need, deadline);
    } catch (error) {
      if (error instanceof UpstreamFault || isAppError(error, 'overloaded')) return stored;
      throw error;
    }
  }

  async #insert(link: PaymentLink, { dailyLimit: limit }: LinkOwner): Promise<void> {
    const atMs = link.createdAt.getTime();
    const bounds = limit === undefined ? {} : { daily: { day: utcDayOf(atMs), limit } };
    const insertion = await this.#options.store.insert(link, bounds);
    switch (insertion.kind) {
      case 'inserted':
        return;
      case 'daily_limit_reached':
        throw dailyLimitReached({ mint: link.mint, amount: link.maxAmount }, { ...insertion, atMs });
      case 'too_many_open':
        throw tooManyOpenLinks(insertion);
      case 'key_ended':
        throw keyEnded();
    }
  }

  /** `keys` are those of the link's owner, if they are known already. */
  async #viewToday(stored: StoredPaymentLink, keys?: readonly OwnerKey[]): Promise<LinkView> {
    const { store, now, mayMake } = this.#options;
    const view = viewOf(stored, now());
    if (view.state !== 'open') return view;
    const accepted = keys ?? (await store.listOwnerKeys(stored.link.ownerId, new Date(now())));
    return underKeys(view, accepted, mayMake);
  }
}

function amountToPay(link: PaymentLink, amount: bigint | undefined): bigint {
  const { minAmount, maxAmount } = link;
  const isFixed = minAmount === maxAmount;
  const wanted = isFixed ? (amount ?? minAmount) : amount;
  if (wanted === undefined || wanted < minAmount || wanted > maxAmount) throw amountOutOfBounds(link, amount);
  return wanted;
}
