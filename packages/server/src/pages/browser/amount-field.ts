import { readChosenAmount } from '../../links/page/chosen-amount.ts';
import { find, setText } from './dom.ts';
import { linkPath } from './polling.ts';

/**
 * Follows the field of an amount: the QR code and the link are for that amount, and hidden while it is not clear or cannot be paid.
 * Returns a function that reads the field and shows what is wrong with it: `{}` where there is no field.
 */
export function followAmount({
  url,
  min = '0',
  max = '0',
  decimals,
  least = '',
  most = '',
}: DOMStringMap): () => { amount?: string | undefined; fault?: string | undefined } {
  const input = find<HTMLInputElement>('chosen');
  if (!input) return () => ({});
  const bounds = { minAmount: BigInt(min), maxAmount: BigInt(max), decimals: Number(decimals), least, most };
  /** The amount of QR code and link: at first that of the page. */
  let offered = readChosenAmount(input.defaultValue, bounds).decimalText;
  let timer = 0;

  const withdraw = () => {
    offered = undefined;
    find('open')?.removeAttribute('href');
    find('code')?.replaceChildren();
  };
  const draw = (amount: string) => {
    withdraw();
    offered = amount;
    find('open')?.setAttribute('href', `solana:${encodeURIComponent(`${url}?amount=${amount}`)}`);
    const image = new Image();
    image.alt = '';
    image.onload = image.onerror = () => {
      if (offered === amount) find('code')?.replaceChildren(image);
    };
    image.src = `${linkPath}/qr.svg?amount=${amount}`;
  };
  const read = () => {
    clearTimeout(timer);
    const { decimalText: amount, fault } = readChosenAmount(input.value, bounds);
    input.setAttribute('aria-invalid', String(fault !== undefined));
    setText(find('bounds'), fault ?? find('bounds')?.dataset.usual ?? '');
    find('offer')?.toggleAttribute('data-invalid', fault !== undefined);
    if (amount === undefined) withdraw();
    else if (amount !== offered) draw(amount);
    return { amount, fault };
  };
  input.addEventListener('input', () => {
    // At once: a code of the amount before must not be scanned, and what is half typed is not yet wrong.
    if (readChosenAmount(input.value, bounds).decimalText !== offered) withdraw();
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
