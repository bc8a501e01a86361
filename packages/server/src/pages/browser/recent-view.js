import { copyable } from './copy-button.js';
import { make, makeButton } from './make.js';
import { describeKnown, outcomeTitles } from './outcome-view.js';
import { clearRecent, noteOutcomes, questionsOf, recentEntries, recentEvent, stateOf } from './recent.js';
import { makeRecords } from './records.js';
import { showReply } from './reply-view.js';
import { ask } from './service.js';

/** @import { TransferOutcome } from 'splwright-client' */
/** @import { KnownOutcome, RecentEntry } from './recent.js' */

const path = '/v1/transfers/outcome';
const maxAsked = 100;
/** @type {Readonly<Record<string, string>>} */
const tones = { final: 'good', landed: 'good', failed: 'bad', expired: 'bad' };

/** Shows below the form what was sent from this browser, now and while it changes. */
export function showRecent() {
  const clear = makeButton('Clear', 'quiet', () => {
    clearRecent();
    list.heading.focus();
  });
  const list = makeRecords({
    id: 'recent-title',
    title: 'Recent in this browser',
    empty: 'What you send from here is listed here. Memos and the API key are not kept.',
    buttons: [clear],
  });
  const show = () => {
    const entries = recentEntries();
    clear.hidden = entries.length === 0;
    list.show(entries.map(rowOf));
  };
  show();
  document.addEventListener(recentEvent, show);
  // What another tab has sent.
  addEventListener('storage', show);
  for (const entry of recentEntries().filter(isOpen)) refresh(entry);
}

/** @param {RecentEntry} entry */
function rowOf(entry) {
  const state = stateOf(entry);
  const [signature] = entry.outcomes.flatMap((outcome) => outcome?.signature ?? []);
  return {
    id: entry.id,
    title: entry.text,
    state,
    tone: tones[state] ?? 'still',
    detail: signature && entry.outcomes.length === 1 ? `${signature.slice(0, 8)}…` : '',
    at: entry.at,
    onClick: () => showEntry(entry.id),
  };
}

/** @param {RecentEntry} entry */
function isOpen({ outcomes }) {
  return outcomes.some((outcome) => !outcome?.is_final);
}

/**
 * Asks for what is not final yet, once. Returns the outcomes, or the reply that is a refusal; nothing where there is nothing to ask by.
 * @param {RecentEntry} entry
 */
async function refresh({ id, outcomes }) {
  const asked = (questionsOf(id) ?? []).flatMap((question, index) =>
    outcomes[index]?.is_final ? [] : [{ question, index }],
  );
  if (asked.length === 0) return undefined;
  const some = asked.slice(0, maxAsked);
  const reply = await ask('POST', path, { transactions: some.map(({ question }) => question) });
  if (!reply.ok) return { reply };
  /** @type {(TransferOutcome | undefined)[]} */
  const found = outcomes.map(() => undefined);
  for (const [at, { index }] of some.entries()) found[index] = reply.body.data[at];
  noteOutcomes(id, found);
  return { found };
}

/**
 * Shows what became of an entry: asked for now, as far as it is not final.
 * @param {string} id
 */
async function showEntry(id) {
  const find = () => recentEntries().find((each) => each.id === id);
  const before = find();
  if (!before) return;
  const answer = await refresh(before);
  const entry = find() ?? before;
  const doubt = answer?.reply ? (answer.reply.body.detail ?? answer.reply.body.title) : unaskedNote;
  const isInDoubt = isOpen(entry) && !answer?.found;
  showReply(() => [
    ...describeEntry(entry, answer?.found?.[0]),
    ...(isInDoubt ? [make('p', { class: 'hint' }, doubt)] : []),
    entry.outcomes.length === 1 ? describeKnown(entry.outcomes[0]) : listParts(entry.outcomes),
  ]);
}

const unaskedNote =
  'The bytes stay in the tab that sent them. Paste the transaction into Outcome to ask again what became of it.';

const unansweredNote = 'A wallet was asked to send it, and has not said whether it did. It may still land.';

/**
 * What was sent, and what became of it.
 * @param {RecentEntry} entry
 * @param {TransferOutcome | undefined} found what was asked for just now of its only transaction
 */
function describeEntry(entry, found) {
  const [only = null] = entry.outcomes;
  const reason = found?.outcome === only?.outcome ? found?.reason : undefined;
  if (entry.outcomes.length > 1) return [make('p', { class: 'sentence' }, `${entry.text}: ${stateOf(entry)}`)];
  return [
    make(
      'p',
      { class: 'sentence' },
      only ? outcomeTitles[only.outcome] : entry.isWithWallet ? unansweredNote : 'It was sent.',
    ),
    make('p', {}, `${entry.text}.${reason === undefined ? '' : ` ${reason}`}`),
  ];
}

/** @param {readonly (KnownOutcome | null)[]} outcomes */
function listParts(outcomes) {
  const items = outcomes.map((outcome, index) => {
    const name = stateOf({
      id: '',
      kind: 'transfer',
      at: 0,
      chain: '',
      text: '',
      outcomes: [outcome],
      isWithWallet: false,
    });
    const signature = outcome?.signature;
    const shown = signature ? copyable(`the signature of transaction ${index + 1}`, signature) : undefined;
    return make('li', {}, make('b', {}, name), shown && ' ', shown);
  });
  return make('ol', { class: 'parts' }, ...items);
}
