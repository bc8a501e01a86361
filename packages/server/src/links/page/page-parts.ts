import { sol } from 'splwright-core';
import { type Html, html } from '../../app/pages/html.ts';
import type { Brand } from '../../config/brand.ts';
import type { PayChain } from '../pay-chain.ts';
import type { PaymentLink } from '../records/payment-link.ts';
import { brandStylePath, shopIconPath } from './shop-icon.ts';

export interface LinkPageContext {
  /** The origin at which wallets reach the service. */
  publicUrl: string;
  /** The network; `undefined` while it is not known: then no wallet of the browser is offered. */
  chain: PayChain | undefined;
  /** The origins from which the page may show a link's icon. */
  iconOrigins: readonly string[];
  brand: Brand;
}

/** The style of the operator's color, where there is one. */
export function brandStyle({ color }: Brand): Html | undefined {
  return color === undefined
    ? undefined
    : html`<link rel="stylesheet" href="${brandStylePath}">
`;
}

/** Who is paid: a picture, the link's label, and the operator's name where that is another one. */
export function payee({ label, icon }: PaymentLink, { iconOrigins, brand }: LinkPageContext): Html {
  const isAllowed = icon !== null && URL.canParse(icon) && iconOrigins.includes(new URL(icon).origin);
  const source = isAllowed ? icon : shopIconPath(label, brand);
  const name = brand.name === label ? undefined : brand.name;
  return html`<div class="who"><img src="${source}" alt="" width="48" height="48" referrerpolicy="no-referrer"><div><h1><bdi>${label}</bdi></h1>${
    name && html`<p class="shop"><bdi>${name}</bdi></p>`
  }</div></div>`;
}

/** A term of a list of terms. */
export function term(name: string, value: Html | string, className = ''): Html {
  return html`<div class="${className}"><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** A token, by its name and by its mint. */
export function token({ tokenName, tokenSymbol, mint }: PaymentLink): Html {
  if (mint === sol) return html`${sol}`;
  const name = [tokenName?.trim(), tokenSymbol?.trim()].filter(Boolean).join(', ');
  return html`${name === '' ? undefined : html`<bdi>${name}</bdi> `}${address(mint)}`;
}

/** An address in full, in groups of four characters that copying joins again. */
export function address(text: string): Html {
  const groups = text.match(/.{1,4}/g) ?? [];
  return html`<span class="address" translate="no">${groups.map((group) => html`<span>${group}</span>`)}</span>`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A moment in UTC; the script writes it in the reader's own time. */
export function time(date: Date): Html {
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()].map((part) => String(part).padStart(2, '0'));
  const text = `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${hours}:${minutes} UTC`;
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}
