const style = `
:root { color-scheme: light; --ink: #1f2a24; --soft: #57645c; --leaf: #2f5d43; --paper: #f7f4ec; }
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; display: grid; grid-template-rows: auto 1fr; background: var(--paper); color: var(--ink);
  font: 1.125rem/1.6 ui-serif, Georgia, "Times New Roman", serif; }
header, .shop { width: min(100%, 72rem); margin-inline: auto; padding: 1.25rem clamp(1.25rem, 5vw, 4rem); }
header a { color: inherit; font-size: 1.25rem; letter-spacing: 0.02em; text-decoration: none; }
.shop { display: grid; gap: clamp(1.5rem, 5vw, 4rem); align-content: start; }
.shop > svg { width: 100%; max-height: 46vh; border-radius: 1.5rem; background: #dfe6d3; }
main { display: grid; gap: 1rem; justify-items: start; max-width: 30rem; }
h1 { font-size: clamp(2rem, 5vw, 3rem); line-height: 1.1; font-weight: 500; }
p { color: var(--soft); }
.price { color: var(--ink); font-size: 1.5rem; font-variant-numeric: tabular-nums; }
button, .button { padding: 0.75rem 2.5rem; border: 0; border-radius: 2rem; background: var(--leaf); color: #fff; font: inherit;
  text-decoration: none; cursor: pointer; }
:is(button, .button):hover { background: #234833; }
:focus-visible { outline: 3px solid #1a56db; outline-offset: 3px; }
main a:not(.button) { color: var(--leaf); }
@media (min-width: 52rem) { .shop { grid-template-columns: 1.1fr 1fr; align-items: center; align-content: center; padding-bottom: 6rem; } .shop > svg { max-height: 70vh; } }`;

const picture = `<svg viewBox="0 0 400 340" role="img" aria-label="A bowl of green tea">
<circle cx="300" cy="90" r="46" fill="#e8b04b" opacity=".85"/>
<path d="M0 250q110-70 210-30t190-20v140H0z" fill="#c3d0b0"/>
<g fill="none" stroke="#fff" stroke-width="7" stroke-linecap="round" opacity=".9"><path d="M168 96q-18 20 0 40t0 40"/><path d="M206 82q-18 20 0 40t0 40"/></g>
<path d="M88 196h210q0 92-74 104h-62q-74-12-74-104z" fill="#2f5d43"/>
<ellipse cx="193" cy="196" rx="105" ry="20" fill="#a9c46c"/><path d="M88 196a105 20 0 0 0 210 0a105 20 0 0 1-210 0z" fill="#3d7353"/>
<path d="M152 300h82l-8 16h-66z" fill="#234833"/>
<path d="M330 296q34-52 60-48q2 40-60 48zM326 298q-4-48-30-62q-16 32 30 62z" fill="#54834a"/>
</svg>`;

// A page that waits shows what became of its order, without being loaded again.
const script = `
const main = document.querySelector('main');
while (main.querySelector('[data-waits]')) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const html = await fetch(location.href).then((reply) => reply.text(), () => '');
  const next = new DOMParser().parseFromString(html, 'text/html').querySelector('main');
  if (next && next.innerHTML !== main.innerHTML) main.replaceChildren(...next.childNodes);
}`;

const page = (content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tea house Lotus</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><a href="/">Tea house Lotus</a></header>
<div class="shop">${picture}
<main aria-live="polite">${content}</main></div>
<script type="module">${script}</script>
</body>
</html>`;

/** The tea, with a button that makes the order of this id. */
export const productPage = (price: string, order: string): string =>
  page(`<h1>Sencha from Uji</h1>
<p>First flush, steamed and rolled on the day it was picked: fresh, a little sweet, with a hint of the sea. 100 g.</p>
<p class="price">${price} USDC</p>
<form method="post" action="/orders/${order}"><button>Buy</button></form>`);

/** An order that is not paid, with the way to where it is. */
export const orderPage = (price: string, payUrl: string): string =>
  page(`<h1>Your order</h1>
<p>Sencha from Uji, 100 g</p>
<p class="price">${price} USDC</p>
<a class="button" href="${payUrl}" target="_blank" rel="noopener">Pay</a>
<p data-waits>This page updates once your payment is final.</p>`);

/** An order that is paid. */
export const thanksPage = page(`<h1>Thank you</h1>
<p>Your payment has arrived, and your tea is being packed.</p>
<p><a href="/">More tea</a></p>`);

/** What is shown while the service does not answer. */
export const apologyPage = page(`<h1>One moment</h1>
<p data-waits>We cannot take payments right now. Leave this page open: it keeps trying.</p>`);

/** What is shown at any other path. */
export const missingPage = page(`<h1>Nothing here</h1>
<p><a href="/">Back to the shop</a></p>`);
