import { formatAmount, groupDigits } from 'splwright-core/format-amount';
import { make } from './dom.ts';

/** The names of the sandbox's wallets and mints, by address. */
const names = new Map(
  [...document.querySelectorAll<HTMLOptionElement>('select.pick option, #names option')].map(({ value, text }) => [
    value,
    text,
  ]),
);

/** A short name of an address: that of the sandbox, or its beginning and its end. */
export function shortName(address: string): string {
  return names.get(address) ?? `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** The decimals of a mint of the sandbox; `undefined` of another one. */
export function decimalsOf(mint: string): number | undefined {
  const options = document.querySelectorAll<HTMLOptionElement>('[data-decimals]');
  const option = [...options].find(({ value }) => value === mint);
  return option && Number(option.dataset.decimals);
}

/** A text in which the addresses that have a name are called by it. */
export function withNames(text: string): string {
  return text.replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, (address) => names.get(address) ?? address);
}

/** The unit of a mint's amounts: its name in the sandbox, or its symbol, which the issuer chooses. */
export function unitOf(mint: string, symbol: string | null = null): string {
  return names.get(mint) ?? symbol ?? (mint === 'SOL' ? mint : 'tokens');
}

/** An amount of tokens with the unit that `unitOf` names. */
export function counted(amount: string, unit: string): string {
  return `${groupDigits(amount)} ${amount === '1' && unit === 'tokens' ? 'token' : unit}`;
}

/** Lamports as SOL, exact. */
export function sol(lamports: string | bigint): string {
  return counted(tokens(lamports, 9), 'SOL');
}

/** Base units as whole tokens, exact. */
export function tokens(units: string | bigint, decimals: number): string {
  return formatAmount(BigInt(units), decimals);
}

/** An address in full, after its name. */
export function fullName(address: string): HTMLElement {
  const name = names.get(address);
  const text = make('span', { class: 'address', translate: 'no' }, address);
  return name === undefined ? text : make('span', {}, make('b', {}, name), ' ', text);
}

/** Keeps the choices of a part of the page in step with the inputs after them. */
export function followPicks(part: ParentNode = document): void {
  for (const pick of part.querySelectorAll<HTMLSelectElement>('select.pick')) {
    const input = pick.nextElementSibling;
    if (!(input instanceof HTMLInputElement)) continue;
    const show = () => {
      const typed = input.value.trim();
      pick.value = [...pick.options].some(({ value }) => value === typed) ? typed : '';
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
