/**
 * An element with attributes and with what it holds. Texts stay texts; `undefined` is left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | undefined>} attributes
 * @param {(Node | string | undefined)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/**
 * A button that does something.
 * @param {string} text
 * @param {string} className
 * @param {() => void} onClick
 */
export function makeButton(text, className, onClick) {
  const button = make('button', { type: 'button', class: className }, text);
  button.addEventListener('click', onClick);
  return button;
}

/**
 * A list of terms, each with what belongs to it; rows that are `undefined` are left out.
 * @param {([string, string | Node] | undefined)[]} rows
 */
export function makeTerms(rows) {
  const items = rows.map((row) => row && make('div', {}, make('dt', {}, row[0]), make('dd', {}, row[1])));
  return make('dl', { class: 'terms' }, ...items);
}
