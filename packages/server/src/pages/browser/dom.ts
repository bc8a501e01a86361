/** An element with attributes and with what it holds. Texts stay texts; `undefined` is left out. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean | undefined>>,
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function makeButton(text: string, className: string, onClick: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button', class: className }, text);
  button.addEventListener('click', onClick);
  return button;
}

/** A term with what belongs to it. */
export type Term = readonly [string, string | Node];

/** A list of terms; those that are `undefined` are left out. */
export function makeTerms(terms: readonly (Term | undefined)[]): HTMLElement {
  const items = terms.map((term) => term && make('div', {}, make('dt', {}, term[0]), make('dd', {}, term[1])));
  return make('dl', { class: 'terms' }, ...items);
}

/** An element of the page by its id; `null` of a part that this page does not have. */
export function find<Kind extends HTMLElement>(id: string): Kind | null {
  return document.querySelector<Kind>(`#${CSS.escape(id)}`);
}

/** Writes a text into an element, unless it is there already: a screen reader would read it again. */
export function setText(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

const shownMs = 2_000;

/** Says what was copied, for those who hear the page. */
const spoken = make('p', { class: 'spoken', role: 'status' });

/** A button that copies a text, and says so, also aloud. Hidden where no page may copy, such as on plain HTTP. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const label = `Copy ${what}`;
  const button = makeButton(label, 'copy', async () => {
    const said = await navigator.clipboard.writeText(text()).then(
      () => 'Copied',
      () => 'Not copied: the browser does not allow it.',
    );
    button.textContent = said;
    spoken.textContent = `${said}: ${what}`;
    setTimeout(() => {
      button.textContent = label;
      spoken.textContent = '';
    }, shownMs);
  });
  button.hidden = !navigator.clipboard;
  // Said only by an element that was in the page before.
  if (!spoken.isConnected) document.querySelector('main')?.append(spoken);
  return button;
}

/** A text that cannot be read aloud or typed, with a button that copies it. */
export function copyable(what: string, text: string): HTMLElement {
  const shown = make('span', { class: 'address', translate: 'no' }, text);
  return make(
    'span',
    {},
    shown,
    ' ',
    copyButton(what, () => text),
  );
}
