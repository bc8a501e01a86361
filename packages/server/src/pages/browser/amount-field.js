import { readAmount } from './amount.js';
import { find, linkPath, say } from './page.js';

/**
 * Follows the field of an amount that the payer chooses: QR code and link are those of the amount in it, and there are none while it
 * is not clear or cannot be paid. Returns a function that reads the field, and shows what is wrong with it; without a field it says nothing.
 * @param {DOMStringMap} data
 * @returns {() => { amount?: string | undefined, fault?: string | undefined }}
 */
export function followAmount({ url, min = '0', max = '0', decimals }) {
  const input = /** @type {HTMLInputElement | null} */ (find('chosen'));
  if (!input) return () => ({});
  const bounds = { min: BigInt(min), max: BigInt(max), decimals: Number(decimals) };
  /** What QR code and link are for: at first what the page was made with. */
  let offered = readAmount(input.defaultValue, bounds).amount;
  let timer = 0;

  const withdraw = () => {
    offered = undefined;
    find('open')?.removeAttribute('href');
    find('code')?.replaceChildren();
  };
  const draw = (/** @type {string} */ amount) => {
    withdraw();
    offered = amount;
    find('open')?.setAttribute('href', `solana:${encodeURIComponent(`${url}?amount=${amount}`)}`);
    const image = new Image();
    image.alt = '';
    image.onload = image.onerror = () => {
      if (offered === amount) find('code')?.replaceChildren(image);
    };
    image.src = `${linkPath()}/qr.svg?amount=${amount}`;
  };
  const read = () => {
    clearTimeout(timer);
    const reading = readAmount(input.value, bounds);
    const { amount, fault } = reading;
    input.setAttribute('aria-invalid', String(fault !== undefined));
    say('bounds', fault ?? find('bounds')?.dataset.usual ?? '');
    find('offer')?.toggleAttribute('data-invalid', fault !== undefined);
    if (amount === undefined) withdraw();
    else if (amount !== offered) draw(amount);
    return reading;
  };
  input.addEventListener('input', () => {
    // At once: a code of the amount before must not be scanned, and what is half typed is not yet wrong.
    if (readAmount(input.value, bounds).amount !== offered) withdraw();
    clearTimeout(timer);
    timer = setTimeout(read, 250);
  });
  find('amount-form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    read();
  });
  // A browser may have kept what was typed before a reload.
  read();
  return read;
}
