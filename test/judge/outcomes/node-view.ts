import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import type { Address as CoreAddress } from '../../../packages/core/src/addresses/address.ts';
import { toUiMeta, toUiTransaction } from '../../../packages/sandbox/src/rpc/wire/transaction-encoding.ts';
import type {
  FinalizedHeight,
  HistoryEntry,
  HistoryPage,
  LandedTransaction,
  NodeHistory,
  NonceAtSlot,
  SignatureStatus,
  StatusesAtSlot,
} from '../../../packages/server/src/chain/chain-history.ts';
import type { Deadline } from '../../../packages/server/src/chain/chain-reader.ts';
import { readTransactionResult } from '../../../packages/server/src/chain/landed-transaction.ts';
import { malformed, nonsense, unavailable } from '../../../packages/server/src/chain/upstream-faults.ts';
import { type Cluster, type Landed, slotsToFinalize } from './cluster.ts';
import { blocksWithoutIndex, type NodeMethod, type NodeWorld } from './node-world.ts';

const blockhashLife = 150n;

/** What happens while a node is asked: called before each answer. */
type Meddler = (method: NodeMethod) => void;

/** One node's view of a cluster: as late, as forgetful and as dishonest as its world says. */
export class NodeView implements NodeHistory {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #world: NodeWorld;
  /** The newest slot of the ledger when the world began. */
  readonly #beginning: bigint;
  /** The account of which it lists payments of others. */
  readonly #busyAccount: string;
  meddle: Meddler = () => undefined;

  constructor(
    name: string,
    cluster: Cluster,
    world: NodeWorld,
    { beginning, busyAccount }: { beginning: bigint; busyAccount: string },
  ) {
    this.name = name;
    this.#cluster = cluster;
    this.#world = world;
    this.#beginning = beginning;
    this.#busyAccount = busyAccount;
  }

