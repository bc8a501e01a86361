import type { VerificationError } from 'splwright-client/verify';
import { encodeBase58 } from 'splwright-core/base58';
import { followAmount } from './amount-field.ts';
import { find, make, makeButton, setText } from './dom.ts';
import { showLocalTimes } from './local-time.ts';
import { type LinkState, linkPath, pollState } from './polling.ts';
import { findWallets, isRefusal, type Payer, type PayingAccount, type StepWords, walletPayer } from './wallets.ts';

interface SentPayment {
  signature: string;
  at: number;
}

// In this tab, also after a reload. A browser that keeps nothing does not warn.
function recall(name: string): string {
  try {
    return sessionStorage.getItem(`${name} ${linkPath}`) ?? '';
  } catch {
    return '';
  }
}

function remember(name: string, text: string): void {
  try {
    sessionStorage.setItem(`${name} ${linkPath}`, text);
  } catch {
    // As above.
  }
}

function recallSent(): SentPayment | undefined {
  const [signature, at] = recall('paid').split(' ');
  return signature ? { signature, at: Number(at) } : undefined;
}

function rememberSent(payment: SentPayment | undefined): void {
  sent = payment;
  remember('paid', payment ? `${payment.signature} ${payment.at}` : '');
}

/** The wallets that were handed a payment and have not said what became of it, by attempt: each may send it. */
const unanswered = new Map<number, string>();
const unansweredNames = () => [...new Set(unanswered.values())].join(' and ');
const noteAsked = (own: number, name?: string) => {
  if (name) unanswered.set(own, name);
  else unanswered.delete(own);
  remember('asked', unansweredNames());
};

/** Shows what went wrong, and which request is to be ended in a wallet first. */
function alertPayer(text = ''): void {
  const names = unansweredNames();
  const note = `${names} may still show an earlier request for this payment, or have sent it. Reject it there so that you do not pay twice.`;
  setText(find('alert'), [text, names && note].filter(Boolean).join(' '));
}

/** Why there is no payment, in words for the payer. */
class Refused extends Error {}

// How long a payer waits. Whether the payment can still land only the wallet knows.
const unseenAfterMs = 150_000;

const main = document.querySelector('main') ?? make('main', {});
const chain = main.dataset.chain as `solana:${string}`;

let sent = recallSent();
/** The ends of the address that was asked to pay here last. */
let ownWallet = '';
/** Grows when the payer turns to another way to pay: an earlier one may still say something, which no longer counts. */
let attempt = 0;
let offered = { title: find('title')?.textContent ?? '', message: find('message')?.textContent ?? '' };

const chosenAmount = followAmount(main.dataset);

/** Shows a phase: the style sheet knows its parts. */
function show(phase: string, title: string, message: string): void {
  // Neither shrinks, so that nothing below it jumps.
  for (const part of main.querySelectorAll<HTMLElement>('.ask, .panel'))
    part.style.minHeight = `${part.getBoundingClientRect().height}px`;
  main.dataset.phase = phase;
  setText(find('title'), title);
  setText(find('message'), message);
}

const showOffer = () => show('open', offered.title, offered.message);

function showSent(): void {
  if (sent && Date.now() - sent.at > unseenAfterMs) {
    const { network } = main.dataset;
    const message =
      'It should have arrived by now. A wallet that is set to another network paid there, and not this link. Check your wallet, and pay again only if it says that the payment failed.';
    show('unseen', `Not seen on ${network}`, message);
  } else show('sent', 'Payment sent', 'Waiting for the network to confirm it. This takes a few seconds.');
}

