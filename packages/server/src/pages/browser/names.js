import { make } from './make.js';

/** What the sandbox's wallets and mints are called, by address. */
const names = new Map(
  [...document.querySelectorAll('select.pick option')].map((option) => [
    option.getAttribute('value'),
    option.textContent,
  ]),
);

/**
 * A short name of an address: that of the sandbox, or its beginning and its end.
 * @param {string} address
 */
export function shortName(address) {
  return names.get(address) ?? `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/**
 * The decimals of a mint of the sandbox; `undefined` of another one.
 * @param {string} mint
 */
export function decimalsOf(mint) {
  const option = [...document.querySelectorAll('[data-decimals]')].find((each) => each.getAttribute('value') === mint);
  return option && Number(option.getAttribute('data-decimals'));
}

/**
 * A text in which the addresses that have a name are called by it.
 * @param {string} text
 */
export function withNames(text) {
  return text.replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, (address) => names.get(address) ?? address);
}

/**
 * What amounts of a mint are called.
 * @param {string} mint
 */
export function unitOf(mint) {
  return names.get(mint) ?? 'tokens';
}

/**
 * An amount of tokens, as it is written, with what it counts.
 * @param {string} amount
 * @param {string} unit of `unitOf`
 */
export function counted(amount, unit) {
  return `${amount} ${amount === '1' && unit === 'tokens' ? 'token' : unit}`;
}

/**
 * An address in full, after its name.
 * @param {string} address
 */
export function fullName(address) {
  const name = names.get(address);
  const text = make('span', { class: 'address', translate: 'no' }, address);
  return name === undefined ? text : make('span', {}, make('b', {}, name), ' ', text);
}

/**
 * Keeps the choices of a part of the page in step with the inputs after them.
 * @param {ParentNode} [part]
 */
export function followPicks(part = document) {
  for (const pick of /** @type {NodeListOf<HTMLSelectElement>} */ (part.querySelectorAll('select.pick'))) {
    const input = /** @type {HTMLInputElement} */ (pick.nextElementSibling);
    const show = () => {
      const isKnown = [...pick.options].some((option) => option.value === input.value.trim());
      pick.value = isKnown ? input.value.trim() : '';
    };
    pick.addEventListener('change', () => {
      input.value = pick.value;
      if (pick.value === '') input.focus();
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    input.addEventListener('input', show);
    show();
  }
}
