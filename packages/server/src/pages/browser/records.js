import { make } from './make.js';

/**
 * A row of a list of payments.
 * @typedef {object} RecordRow
 * @property {string} id
 * @property {string} title
 * @property {string} state in a word or two
 * @property {string} [tone] how it is colored: `good`, `bad` or `still`
 * @property {string} detail
 * @property {string | number} at when it was made
 * @property {() => void} onClick
 */

/**
 * A list of payments below the form, with a title and a row of buttons. It is empty, and says so, until rows are shown.
 * @param {{ id: string, title: string, empty: string, buttons: readonly HTMLElement[] }} list
 */
export function makeRecords({ id, title, empty, buttons }) {
  const items = make('ul', {});
  const none = make('p', { class: 'hint' }, empty);
  const heading = make('h2', { id, tabindex: '-1' }, title);
  const head = make('div', { class: 'records-head' }, heading, ...buttons);
  const section = make('section', { class: 'records', 'aria-labelledby': id }, head, none, items);
  document.querySelector('main')?.append(section);
  return {
    heading,
    none,
    /** @param {readonly RecordRow[]} rows */
    show: (rows) => {
      const focused = /** @type {HTMLElement | null} */ (items.querySelector(':focus'))?.dataset.id;
      none.hidden = rows.length > 0;
      items.replaceChildren(...rows.map((row) => make('li', {}, rowButton(row))));
      // A list that is drawn again keeps the place of whoever reads it by keyboard.
      /** @type {HTMLElement | undefined} */
      const again = focused === undefined ? undefined : buttonsOf(items).find(({ dataset }) => dataset.id === focused);
      again?.focus();
    },
  };
}

/** @param {HTMLElement} list */
function buttonsOf(list) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('button'))];
}

/** @param {RecordRow} row */
function rowButton({ id, title, state, tone = 'still', detail, at, onClick }) {
  const date = new Date(at);
  const button = make(
    'button',
    { type: 'button', class: 'record', 'data-id': id },
    make('bdi', { class: 'record-title' }, title),
    make('span', { class: 'state', 'data-tone': tone }, state),
    make('bdi', { class: 'record-detail' }, detail),
    make(
      'time',
      { datetime: date.toISOString() },
      date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
    ),
  );
  button.addEventListener('click', onClick);
  return button;
}
