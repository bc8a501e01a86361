import { describeBytes, type NamedBytes } from '../../outcomes/transaction-words.ts';
import { make } from './dom.ts';

// Told apart in the dark and in the light.
const colors = ['#2f6fde', '#c2410c', '#15803d', '#a21caf', '#0e7490', '#b45309', '#be185d', '#6d28d9'];

let count = 0;

/**
 * Shows the bytes of a transaction in the place of what an element holds: each instruction and account in a color of its own, and in
 * words the byte under the pointer or the one that the arrow keys have reached, as `inspect` names it. Bytes that are no transaction
 * are shown as what is wrong with them.
 */
export function renderBytes(element: Element, bytes: Uint8Array): void {
  count += 1;
  try {
    element.replaceChildren(...viewOf(bytes, describeBytes(bytes), `bytes-${count}`));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    element.replaceChildren(make('p', {}, `These ${bytes.length} bytes are not a transaction: ${reason}.`));
  }
}

const steps: Readonly<Record<string, (at: number, part: { start: number; end: number }) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowDown: (_, { end }) => end,
  ArrowUp: (at, { start }) => (at > start ? start : start - 1),
  Home: () => 0,
  End: () => Number.POSITIVE_INFINITY,
};

function viewOf(bytes: Uint8Array, parts: readonly NamedBytes[], id: string): readonly Node[] {
  const { list, grid, options, places, cells } = draw(bytes, parts, id);
  const where = make('p', { class: 'bytes-where' });
  const title = make('p', { class: 'bytes-title' });
  const name = make('p', { class: 'bytes-name' });
  let at = 0;
  const show = (next: number) => {
    at = Math.min(Math.max(next, 0), bytes.length - 1);
    const index = indexAt(parts, at);
    const part = parts[index];
    if (!part) return;
    for (const [other, option] of options.entries()) option.setAttribute('aria-selected', String(other === index));
    for (const [other, cell] of cells.entries()) cell.classList.toggle('at', other === at);
    for (const [other, place] of places.entries()) {
      place.classList.toggle('in', other === index);
      place.classList.toggle('same', part.account !== undefined && parts[other]?.account === part.account);
    }
    list.setAttribute('aria-activedescendant', options[index]?.id ?? '');
    where.textContent = `Byte ${at}: ${cells[at]?.textContent}${part.length === 1 ? '' : ` (${rangeOf(part)})`}`;
    title.textContent = part.title;
    name.textContent = part.name;
  };
  const showTarget = ({ target }: Event) => {
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
  const said = { class: 'bytes-said', role: 'group', 'aria-label': 'What the byte is', tabindex: '0' };
  const keys = 'Point at a byte, or use the arrow keys: left and right move by byte, up and down by part.';
  const hint = make('p', { class: 'hint', id: `${id}-keys` }, keys);
  return [make('div', said, where, title, name), list, grid, hint];
}

/** The grid of bytes, and the list that is walked through and read out in its place: bytes would be read as digits. */
function draw(bytes: Uint8Array, parts: readonly NamedBytes[], id: string) {
  const list = make('div', {
    class: 'bytes-list',
    role: 'listbox',
    tabindex: '0',
    'aria-label': `The ${bytes.length} bytes of the transaction`,
    'aria-describedby': `${id}-keys`,
  });
  const grid = make('div', { class: 'bytes', 'aria-hidden': 'true' });
  const cells = Array.from(bytes, (byte, at) =>
    make('span', { 'data-at': String(at) }, byte.toString(16).padStart(2, '0')),
  );
  const options = parts.map((part, index) =>
    make('div', { role: 'option', id: `${id}-${index}` }, `${rangeOf(part)}, ${part.name}`),
  );
  const places = parts.map(({ offset, length, account }) =>
    colored(
      make('span', { class: 'bytes-part' }, ...cells.slice(offset, offset + length)),
      account === undefined ? undefined : account + colors.length / 2,
    ),
  );
  for (const [index, { title, instruction }] of parts.entries()) {
    const before = parts[index - 1];
    // Parts that follow one another and belong together are one group.
    if (!before || before.title !== title || before.instruction !== instruction) {
      list.append(make('div', { role: 'group', 'aria-label': title }));
      const heading = make('span', { class: 'bytes-heading' }, title);
      grid.append(colored(make('div', { class: 'bytes-group' }, heading), instruction));
    }
    list.lastElementChild?.append(options[index] ?? '');
    grid.lastElementChild?.append(places[index] ?? '');
  }
  return { list, grid, options, places, cells };
}

function indexAt(parts: readonly NamedBytes[], at: number): number {
  return parts.findIndex(({ offset, length }) => at < offset + length);
}

function rangeOf({ offset, length }: NamedBytes): string {
  return length === 1 ? `byte ${offset}` : `bytes ${offset} to ${offset + length - 1}`;
}

/** Gives an element a color of its own, by an index. */
function colored(element: HTMLElement, index: number | undefined): HTMLElement {
  if (index !== undefined) element.style.setProperty('--tone', colors[index % colors.length] ?? null);
  return element;
}
