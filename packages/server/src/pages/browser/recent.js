import { questionOf } from './outcomes.js';
import { network } from './signing.js';

/** @import { TransferOutcome } from 'splwright-client' */
/** @import { Followed } from './outcomes.js' */

/**
 * What is known of a transaction: no reason, and nothing that tells its memo.
 * @typedef {Pick<TransferOutcome, 'outcome' | 'is_final' | 'signature' | 'slot' | 'block_time' | 'commitment' | 'network_fee' | 'payments'>} KnownOutcome
 */

/**
 * A transfer or a batch that was sent from this browser, or may have been.
 * @typedef {object} RecentEntry
 * @property {string} id
 * @property {'transfer' | 'batch'} kind
 * @property {number} at milliseconds since 1970
 * @property {string} chain
 * @property {string} text
 * @property {(KnownOutcome | null)[]} outcomes one for each transaction; null while nothing is known
 * @property {boolean} isWithWallet whether a wallet was asked to send it and has not said whether it did
 */

/** @typedef {{ transaction: string, last_valid_block_height?: string }} Question what the outcome of a transaction is asked by */

const listName = 'splwright recent';
// The bytes of a transaction have its memo in them: they last as long as the tab, and until their outcome is final.
const bytesName = 'splwright recent bytes';
const maxEntries = 20;

/** What has changed is told by this event of the document. */
export const recentEvent = 'splwright-recent';

/**
 * The newest first, of this network.
 * @returns {RecentEntry[]}
 */
export function recentEntries() {
  const list = read(localStorage, listName);
  return Array.isArray(list) ? list.filter(({ chain }) => chain === network.chain) : [];
}

/**
 * What the outcomes of an entry's transactions are asked by; nothing in another tab, and once they are final.
 * @param {string} id
 * @returns {Question[] | undefined}
 */
export function questionsOf(id) {
  return read(sessionStorage, bytesName)?.[id];
}

/** Forgets every entry, of all networks. */
export function clearRecent() {
  localStorage.removeItem(listName);
  sessionStorage.removeItem(bytesName);
  document.dispatchEvent(new Event(recentEvent));
}

/**
 * Keeps what is known of the transactions of an entry, if there is such an entry.
 * @param {string} id
 * @param {(TransferOutcome | undefined)[]} outcomes
 */
export function noteOutcomes(id, outcomes) {
  const entry = recentEntries().find((each) => each.id === id);
  if (!entry) return;
  const known = entry.outcomes.map((before, index) => {
    const now = knownOf(outcomes[index]);
    // A node that lags, asked by bytes without a signature, does not take back what was seen.
    const isDoubt = now?.outcome === 'pending' || now?.outcome === 'unknown';
    // A wallet that has not answered may still send it, with a newer blockhash.
    if (entry.isWithWallet && now?.outcome === 'expired') return before;
    return now === undefined || (isDoubt && before?.signature) ? before : now;
  });
  if (JSON.stringify(known) === JSON.stringify(entry.outcomes)) return;
  keep({ ...entry, outcomes: known });
  if (known.every((outcome) => outcome?.is_final)) keepQuestions(id, undefined);
}

/**
 * Where a transfer or a batch is now, in a word or two.
 * @param {RecentEntry} entry
 */
export function stateOf({ outcomes }) {
  const isFinal = outcomes.every((outcome) => outcome?.is_final);
  const landed = outcomes.filter((outcome) => outcome?.outcome === 'landed').length;
  if (landed === outcomes.length) return isFinal ? 'final' : 'landed';
  if (outcomes.length > 1) return `${landed}/${outcomes.length} landed`;
  const name = outcomes[0]?.outcome ?? 'pending';
  return name === 'pending' ? 'sent' : name;
}

/**
 * What is told of transactions that are signed and sent.
 * @typedef {object} Tracker
 * @property {(transactions: readonly Followed[], isWithWallet?: boolean) => void} onSend before a signer is asked, and again as they were sent: signed bytes are found at once
 * @property {() => void} onNotSent when the signer has refused, and nothing was sent
 * @property {(outcomes: (TransferOutcome | undefined)[]) => void} onOutcomes
 */

/**
 * Keeps a transfer or a batch from the moment on at which it may have been sent.
 * @param {{ kind: 'transfer' | 'batch', text: string, id?: string }} what
 * @param {readonly Followed[]} built
 * @returns {Tracker}
 */
export function trackSending({ kind, text, id = newId() }, built) {
  const add = (/** @type {readonly Followed[]} */ transactions, isWithWallet = false) => {
    const questions = transactions.map(questionOf);
    const known = recentEntries().find((each) => each.id === id);
    const outcomes = questions.map((_, index) => known?.outcomes[index] ?? null);
    keepQuestions(id, questions);
    keep({ id, kind, text, at: known?.at ?? Date.now(), chain: network.chain, outcomes, isWithWallet });
  };
  return {
    onSend: add,
    onNotSent: () => forget(id),
    onOutcomes: (outcomes) => {
      // Others may have sent what was built here.
      const isSeen = outcomes.some((each) => each?.outcome === 'landed' || each?.outcome === 'failed');
      if (isSeen && !recentEntries().some((each) => each.id === id)) add(built);
      noteOutcomes(id, outcomes);
    },
  };
}

/** @param {RecentEntry} entry */
function keep(entry) {
  const others = (read(localStorage, listName) ?? []).filter((/** @type {RecentEntry} */ { id }) => id !== entry.id);
  const list = [entry, ...others].sort((a, b) => b.at - a.at).slice(0, maxEntries);
  write(localStorage, listName, list);
}

/** @param {string} id */
function forget(id) {
  const list = read(localStorage, listName) ?? [];
  write(
    localStorage,
    listName,
    list.filter((/** @type {RecentEntry} */ each) => each.id !== id),
  );
  keepQuestions(id, undefined);
}

/**
 * @param {string} id
 * @param {Question[] | undefined} questions
 */
function keepQuestions(id, questions) {
  const { [id]: _, ...others } = read(sessionStorage, bytesName) ?? {};
  write(sessionStorage, bytesName, questions ? { ...others, [id]: questions } : others);
}

/**
 * @param {TransferOutcome | undefined} outcome
 * @returns {KnownOutcome | undefined}
 */
function knownOf(outcome) {
  if (!outcome) return undefined;
  const { outcome: name, is_final, signature, slot, block_time, commitment, network_fee, payments } = outcome;
  // A member that is absent is left out of the JSON.
  return JSON.parse(
    JSON.stringify({ outcome: name, is_final, signature, slot, block_time, commitment, network_fee, payments }),
  );
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (each) => each.toString(36)).join('-');
}

/**
 * @param {Storage} storage
 * @param {string} name
 */
function read(storage, name) {
  try {
    return JSON.parse(storage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes what the browser has room for: the list is a help, and nothing depends on it.
 * @param {Storage} storage
 * @param {string} name
 * @param {unknown} value
 */
function write(storage, name, value) {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    storage.removeItem(name);
  }
  document.dispatchEvent(new Event(recentEvent));
}
