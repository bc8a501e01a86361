import { describeBytes } from '../../outcomes/transaction-words.ts';
import { make } from './make.js';

/** @import { NamedBytes } from '../../outcomes/transaction-words.ts' */

// As many as the style sheet has.
const tones = 8;

const steps = /** @type {Readonly<Record<string, (at: number, part: { start: number, end: number }) => number>>} */ ({
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowDown: (_, { end }) => end,
  ArrowUp: (at, { start }) => (at > start ? start : start - 1),
  Home: () => 0,
  End: () => Number.POSITIVE_INFINITY,
});

let count = 0;

/**
 * Shows the bytes of a transaction: each instruction and account in a color of its own, and in words the byte under the pointer or
 * the one that the arrow keys have reached, as `inspect` names it. Bytes that are no transaction are shown as what is wrong with them.
 * @param {Element} element What it replaces the content of.
 * @param {Uint8Array} bytes
 */
export function renderBytes(element, bytes) {
  addStyle();
  count += 1;
  try {
    element.replaceChildren(...viewOf(bytes, describeBytes(bytes), `bytes-${count}`));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    element.replaceChildren(make('p', {}, `These ${bytes.length} bytes are not a transaction: ${reason}.`));
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {readonly NamedBytes[]} parts
 * @param {string} id
 */
function viewOf(bytes, parts, id) {
  const where = make('p', { class: 'bytes-where' });
  const title = make('p', { class: 'bytes-title' });
  const name = make('p', { class: 'bytes-name' });
  // What is walked through and read out; the bytes themselves would be read as digits.
  const list = make('div', {
    class: 'bytes-list',
    role: 'listbox',
    tabindex: '0',
    'aria-label': `The ${bytes.length} bytes of the transaction`,
    'aria-describedby': `${id}-keys`,
  });
  const grid = make('div', { class: 'bytes', 'aria-hidden': 'true' });
  /** @type {HTMLElement[]} */
  const options = [];
  /** @type {HTMLElement[]} */
  const places = [];
  /** @type {HTMLElement[]} */
  const cells = [];
  for (const section of sectionsOf(parts)) {
    const group = make('div', { role: 'group', 'aria-label': section[0].title });
    const row = make('div', { class: `bytes-group ${toneOf(section[0])}` });
    row.append(make('span', { class: 'bytes-heading' }, section[0].title));
    for (const part of section) {
      const attributes = { role: 'option', id: `${id}-${options.length}`, 'aria-selected': 'false' };
      const option = make('div', attributes, `${rangeOf(part)}, ${part.name}`);
      const place = make('span', {
        class: `bytes-part ${part.account === undefined ? '' : toneOf({ account: part.account })}`,
      });
      for (const byte of bytes.subarray(part.offset, part.offset + part.length)) {
        cells.push(make('span', { 'data-at': String(cells.length) }, byte.toString(16).padStart(2, '0')));
      }
      place.append(...cells.slice(part.offset));
      options.push(option);
      places.push(place);
      group.append(option);
      row.append(place);
    }
    list.append(group);
    grid.append(row);
  }

  let at = 0;
  const show = (/** @type {number} */ next) => {
    at = Math.min(Math.max(next, 0), bytes.length - 1);
    const index = indexAt(parts, at);
    const part = parts[index];
    const option = options[index];
    if (!part || !option) return;
    for (const each of list.querySelectorAll('[aria-selected="true"]')) each.setAttribute('aria-selected', 'false');
    for (const mark of ['at', 'in', 'same']) {
      for (const each of grid.querySelectorAll(`.${mark}`)) each.classList.remove(mark);
    }
    option.setAttribute('aria-selected', 'true');
    list.setAttribute('aria-activedescendant', option.id);
    cells[at]?.classList.add('at');
    places[index]?.classList.add('in');
    for (const [other, { account }] of parts.entries()) {
      if (account !== undefined && account === part.account) places[other]?.classList.add('same');
    }
    where.textContent = `Byte ${at}: ${cells[at]?.textContent}${part.length === 1 ? '' : ` (${rangeOf(part)})`}`;
    title.textContent = part.title;
    name.textContent = part.name;
  };
  const showTarget = (/** @type {Event} */ { target }) => {
    const own = target instanceof HTMLElement ? target.dataset.at : undefined;
    if (own !== undefined) show(Number(own));
  };
  grid.addEventListener('pointerover', showTarget);
  grid.addEventListener('click', (event) => {
    // A touch has no pointer over anything. The keys go on from here.
    showTarget(event);
    list.focus({ preventScroll: true });
  });
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const { offset, length } = parts[indexAt(parts, at)] ?? { offset: 0, length: 0 };
    show(step(at, { start: offset, end: offset + length }));
    cells[at]?.scrollIntoView({ block: 'nearest' });
  });
  show(0);
  const keys = 'Point at a byte, or move with the arrow keys: left and right by bytes, up and down by parts.';
  return [
    make(
      'div',
      { class: 'bytes-said', role: 'group', 'aria-label': 'What the byte is', tabindex: '0' },
      where,
      title,
      name,
    ),
    list,
    grid,
    make('p', { class: 'hint', id: `${id}-keys` }, keys),
  ];
}

/**
 * Parts that follow one another and belong together.
 * @param {readonly NamedBytes[]} parts
 */
function sectionsOf(parts) {
  /** @type {[NamedBytes, ...NamedBytes[]][]} */
  const sections = [];
  for (const part of parts) {
    const last = sections.at(-1);
    if (last && last[0].title === part.title && last[0].instruction === part.instruction) last.push(part);
    else sections.push([part]);
  }
  return sections;
}

/**
 * @param {readonly NamedBytes[]} parts
 * @param {number} at
 */
function indexAt(parts, at) {
  return parts.findIndex(({ offset, length }) => at < offset + length);
}

/** @param {NamedBytes} part */
function rangeOf({ offset, length }) {
  return length === 1 ? `byte ${offset}` : `bytes ${offset} to ${offset + length - 1}`;
}

/** @param {{ instruction?: number | undefined, account?: number | undefined }} part */
function toneOf({ instruction, account }) {
  if (instruction !== undefined) return `tone instruction-${instruction % tones}`;
  return account === undefined ? '' : `tone account-${account % tones}`;
}

/** Adds the style sheet of the view to the page, once. */
function addStyle() {
  const { href } = new URL('./bytes-view.css', import.meta.url);
  if (document.querySelector(`link[href="${href}"]`)) return;
  document.head.append(make('link', { rel: 'stylesheet', href }));
}
