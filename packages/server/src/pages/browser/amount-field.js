import { find, linkPath, setText } from './page.js';

// Digits in groups of three, by one mark throughout, and a decimal mark that is another one.
const grouped =
  /^(?<whole>(?=0*[1-9])[0-9]{1,3}(?<mark>[.,'’ ])[0-9]{3}(?:\k<mark>[0-9]{3}){0,11})(?:(?!\k<mark>)[.,](?<fraction>[0-9]*))?$/;
const plain = /^(?<whole>[0-9]{1,39})(?:[.,](?<fraction>[0-9]*))?$/;

/**
 * Reads an amount as people type it: the same as decimal text, or what is wrong with it in a sentence.
 *
 * What can be read in two ways, as 1,000 and 1.000 can, is never taken: the sentence has both readings, and how to type each.
 * @param {string} typed
 * @param {{ min: bigint, max: bigint, decimals: number }} bounds
 * @returns {{ amount: string, fault?: undefined } | { amount?: undefined, fault: string }}
 */
export function readAmount(typed, { min, max, decimals }) {
  const text = typed.trim().replaceAll(/\s/g, ' ');
  const readings = [grouped, plain].flatMap((form) => readingOf(form.exec(text)?.groups));
  const [reading, other] = readings;
  if (!reading) return { fault: 'Write the amount in digits, such as 12.50.' };
  if (other) {
    const ways = readings
      .filter(({ fraction }) => fraction.length <= decimals)
      .map(decimal)
      .map(unmistakable);
    return { fault: `${text} can mean ${decimal(reading)} or ${decimal(other)}. Type ${ways.join(' or ')}.` };
  }
  const { whole, fraction } = reading;
  if (fraction.length > decimals) {
    return { fault: decimals === 0 ? 'Whole amounts only.' : `At most ${decimals} digits after the point.` };
  }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (units < min) return { fault: 'That is less than the recipient asks for.' };
  if (units > max) return { fault: 'That is more than the recipient asks for.' };
  return { amount: decimal(reading) };
}

/**
 * The digits before and after the decimal mark, without zeros that say nothing.
 * @typedef {{ whole: string, fraction: string }} Reading
 */

/** @param {Record<string, string> | undefined} groups */
function readingOf(groups) {
  if (!groups) return [];
  const { whole = '', fraction = '' } = groups;
  return [{ whole: `${BigInt(whole.replaceAll(/[^0-9]/g, ''))}`, fraction: fraction.replace(/0+$/, '') }];
}

/** @param {Reading} reading */
function decimal({ whole, fraction }) {
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/**
 * With a zero after three digits, which could be a group.
 * @param {string} text
 */
function unmistakable(text) {
  return /\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}

/**
 * Follows the field of an amount that the payer chooses: the QR code and the link are for that amount, and hidden while it is not clear
 * or cannot be paid. Returns a function that reads the field and shows what is wrong with it; on a page without the field it returns `{}`.
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
    setText('bounds', fault ?? find('bounds')?.dataset.usual ?? '');
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
