import { readAmount } from './amount.js';
import { find, say } from './page.js';

/**
 * Follows the field of an amount that the payer chooses: QR code and link are those of the amount in it, and there are none while it
 * cannot be paid. Returns a function that returns the amount as decimal text; `undefined` when the page has no such field.
 * @param {DOMStringMap} data
 */
export function followAmount({ url, min = '0', max = '0', decimals }) {
  const input = /** @type {HTMLInputElement | null} */ (find('chosen'));
  if (!input) return () => undefined;
  const bounds = { min: BigInt(min), max: BigInt(max), decimals: Number(decimals) };
  let chosen = input.value;
  let timer = 0;

  const read = () => {
    const { amount, fault } = readAmount(input.value, bounds);
    input.setAttribute('aria-invalid', String(fault !== undefined));
    say('bounds', fault ?? find('bounds')?.dataset.usual ?? '');
    find('offer')?.toggleAttribute('data-invalid', fault !== undefined);
    if (amount !== undefined && amount !== chosen) draw(amount);
  };
  const draw = (/** @type {string} */ amount) => {
    chosen = amount;
    find('open')?.setAttribute('href', `solana:${encodeURIComponent(`${url}?amount=${amount}`)}`);
    const image = new Image();
    image.alt = '';
    // The code of the last amount must not stay when this one cannot be drawn.
    image.onload = image.onerror = () => {
      if (chosen === amount) find('code')?.replaceChildren(image);
    };
    image.src = `${location.pathname}/qr.svg?amount=${amount}`;
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(read, 250);
  });
  find('amount-form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    read();
  });
  // A browser may have kept what was typed before a reload.
  read();
  return () => {
    read();
    return chosen;
  };
}
