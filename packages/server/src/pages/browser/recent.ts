import type { TransferOutcome } from 'splwright-client';
import { type Followed, type Question, questionOf } from './outcomes.ts';
import { network } from './sandbox.ts';

/** The part of an outcome that is kept: nothing that tells a memo, or changes with every block. */
export type KnownOutcome = Omit<TransferOutcome, 'reason' | 'block_height' | 'last_valid_block_height'>;

/** A transfer or a batch that was sent from this browser, or may have been. */
export interface RecentEntry {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  chain: string;
  text: string;
  /** One for each transaction; null while nothing is known. */
  outcomes: readonly (KnownOutcome | null)[];
  /** Whether a wallet was asked to send it and has not said whether it did. */
  isWithWallet: boolean;
}

const listName = 'splwright recent';
// The bytes of a transaction have its memo in them: they last as long as the tab, and until their outcome is final.
const bytesName = 'splwright recent bytes';
const maxEntries = 20;

/** The event of the document that tells of changes. */
export const recentEvent = 'splwright-recent';

/** The newest first, of this network, and those made while no node said which it is. */
export function recentEntries(): readonly RecentEntry[] {
  return allEntries().filter(({ chain }) => chain === network.chain || chain === '');
}

/** The requests for the outcomes of an entry's transactions; none in another tab, and none once they are final. */
export function questionsOf(id: string): readonly Question[] {
  return allQuestions()[id] ?? [];
}

/** Forgets every entry, of all networks. */
export function clearRecent(): void {
  remove('localStorage', listName);
  remove('sessionStorage', bytesName);
  document.dispatchEvent(new Event(recentEvent));
}

/** Keeps what is known of the transactions of an entry, if there is such an entry. */
export function noteOutcomes(id: string, outcomes: readonly (TransferOutcome | undefined)[]): void {
  const entry = entryCalled(id);
  if (!entry) return;
  const known = entry.outcomes.map((before, index) => {
    const now = outcomes[index];
    // A node that lags, asked by bytes without a signature, does not take back what was seen.
    const isDoubt = now?.outcome === 'pending' || now?.outcome === 'unknown';
    // A wallet that has not answered may still send it, with a newer blockhash.
    const isUncertain = entry.isWithWallet && now?.outcome === 'expired';
    return now === undefined || isUncertain || (isDoubt && before?.signature) ? before : knownOf(now);
  });
  if (JSON.stringify(known) === JSON.stringify(entry.outcomes)) return;
  keep({ ...entry, outcomes: known });
  if (known.every((outcome) => outcome?.is_final)) keepQuestions(id, undefined);
}

function knownOf(outcome: TransferOutcome): KnownOutcome {
  const { reason: _reason, block_height: _height, last_valid_block_height: _lastHeight, ...known } = outcome;
  return known;
}

/** Where transactions are now, in a word or two. */
export function stateOf(outcomes: RecentEntry['outcomes']): string {
  const isFinal = outcomes.every((outcome) => outcome?.is_final);
  const landed = outcomes.filter((outcome) => outcome?.outcome === 'landed').length;
  if (landed === outcomes.length) return isFinal ? 'final' : 'landed';
  if (outcomes.length > 1) return `${landed}/${outcomes.length} landed`;
  const name = outcomes[0]?.outcome ?? 'pending';
  return name === 'pending' ? 'sent' : name;
}

/** Follows transactions that are signed and sent. */
export interface Tracker {
  /** Before a signer is asked, and again as they were sent: signed bytes are found at once. */
  onSend: (transactions: readonly Followed[], isWithWallet?: boolean) => void;
  /** When the signer has refused, and nothing was sent. */
  onNotSent: () => void;
  onOutcomes: (outcomes: readonly (TransferOutcome | undefined)[]) => void;
}

/** Keeps a transfer or a batch from the moment on at which it may have been sent. */
export function trackSending(
  { text, id = newId() }: { text: string; id?: string },
  built: readonly Followed[],
): Tracker {
  const onSend = (transactions: readonly Followed[], isWithWallet = false) => {
    const questions = transactions.map(questionOf);
    const known = entryCalled(id);
    const outcomes = questions.map((_, index) => known?.outcomes[index] ?? null);
    keepQuestions(id, questions);
    keep({ id, text, at: known?.at ?? Date.now(), chain: network.chain, outcomes, isWithWallet });
  };
  return {
    onSend,
    onNotSent: () => {
      write('localStorage', listName, entriesBut(id));
      keepQuestions(id, undefined);
    },
    onOutcomes: (outcomes) => {
      // Others may have sent what was built here.
      const isSeen = outcomes.some((each) => each?.outcome === 'landed' || each?.outcome === 'failed');
      if (isSeen && !entryCalled(id)) onSend(built);
      noteOutcomes(id, outcomes);
    },
  };
}

function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (each) => each.toString(36)).join('-');
}

function allEntries(): readonly RecentEntry[] {
  const list = read('localStorage', listName);
  return Array.isArray(list) ? list : [];
}

function entryCalled(id: string): RecentEntry | undefined {
  return recentEntries().find((each) => each.id === id);
}

function entriesBut(id: string): readonly RecentEntry[] {
  return allEntries().filter((each) => each.id !== id);
}

function keep(entry: RecentEntry): void {
  const list = [entry, ...entriesBut(entry.id)].sort((one, other) => other.at - one.at);
  write('localStorage', listName, list.slice(0, maxEntries));
}

function allQuestions(): Readonly<Record<string, readonly Question[]>> {
  return Object(read('sessionStorage', bytesName));
}

function keepQuestions(id: string, questions: readonly Question[] | undefined): void {
  write('sessionStorage', bytesName, { ...allQuestions(), [id]: questions });
}

// Named, as reading them throws where a browser keeps nothing.
type StorageArea = 'localStorage' | 'sessionStorage';

function read(area: StorageArea, name: string): unknown {
  try {
    return JSON.parse(globalThis[area].getItem(name) ?? 'null');
  } catch {
    return undefined;
  }
}

function remove(area: StorageArea, name: string): void {
  try {
    globalThis[area].removeItem(name);
  } catch {
    // There is none.
  }
}

/** Writes what the browser has room for: the list is a help, and nothing depends on it. */
function write(area: StorageArea, name: string, value: unknown): void {
  try {
    globalThis[area].setItem(name, JSON.stringify(value));
  } catch {
    remove(area, name);
  }
  document.dispatchEvent(new Event(recentEvent));
}
