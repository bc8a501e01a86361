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
  PaymentLink,
  PaymentLinkStore,
  StoredPaymentLink,
} from '../keys/store/payment-links/payment-link-store.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import { FairPace } from '../work/fair-pace.ts';
import { Work } from '../work/work.ts';
import { LinkChecker } from './check/link-checker.ts';
import { LinkWatch, type Look, payerAgeMs } from './check/link-watch.ts';
import { HandedOut } from './handed-out.ts';
import { amountOutOfBounds, feeRaised, LinkClosed, linkPaid, ownerGone, tokenChanged } from './link-problems.ts';
import { type LinkView, viewOf } from './link-view.ts';
import { type LinkOwner, makeLink, type NewPaymentLink } from './make-link.ts';

/** What payment links are served with. */
export interface PaymentLinksOptions {
  store: Omit<PaymentLinkStore, 'isOwnerActive' | 'prune' | 'listUnsettled'>;
  reader: Pick<ChainReader, 'readAccounts' | 'readBlockhash' | 'readRecentPrices'>;
  history: ChainHistory;
  builder: Pick<TransferBuilder, 'build'>;
  /** Whether any API key of this owner is still accepted. */
  isOwnerActive: (ownerId: string) => Promise<boolean>;
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

/** Payment links: whoever has one can pay it, and the chain says whether it is paid. */
export class PaymentLinks {
  readonly #options: PaymentLinksOptions;
  readonly #watch: LinkWatch;
  readonly #handedOut: HandedOut;

  constructor(options: PaymentLinksOptions) {
    const { checksPerSecond, checkTimeoutMs, elapsed } = options;
    this.#options = options;
    // More than that could not begin while they are waited for.
    const maxWaiting = (checksPerSecond * checkTimeoutMs) / 1_000;
    const pace = new FairPace({ perSecond: checksPerSecond, maxWaiting, elapsed });
    this.#watch = new LinkWatch({ ...options, checker: new LinkChecker(options), pace });
    this.#handedOut = new HandedOut(elapsed);
  }

  /**
   * Makes a link.
   *
   * Throws `TransferRefused` with every reason why nobody could pay it, the fault of the upstream, also where it could not say
   * what was paid, or what the store throws.
   */
  async create(asked: NewPaymentLink, owner: LinkOwner, deadline: Deadline): Promise<LinkView> {
    const { link, warnings } = await makeLink(asked, owner, { ...this.#options, deadline });
    await this.#options.store.insert(link);
    return { ...viewOf({ link, payments: [] }, this.#options.now()), warnings };
  }

  /** Returns a link as it is stored; `undefined` when there is none. */
  find(id: string): Promise<StoredPaymentLink | undefined> {
    return this.#options.store.find(id);
  }

  /**
   * Returns a link as the chain shows it to its owner; `undefined` when there is none, or when `ownerId` is given and not its owner.
   *
   * While the chain cannot be asked, it is as the last check has found it: `link.checkedAt` says when that was.
   */
  async read(id: string, deadline: Deadline, ownerId?: string): Promise<LinkView | undefined> {
    const stored = await this.find(id);
    if (!stored || (ownerId !== undefined && stored.link.ownerId !== ownerId)) return undefined;
    return this.#refreshIfPossible(stored, ownersLook(stored.link.ownerId, deadline));
  }

  /** Returns a link as `read` does, to those who may pay it: the chain is not asked for them where its owner has no valid key. */
  async show(id: string, work: Work): Promise<LinkView | undefined> {
    const stored = await this.find(id);
    return stored && this.#refreshIfPossible(stored, { work, isOwners: false });
  }

  /** Returns the links of an owner, the newest first, as `read` does as far as there are turns to check them within 1.5 s. */
  async list(
    ownerId: string,
    page: Parameters<PaymentLinkStore['list']>[1],
    deadline: Deadline,
  ): Promise<readonly LinkView[]> {
    const links = await this.#options.store.list(ownerId, page);
    const look = ownersLook(ownerId, deadline);
    return Promise.all(links.map((stored) => this.#refreshIfPossible(stored, look)));
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
    const view = await this.#refreshIfPossible(stored, look);
    const payment = view.payments.find(({ flaw }) => flaw === undefined);
    if (view.state === 'paid' && payment) throw linkPaid(payment.signature);
    if (view.state !== 'open') return view;
    await store.cancel(id, new Date(now()));
    const cancelled = await store.find(id);
    return cancelled && this.#view(cancelled);
  }

  /**
   * Returns the transaction by which a wallet pays a link that `find` has just returned.
   *
   * `amount` is in base units, and may be left out where it is fixed. The same for the same within 20 s.
   *
   * Throws `payment_link_closed`, `payment_link_changed`, `amount_out_of_bounds`, `TransferRefused`, `overloaded` when too many
   * links are checked, or the fault of the upstream.
   */
  async pay(
    found: StoredPaymentLink,
    account: Address,
    amount: bigint | undefined,
    work: Work,
  ): Promise<LinkTransaction> {
    const look = { work, isOwners: false, maxAgeMs: payerAgeMs, isRequired: true };
    const view = this.#view(await this.#watch.refresh(found, look));
    const { link, state, payments } = view;
    if (state !== 'open') throw new LinkClosed(state);
    if (!(await this.#options.isOwnerActive(link.ownerId))) throw ownerGone();
    const baseUnits = amountToPay(link, amount);
    const paymentsBefore = payments.filter(({ payer }) => payer === account).length;
    const built = await this.#handedOut.get(
      { linkId: link.id, payer: account, amount: baseUnits, paymentsBefore },
      () => this.#build(link, account, baseUnits, work.deadline),
    );
    this.#watch.noteHandedOut(link.id);
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

  async #refreshIfPossible(stored: StoredPaymentLink, look: Look): Promise<LinkView> {
    try {
      return this.#view(await this.#watch.refresh(stored, look));
    } catch (error) {
      if (error instanceof UpstreamFault || isAppError(error, 'overloaded')) return this.#view(stored);
      throw error;
    }
  }

  #view(stored: StoredPaymentLink): LinkView {
    return viewOf(stored, this.#options.now());
  }
}

function ownersLook(ownerId: string, deadline: Deadline): Look {
  return { work: new Work({ owner: ownerId, deadline }), isOwners: true };
}

function amountToPay(link: PaymentLink, amount: bigint | undefined): bigint {
  const { minAmount, maxAmount } = link;
  const isFixed = minAmount === maxAmount;
  const wanted = isFixed ? (amount ?? minAmount) : amount;
  if (wanted === undefined || wanted < minAmount || wanted > maxAmount) throw amountOutOfBounds(link, amount);
  return wanted;
}
