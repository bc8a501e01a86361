import type { Commitment, HistoryEntry, NodeHistory } from '../chain/chain-history.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import { type CreditedAccount, creditIn, type SeenCredit } from './credit-in.ts';

/** How far the history of a token account was read. */
export interface ScanPosition {
  /** Of this transaction and those before it everything is known; `null` before the first scan. */
  knownSignature: string | null;
  /** What is in an earlier slot is of no interest. */
  sinceSlot: bigint;
  /** While more is to be read than one scan reads: the oldest transaction that was read. */
  resumeBefore: string | null;
}

/** A credit as a node shows it. */
export interface ListedCredit extends SeenCredit {
  signature: string;
  slot: bigint;
  /** Seconds since 1970. */
  blockTime: bigint | null;
  commitment: Exclude<Commitment, 'processed'>;
}

/** What one scan of a token account found. */
export interface AccountScan {
  /** The transactions that were read of the list, the newest first. */
  entries: readonly HistoryEntry[];
  /** Credits that were read now. */
  credits: readonly ListedCredit[];
  /** The signatures of what the node could not show. */
  hidden: ReadonlySet<string>;
  /** Whether the list reaches to what was known before. */
  isWhole: boolean;
}

const pageSize = 1_000;
const maxPages = 3;
const maxTransactionsPerScan = 200;
const readsAtOnce = 8;

/**
 * Reads what is new in the history of a token account at one node.
 *
 * `isExamined`: whether a transaction was read before, so that it need not be read again. Throws the `UpstreamFault` of the node.
 */
export async function scanAccount(
  node: NodeHistory,
  account: CreditedAccount,
  position: ScanPosition,
  isExamined: (entry: HistoryEntry) => boolean,
  deadline: Deadline,
): Promise<AccountScan> {
  const { entries, isWhole } = await readNew(node, account, position, deadline);
  const unread = entries.filter((entry) => {
    return entry.error === null && entry.commitment !== 'processed' && !isExamined(entry);
  });
  const chosen = unread.slice(-maxTransactionsPerScan);
  const hidden = new Set(unread.slice(0, -maxTransactionsPerScan).map(({ signature }) => signature));
  const credits: ListedCredit[] = [];
  const read = async ({ signature, slot, blockTime, commitment }: HistoryEntry): Promise<void> => {
    const landed = await node.readTransaction(signature, deadline);
    const seen = landed && landed.error === null ? creditIn(account, landed) : 'not_shown';
    if (seen === 'not_shown') hidden.add(signature);
    else if (seen !== 'none') {
      const certainty = commitment === 'finalized' ? commitment : 'confirmed';
      credits.push({ ...seen, signature, slot, blockTime, commitment: certainty });
    }
  };
  for (let start = 0; start < chosen.length; start += readsAtOnce) {
    await Promise.all(chosen.slice(start, start + readsAtOnce).map(read));
  }
  return { entries, credits, hidden, isWhole };
}

async function readNew(
  node: NodeHistory,
  { tokenAccount }: CreditedAccount,
  { knownSignature, sinceSlot, resumeBefore }: ScanPosition,
  deadline: Deadline,
): Promise<Pick<AccountScan, 'entries' | 'isWhole'>> {
  const entries: HistoryEntry[] = [];
  let before = resumeBefore ?? undefined;
  for (let page = 0; page < maxPages; page++) {
    const read = await node.readSignatures(
      tokenAccount,
      { ...(before !== undefined && { before }), ...(knownSignature !== null && { until: knownSignature }), limit: pageSize },
      deadline,
    );
    const wanted = read.filter(({ slot }) => slot >= sinceSlot);
    entries.push(...wanted);
    const last = read.at(-1);
    if (read.length < pageSize || !last || wanted.length < read.length) return { entries, isWhole: true };
    before = last.signature;
  }
  return { entries, isWhole: false };
}