/** Shows why a wallet elsewhere, such as on a phone, was refused; `alertPayer` is for those of this page. */
function showRefused(refused: LinkState['refused']): void {
  const isElsewhere = refused && refused.wallet !== ownWallet;
  const at = isElsewhere && new Date(refused.at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  setText(find('refused'), at ? `The wallet ${refused.wallet} was refused at ${at}. ${refused.reason}` : '');
}

const openPhases = ['open', 'wallet', 'account', 'sent', 'unseen'];

function showState({ phase, title, message, notes, receipt, refused }: LinkState): void {
  const wasOpen = openPhases.includes(main.dataset.phase ?? '');
  showRefused(refused);
  if (phase === 'open') {
    // A fork has dropped the payment that this page was made for.
    if (!find('offer')) {
      location.reload();
      return;
    }
    offered = { title, message };
    if (sent) showSent();
    else if (!wasOpen) showOffer();
    return;
  }
  attempt += 1;
  show(phase, title, message);
  // The link is closed, and the chain takes all the same what a wallet still asks for.
  alertPayer();
  document.title = title;
  find('notes')?.replaceChildren(...notes.map((note) => make('p', { class: 'note' }, note)));
  for (const name of ['amount', 'received', 'payer', 'signature'] as const) {
    if (receipt?.[name]) setText(find(name), receipt[name]);
  }
  const unit = find('amount')?.nextElementSibling;
  // Another of the link's tokens may have been paid than this page shows.
  if (receipt?.unit && unit) unit.textContent = receipt.unit;
  const link = find<HTMLAnchorElement>('receipt');
  if (link && receipt) link.search = `?signature=${receipt.signature}`;
  if (wasOpen && unanswered.size === 0 && (phase === 'confirmed' || phase === 'final')) returnToShop();
}

const returnAfterMs = 6_000;

/** Goes back to the shop in a moment, unless the payer wants to stay. A page that was opened after the payment stays. */
function returnToShop(): void {
  const [shop, note] = [find<HTMLAnchorElement>('shop'), find('returning')];
  if (!shop || !note) return;
  note.hidden = false;
  const timer = setTimeout(() => location.assign(shop.href), returnAfterMs);
  find('stay')?.addEventListener('click', () => {
    clearTimeout(timer);
    note.hidden = true;
    find('status')?.focus();
  });
}

const askNow = pollState(
  () => (sent ? `?signature=${sent.signature}` : ''),
  showState,
  (isLost) => setText(find('connection'), isLost ? 'Connection lost. Trying again…' : ''),
);

async function pay(payer: Payer): Promise<void> {
  const { amount, fault } = chosenAmount();
  if (fault !== undefined) return find('chosen')?.focus();
  attempt += 1;
  const own = attempt;
  const step = ({ title, message }: StepWords) => {
    if (own !== attempt) throw new Refused();
    show('wallet', title, message);
  };
  alertPayer();
  try {
    step(payer.opening);
    find('status')?.focus();
    // While the wallet connects.
    loadVerification();
    const account = await chooseAccount(payer, await payer.connect(), own);
    step({ title: 'Preparing the payment', message: 'Reading the chain.' });
    const { transaction, what } = await build(account, amount);
    const { title, message } = payer.approving;
    step({ title, message: `${what} ${message}` });
    noteAsked(own, payer.name);
    const signature = await account.send(transaction).catch((error: unknown) => {
      if (isRefusal(error)) noteAsked(own);
      throw error;
    });
    noteAsked(own);
    alertPayer();
    // Also when the payer has turned away since: it is sent.
    rememberSent({ signature: encodeBase58(signature), at: Date.now() });
    if (own === attempt) showSent();
  } catch (error) {
    if (own !== attempt) return alertPayer();
    showOffer();
    alertPayer(error instanceof Refused ? error.message : `${payer.name}: ${messageOf(error)}`);
  }
  askNow();
}

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message.slice(0, 200)) || 'The payment was not sent.';
}

async function chooseAccount(
  { name: payer }: Payer,
  accounts: readonly PayingAccount[],
  own: number,
): Promise<PayingAccount> {
  const [first] = accounts;
  if (!first) throw new Refused(`${payer} has no account that can pay here. Switch to another account in it.`);
  if (accounts.length === 1 || own !== attempt) return first;
  show('account', 'Choose an account', `${payer} has several accounts. Which one should pay?`);
  return new Promise((resolve) => {
    const items = accounts.map((account) => {
      const { address, label, icon } = account;
      return listItem(label ? [label, endsOf(address)] : [endsOf(address)], icon, () => resolve(account));
    });
    find('accounts')?.replaceChildren(...items);
  });
}