  /** Its newest slot, as the ledger counts; processed, or confirmed. */
  tip(commitment: 'processed' | 'confirmed' = 'confirmed'): bigint {
    const processed = this.#cluster.tip - BigInt(this.#world.lag);
    return commitment === 'processed' ? processed : processed - BigInt(this.#world.unconfirmed);
  }

  /** Its newest final slot, as the ledger counts. */
  get finalTip(): bigint {
    return this.tip('processed') - slotsToFinalize;
  }

  /** The first slot of the ledger that it has; `undefined` where it has all. */
  get firstKept(): bigint | undefined {
    const { prunedBefore } = this.#world;
    return prunedBefore === undefined ? undefined : this.#beginning + BigInt(prunedBefore);
  }

  /** Says whether it tells of a transaction that is not too new for it. */
  knows({ record }: Landed): boolean {
    if (this.firstKept !== undefined && record.slot < this.firstKept) return false;
    switch (this.#world.omits) {
      case 'nothing':
        return true;
      case 'everything':
        return false;
      case 'every_second':
        return this.#cluster.landed.findIndex((each) => each.record === record) % 2 === 0;
      case 'the_newest':
        return record.slot <= this.tip() - blocksWithoutIndex;
    }
  }

  async readFinalizedHeight(_deadline: Deadline): Promise<FinalizedHeight> {
    this.#ask('readFinalizedHeight');
    return { slot: this.#cluster.slotOf(this.finalTip), blockHeight: this.#cluster.heightOf(this.finalTip) };
  }

  async readFirstAvailableSlot(_deadline: Deadline): Promise<bigint> {
    this.#ask('readFirstAvailableSlot');
    return this.firstKept === undefined ? 0n : this.#cluster.slotOf(this.firstKept);
  }

  async readStatuses(signatures: readonly string[], _deadline: Deadline): Promise<StatusesAtSlot> {
    this.#ask('readStatuses');
    if (signatures.length === 0 || signatures.length > 256)
      throw malformed('it was asked for no signatures, or too many');
    const statuses = signatures.map((signature): SignatureStatus | null => {
      const found = this.#cluster.landed.find(({ record }) => record.signature === signature);
      if (!found || !this.knows(found) || found.record.slot > this.tip('processed')) return null;
      return this.#statusOf(found);
    });
    return { slot: this.#cluster.slotOf(this.tip('processed')), statuses };
  }

  async readSignatures(
    address: CoreAddress,
    { before, until, minContextSlot = 0n, limit = 1_000 }: HistoryPage,
    _deadline: Deadline,
  ): Promise<readonly HistoryEntry[]> {
    this.#ask('readSignatures');
    if (limit < 1 || limit > 1_000) throw malformed(`it was asked for ${limit} signatures`);
    if (minContextSlot > this.#cluster.slotOf(this.tip())) throw unavailable('node', 'it is behind the slot asked for');
    const entries = this.#entriesOf(address);
    const start = before === undefined ? 0 : entries.findIndex(({ signature }) => signature === before) + 1;
    if (start === 0 && before !== undefined) return [];
    const known = entries.findIndex(({ signature }) => signature === until);
    return entries.slice(start, Math.min(start + limit, known === -1 ? entries.length : known));
  }

  async readTransaction(signature: string, _deadline: Deadline): Promise<LandedTransaction | null> {
    this.#ask('readTransaction');
    const found = this.#cluster.landed.find(({ record }) => record.signature === signature);
    if (!found || !this.knows(found) || found.record.slot > this.tip()) return null;
    return readTransactionResult(shownOf(found, this.#world.leavesOut), signature);
  }

  async readBlockHeight(slot: bigint, _deadline: Deadline): Promise<bigint | null> {
    this.#ask('readBlockHeight');
    const ledgerSlot = this.#cluster.ledgerSlotOf(slot);
    const isKept = ledgerSlot !== undefined && ledgerSlot <= this.tip() && ledgerSlot >= (this.firstKept ?? 0n);
    return isKept ? this.#cluster.heightOf(ledgerSlot) : null;
  }

  async readNonce(account: CoreAddress, _deadline: Deadline): Promise<NonceAtSlot> {
    this.#ask('readNonce');
    void account;
    return { slot: this.#cluster.slotOf(this.tip()), nonce: this.#cluster.nonceAt(this.tip()) };
  }

  async isBlockhashAlive(blockhash: string, _deadline: Deadline): Promise<boolean> {
    this.#ask('isBlockhashAlive');
    return this.holdsAlive(blockhash);
  }

  /** Says whether its newest block, or its newest final one, takes transactions of a blockhash. */
  holdsAlive(blockhash: string): boolean {
    return [this.tip('processed'), this.finalTip].some((newest) => {
      for (let age = 0n; age <= blockhashLife; age += 1n) {
        if (this.#cluster.ledger.block(newest - age)?.blockhash === blockhash) return true;
      }
      return false;
    });
  }

  #ask(method: NodeMethod): void {
    this.meddle(method);
    if (!this.#world.fails.includes(method)) return;
    throw this.#world.refuses
      ? nonsense('refused', 'it does not take this call')
      : unavailable('connection', 'it could not be reached');
  }

  #statusOf({ record, slot }: Landed): SignatureStatus {
    const commitment =
      record.slot <= this.finalTip ? 'finalized' : record.slot <= this.tip() ? 'confirmed' : 'processed';
    return { slot, error: record.error, commitment };
  }

  #entriesOf(address: string): HistoryEntry[] {
    const entries = this.#cluster.landed
      .filter((landed) => landed.record.addresses.some((each) => each === address))
      .filter((landed) => this.knows(landed) && landed.record.slot <= this.tip())
      .map((landed): HistoryEntry => {
        const { signature, memo, blockTime } = landed.record;
        return { signature, memo, blockTime, ...this.#statusOf(landed) };
      });
    if (address === this.#busyAccount && this.#world.busy > 0) {
      entries.push(...spamOf(this.#world.busy, this.#cluster, { from: this.#beginning, to: this.tip() }));
      entries.sort((one, other) => Number(one.slot - other.slot));
    }
    return entries.reverse();
  }
}

/** The result of `getTransaction` with base64, as far as it is read, in JSON. */
function shownOf({ record, slot }: Landed, leavesOut: NodeWorld['leavesOut']): unknown {
  // Some nodes say that they kept none, and some list none.
  const noBalances = slot % 2n === 0n ? null : [];
  const meta = {
    ...Object(toUiMeta(record, 'base64')),
    ...(leavesOut.includes('calls') && { innerInstructions: null }),
    ...(leavesOut.includes('balances') && { preTokenBalances: noBalances, postTokenBalances: noBalances }),
  };
  const { blockTime } = record;
  const shown = { slot, blockTime, transaction: toUiTransaction(record, 'base64'), meta };
  return JSON.parse(JSON.stringify(shown, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));
}

/** Payments of others that a node lists, spread evenly over slots of the ledger, oldest first; each has a memo of its own. */
function spamOf(count: number, cluster: Cluster, { from, to }: { from: bigint; to: bigint }): HistoryEntry[] {
  const span = to > from ? to - from : 1n;
  return Array.from({ length: count }, (_, index) => {
    const ledgerSlot = from + (BigInt(index) * span) / BigInt(count);
    return {
      signature: signatureOf(index),
      slot: cluster.slotOf(ledgerSlot),
      error: null,
      commitment: 'confirmed',
      memo: `[${`spam ${index}`.length}] spam ${index}`,
      blockTime: null,
    };
  });
}

const signatures: string[] = [];

function signatureOf(index: number): string {
  signatures[index] ??= getBase58Decoder().decode(createHash('sha512').update(`spam ${index}`).digest());
  return signatures[index];
}
