import { after } from 'node:test';
import { LedgerChainReader } from '../../../../test/judge/ledger-chain-reader.ts';
import type { Address } from '../../../core/src/addresses/address.ts';
import { computeBudgetProgram, systemProgram } from '../../../core/src/addresses/programs.ts';
import type { TransferRequest } from '../../../core/src/request/transfer-request.ts';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../../core/src/transaction/instruction.ts';
import type { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { Work } from '../../src/app/work.ts';
import type { NodeHistory } from '../../src/chain/chain-history.ts';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import type { LinkView } from '../../src/links/link-view.ts';
import type { LinkOwner, NewPaymentLink } from '../../src/links/make-link.ts';
import { PaymentLinks, type PaymentLinksOptions } from '../../src/links/payment-links.ts';
import type { LinkTransaction } from '../../src/links/payment-request.ts';
import { inToken } from '../../src/links/records/payment-link.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import type { Store } from '../../src/serve/store/store.ts';
import { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { historyOf, LedgerNodeHistory, type NodeFaults } from '../outcomes/ledger-node-history.ts';
import { addressOf, OutcomeScene, type WalletName } from '../outcomes/outcome-scene.ts';

/** One service with links, and the nodes that it asks. */
export interface LinkService {
  links: PaymentLinks;
  nodes: readonly LedgerNodeHistory[];
  /** The first of them. */
  node: LedgerNodeHistory;
}

/** How a service is started. */
export interface LinkServiceOptions extends Partial<Omit<PaymentLinksOptions, 'history'>> {
  /** The faults of each node. */
  nodes?: readonly Partial<NodeFaults>[];
  quorum?: number;
}

// `Work` tells by the real monotonic clock whether a deadline is over: none of the clock set by hand ever is.
const farAheadMs = 1e9;

/** No deadline. */
export const never = Number.POSITIVE_INFINITY;

/** 10 USDC for bob. */
export const tenTokens = 10_000_000n;

/** A ledger with the sandbox's world, a database, a clock that is set by hand, and wallets that pay links. */
export class LinkScene {
  readonly chain: OutcomeScene;
  readonly ledger: Ledger;
  readonly keys: Store;
  /** Milliseconds since the Unix epoch, and of the monotonic clock. */
  readonly clock = { now: 0, elapsed: farAheadMs };
  readonly reader: LedgerChainReader;
  #spam = 0n;

  private constructor(chain: OutcomeScene, keys: Store) {
    this.chain = chain;
    this.ledger = chain.ledger;
    this.keys = keys;
    this.reader = new LedgerChainReader(chain.ledger);
    // There are blocks before the first link.
    this.ledger.advanceSlots(40);
    this.clock.now = Number(this.ledger.blockTime(this.ledger.slot())) * 1_000;
  }

  /** Opens a scene, which closes after the tests that it is for. */
  static async open(): Promise<LinkScene> {
    const keys = await openKeyStore('sqlite::memory:');
    after(() => keys.close());
    return new LinkScene(await OutcomeScene.open(), keys);
  }

  /** Starts a service on the database, with one sound node unless others are given. */
  serve({ nodes: faults = [{}], quorum = 1, ...options }: LinkServiceOptions = {}): LinkService {
    const nodes = faults.map((each, index) => new LedgerNodeHistory(this.ledger, `upstream_${index + 1}`, each));
    const [node] = nodes;
    if (!node) throw new Error('a service has a node');
    return { nodes, node, links: this.serveFrom(nodes, { quorum, ...options }) };
  }

  /** Starts a service that asks these nodes. */
  serveFrom(
    nodes: readonly NodeHistory[],
    { quorum = 1, ...options }: Omit<LinkServiceOptions, 'nodes'> = {},
  ): PaymentLinks {
    return new PaymentLinks({
      store: this.links,
      reader: this.reader,
      history: historyOf(nodes, { quorum }),
      builder: new TransferBuilder(this.reader, { maxPriorityFeeLamports: 1_000_000n }),
      checksPerSecond: 1_000,
      checkTimeoutMs: 60_000,
      now: () => this.clock.now,
      elapsed: () => this.clock.elapsed,
      ...options,
    });
  }

  /** Makes a link: 10 USDC for bob, once. */
  create(
    links: PaymentLinks,
    changes: Partial<NewPaymentLink> = {},
    owner: LinkOwner = { ownerId: 'key_1', keyId: 'key_1' },
  ): Promise<LinkView> {
    return links.create({ ...tenForBob, ...changes }, owner, never);
  }

  /** Lets time pass, without blocks. */
  later(ms: number): void {
    this.clock.now += ms;
    this.clock.elapsed += ms;
  }

  /** Lets everything that is on the chain become final. */
  finalize(): void {
    this.ledger.advanceSlots(33);
  }

  /** What the chain shows of a link now: after the last check has grown too old. */
  async look(links: PaymentLinks, { link: { id } }: LinkView): Promise<LinkView> {
    this.later(10_000);
    const view = await links.read(id, never);
    if (!view) throw new Error('there is no such link');
    return view;
  }

  /** Asks for the transaction that pays a link, as the wallet of alice, unless told otherwise. */
  async askToPay(
    links: PaymentLinks,
    { link: { id, mint } }: LinkView,
    { who = 'alice', amount, work = new Work() }: { who?: WalletName; amount?: bigint | undefined; work?: Work } = {},
  ): Promise<LinkTransaction> {
    const found = await links.find(id);
    if (!found) throw new Error('there is no such link');
    return links.pay({ ...found, link: inToken(found.link, mint) ?? found.link }, addressOf(who), amount, work);
  }

  /** Takes the transaction of a link, signs it and sends it; returns its signature. */
  async payLink(links: PaymentLinks, view: LinkView, who: WalletName = 'alice', amount?: bigint): Promise<string> {
    this.ledger.advanceSlots(1);
    const { transaction } = await this.askToPay(links, view, { who, amount });
    return this.chain.land({ bytes: transaction }, who);
  }

  /** The instructions of a transfer from alice that carries the reference of a link, as if the service had built it. */
  async instructionsOf(view: LinkView, changes: Partial<TransferRequest> = {}): Promise<readonly Instruction[]> {
    const { bytes } = await this.chain.build({ ...this.requestFor(view), ...changes });
    return decodeTransaction(bytes).instructions.filter(({ program }) => program !== computeBudgetProgram);
  }

  /** Sends instructions in one transaction of alice's, or of others who sign as well. */
  sendAll(instructions: readonly Instruction[], { cosigner }: { cosigner?: WalletName } = {}): string {
    this.ledger.advanceSlots(1);
    const bytes = encodeTransaction({
      version: 'legacy',
      feePayer: addressOf('alice'),
      instructions,
      lifetimeToken: this.ledger.latestBlockhash().blockhash,
      config: undefined,
    });
    return this.chain.land({ bytes }, 'alice', ...(cosigner ? [cosigner] : []));
  }

  /** Sends a transfer from alice that carries the reference of a link. */
  async send(view: LinkView, changes: Partial<TransferRequest> = {}): Promise<string> {
    return this.chain.land(await this.chain.build({ ...this.requestFor(view), ...changes }));
  }

  /** Sends a transaction with the reference of a link that pays nothing. */
  spam({ link }: LinkView): void {
    this.#spam += 1n;
    this.sendAll([lamportsTo(link.reference, 1_000_000n + this.#spam)]);
  }

  /** The stored links, of owners whose keys are not limited. */
  get links(): PaymentLinksOptions['store'] {
    const paymentLinks = this.keys.links;
    return {
      insert: (link, bounds) => paymentLinks.insert(link, bounds),
      find: (id) => paymentLinks.find(id),
      list: (...asked) => paymentLinks.list(...asked),
      cancel: (id, at) => paymentLinks.cancel(id, at),
      noteHandedOut: (id, at, height) => paymentLinks.noteHandedOut(id, at, height),
      reserveRefund: (...asked) => paymentLinks.reserveRefund(...asked),
      noteRefund: (refund) => paymentLinks.noteRefund(refund),
      issue: (built) => paymentLinks.issue(built),
      findIssued: (...asked) => paymentLinks.findIssued(...asked),
      issueSponsored: (...asked) => paymentLinks.issueSponsored(...asked),
      findByReferences: (references) => paymentLinks.findByReferences(references),
      saveCheck: (...input) => paymentLinks.saveCheck(...input),
      listOwnerKeys: async (id) => [{ id, restrictions: unrestricted }],
    };
  }

  /** The bytes of a transaction that pays one base unit more. */
  payByMore(bytes: Uint8Array): Uint8Array {
    const { instructions } = decodeTransaction(bytes);
    const data = instructions.find((each) => each.data.length === 10 && each.data[0] === 12)?.data;
    const changed = Buffer.from(bytes);
    const offset = data ? changed.indexOf(data) : -1;
    if (offset < 0) throw new Error('it has no transfer');
    changed[offset + 1] = (changed[offset + 1] ?? 0) + 1;
    return Uint8Array.from(changed);
  }

  /** What differs, of a transfer that pays a link, from the request of the other tests. */
  requestFor({ link }: LinkView): Partial<TransferRequest> {
    const { recipient, mint, minAmount, reference } = link;
    return { to: recipient, mint, amount: minAmount, references: [reference], createTokenAccount: 'if_missing' };
  }
}

/** What the default link is for. */
const tenForBob: NewPaymentLink = {
  recipient: addressOf('bob'),
  mint: sampleRequest.mint,
  minAmount: tenTokens,
  maxAmount: tenTokens,
  memo: null,
  label: 'Coffee',
  message: null,
  icon: null,
  redirect: null,
  metadata: {},
  otherTokens: [],
  tokensAt: '',
  expiresInSeconds: 3_600,
  isSingleUse: true,
  allowsOffCurveRecipient: false,
  maxSponsorFee: null,
};

/** A mint of the sandbox. */
export function mintOf(scene: LinkScene, name: string): Address {
  const found = scene.chain.mints.find((mint) => mint.name === name);
  if (!found) throw new Error(`there is no mint ${name}`);
  return found.address;
}

/** Alice's instruction to send lamports. */
export function lamportsTo(recipient: Address, lamports = 1_000_000n): Instruction {
  const data = new Uint8Array(12);
  data[0] = 2;
  new DataView(data.buffer).setBigUint64(4, lamports, true);
  return {
    program: systemProgram,
    accounts: [role.writableSigner(addressOf('alice')), role.writable(recipient)],
    data,
  };
}