function endsOf(address: string): string {
  return `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** `undefined` if it did not arrive. */
function loadVerification() {
  return import('./verification.ts').catch(() => undefined);
}

/** The transaction by which an account pays, and what it pays in words. Throws when it does anything else than this page says. */
async function build(
  { address }: PayingAccount,
  amount: string | undefined,
): Promise<{ transaction: Uint8Array; what: string }> {
  ownWallet = endsOf(address);
  const { mint = '' } = main.dataset;
  const query = new URLSearchParams({ ...(mint && { mint }), ...(amount !== undefined && { amount }) });
  const reply = await fetch(linkPath + (query.size > 0 ? `?${query}` : ''), {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ account: address }),
  }).catch(() => {
    throw new Refused('The service cannot be reached. Nothing was paid.');
  });
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Refused(body.message ?? 'The payment could not be prepared. Nothing was paid.');
  const verification = await loadVerification();
  if (!verification) throw new Refused('This page did not load completely. Nothing was paid. Reload it and try again.');
  const { terms = '', min = '', decimals } = main.dataset;
  const asked = amount === undefined ? { amount: min } : { amount_decimal: amount };
  const { verified, difference } = await verification.verifyPayment(
    { ...JSON.parse(decodeURIComponent(terms)), account: address, ...asked },
    body,
    { decimals: Number(decimals), headers: reply.headers },
  );
  if (difference) throw new Refused(describeDifference(difference));
  const what = body.message ? `${body.message.replace(/\.$/, '')}. ` : '';
  return {
    transaction: verified.transaction,
    what: `${what}A hardware wallet shows the hash ${verified.messageHash}.`,
  };
}

function describeDifference({ code, part, expected, actual }: VerificationError): string {
  const found = `${code}: ${part}: expected ${expected}, found ${actual.slice(0, 200)}`;
  return `The transaction does not do what this page says. Your wallet was not asked, and nothing was paid. ${found}.`;
}

function offerWallets(): void {
  const wallets = find('wallets');
  if (!wallets) return;
  wallets.hidden = false;
  findWallets(chain, (wallet) => {
    wallets.dataset.found = 'yes';
    const payer = walletPayer(wallet, chain);
    find('wallet-list')?.append(listItem([payer.name], wallet.icon, () => pay(payer)));
  });
}

/** A button with a picture. Its texts are a wallet's, and stay texts. */
function listItem(texts: readonly string[], icon: string | undefined, onClick: () => void): HTMLElement {
  const button = makeButton('', 'row', onClick);
  // As the Wallet Standard wants it, so that none is loaded from elsewhere.
  if (icon && /^data:image\/(?:svg\+xml|webp|png|gif);base64,/.test(icon)) {
    button.append(make('img', { src: icon, alt: '', width: '28', height: '28' }));
  }
  button.append(...texts.map((text) => make('bdi', {}, text)));
  return make('li', {}, button);
}

/** Offers the wallets of the sandbox; a real network's page has no place for them. */
async function offerSandbox(): Promise<void> {
  if (!find('sandbox')) return;
  const { offerSandboxWallets } = await import('./sandbox.ts');
  offerSandboxWallets(pay);
}

function followButtons(): void {
  find('back')?.addEventListener('click', () => {
    attempt += 1;
    rememberSent(undefined);
    showOffer();
    alertPayer();
    find('status')?.focus();
  });
  const copy = find('copy-link');
  if (!copy || !navigator.clipboard) return;
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(copy.dataset.copy ?? '');
    copy.textContent = 'Link copied';
  });
}

if (sent && main.dataset.phase === 'open') showSent();
if (sent) askNow();
const names = recall('asked');
if (names) unanswered.set(0, names);
alertPayer();
showLocalTimes();
offerWallets();
offerSandbox();
followButtons();
