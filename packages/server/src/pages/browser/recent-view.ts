import type { TransferOutcome } from 'splwright-client';
import { copyable, make, makeButton } from './dom.ts';
import { describeKnown, outcomeTitles } from './outcome-view.ts';
import { outcomePath, type Question } from './outcomes.ts';
import {
  clearRecent,
  noteOutcomes,
  questionsOf,
  type RecentEntry,
  recentEntries,
  recentEvent,
  stateOf,
} from './recent.ts';
import { makeRecords, type RecordRow } from './records.ts';
import { replyNow, showReply } from './reply-view.ts';
import { ask } from './service.ts';

const maxAsked = 100;
const tones: Readonly<Record<string, RecordRow['tone']>> = {
  final: 'good',
  landed: 'good',
  failed: 'bad',
  expired: 'bad',
};

/** Shows below the form what was sent from this browser, now and while it changes. */
export function showRecent(): void {
  const clear = makeButton('Clear', 'quiet', () => {
    clearRecent();
    list.heading.focus();
  });
  const list = makeRecords({
    id: 'recent-title',
    title: 'Recent in this browser',
    empty: 'Payments you send appear here. Memos and the API key are not kept.',
    button: clear,
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
  for (const entry of recentEntries()) refresh(entry);
}

function rowOf({ id, text, at, outcomes }: RecentEntry): RecordRow {
  const state = stateOf(outcomes);
  const signature = outcomes.length === 1 ? outcomes[0]?.signature : undefined;
  const detail = signature ? `${signature.slice(0, 8)}…` : '';
  return { id, title: text, state, tone: tones[state] ?? 'still', detail, at, onClick: () => showEntry(id) };
}

/** A refreshed entry, with the reason of its first outcome, or why it could not be asked for. */
interface Refreshed {
  found?: TransferOutcome | undefined;
  doubt?: string | undefined;
}

/** Asks once for what is not final yet. */
async function refresh({ id, outcomes }: RecentEntry): Promise<Refreshed> {
  if (outcomes.every((outcome) => outcome?.is_final)) return {};
  const asked = questionsOf(id)
    .map((question, index) => ({ question, index }))
    .filter(({ index }) => !outcomes[index]?.is_final)
    .slice(0, maxAsked);
  if (asked.length === 0) return { doubt: unaskedNote };
  const transactions: readonly Question[] = asked.map(({ question }) => question);
  const reply = await ask<{ data: readonly TransferOutcome[] }>('POST', outcomePath, { transactions });
  if (!reply.ok) return { doubt: reply.body.detail ?? reply.body.title };
  const found = outcomes.map((_, index) => reply.body.data[asked.findIndex((each) => each.index === index)]);
  noteOutcomes(id, found);
  return { found: found[0] };
}

/** Shows what became of an entry: asked for now, as far as it is not final. */
async function showEntry(id: string): Promise<void> {
  const find = () => recentEntries().find((each) => each.id === id);
  const before = find();
  if (!before) return;
  const isLatest = replyNow();
  const { found, doubt } = await refresh(before);
  if (!isLatest()) return;
  const entry = find() ?? before;
  const { text, outcomes, isWithWallet } = entry;
  const [only = null] = outcomes;
  const hint = doubt === undefined ? undefined : make('p', { class: 'hint' }, doubt);
  if (outcomes.length > 1) {
    const title = make('p', { class: 'sentence' }, `${text}: ${stateOf(outcomes)}`);
    return showReply(() => [title, hint, listParts(outcomes)]);
  }
  const title = only ? outcomeTitles[only.outcome] : isWithWallet ? unansweredNote : 'It was sent, or may have been.';
  const reason = found && found.outcome === only?.outcome ? ` ${found.reason}` : '';
  showReply(() => [
    make('p', { class: 'sentence' }, title),
    make('p', {}, `${text}.${reason}`),
    hint,
    only ? describeKnown(only) : make('p', { class: 'hint' }, 'Its outcome is not known in this browser.'),
  ]);
}

const unaskedNote = 'Only the tab that sent it still has the bytes. Paste the transaction into Outcome to check again.';

const unansweredNote = 'A wallet was asked to send it and has not answered. It may still land.';

function listParts(outcomes: RecentEntry['outcomes']): HTMLElement {
  const items = outcomes.map((outcome, index) => {
    const signature = outcome?.signature;
    const shown = signature ? copyable(`the signature of transaction ${index + 1}`, signature) : undefined;
    return make('li', {}, make('b', {}, stateOf([outcome])), shown && ' ', shown);
  });
  return make('ol', { class: 'parts' }, ...items);
}
