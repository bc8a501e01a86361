import { make, makeButton } from './dom.ts';

/** A row of a list of payments. */
export interface RecordRow {
  id: string;
  title: string;
  /** In a word or two. */
  state: string;
  tone: 'good' | 'bad' | 'still';
  detail: string;
  /** When it was made. */
  at: string | number;
  onClick: () => void;
}

interface RecordList {
  /** Has the focus when the list is emptied. */
  heading: HTMLElement;
  /** Shown while there are no rows. */
  none: HTMLElement;
  show: (rows: readonly RecordRow[]) => void;
}

/** A list of payments below the form, with a title and a button. It is empty, and says so, until rows are shown. */
export function makeRecords(list: { id: string; title: string; empty: string; button: HTMLElement }): RecordList {
  const items = make('ul', {});
  const none = make('p', { class: 'hint' }, list.empty);
  const heading = make('h2', { id: list.id, tabindex: '-1' }, list.title);
  const head = make('div', { class: 'records-head' }, heading, list.button);
  const section = make('section', { class: 'records', 'aria-labelledby': list.id }, head, none, items);
  document.querySelector('main')?.append(section);
  return {
    heading,
    none,
    show: (rows) => {
      const focused = items.querySelector<HTMLElement>(':focus')?.dataset.id;
      none.hidden = rows.length > 0;
      items.replaceChildren(...rows.map((row) => make('li', {}, rowButton(row))));
      // A list that is drawn again keeps the place of whoever reads it by keyboard.
      if (focused) items.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
    },
  };
}

function rowButton({ id, title, state, tone, detail, at, onClick }: RecordRow): HTMLElement {
  const button = makeButton('', 'record', onClick);
  button.dataset.id = id;
  button.append(
    make('bdi', { class: 'record-title' }, title),
    make('span', { class: 'state', 'data-tone': tone }, state),
    make('bdi', { class: 'record-detail' }, detail),
    make('time', { datetime: new Date(at).toISOString() }, timeText(at)),
  );
  return button;
}

/** A time in the reader's own words; with its seconds, as what happens to a payment is seconds apart. */
export function timeText(time: string | number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
