import { followAmount } from './amount-field.js';
import { toBase58 } from './base58.js';
import { find, linkPath, listItem, setText, textOf } from './page.js';
import { walletPayer } from './payers.js';
import { pollState } from './polling.js';
import { findWallets } from './wallets.js';

/** @import { VerificationError } from 'splwright-client/verify' */
/** @import { Payer, PayingAccount, StepWords } from './payers.js' */
/** @import { LinkState } from './polling.js' */

/**
 * A transaction that this payer has sent.
 * @typedef {{ signature: string, at: number }} SentPayment
 */

const storageName = `paid ${linkPath()}`;

/**
 * What was sent in this tab: a reload must not offer to pay again.
 * @returns {SentPayment | undefined}
 */
export function recallSent() {
  try {
    const [signature, at] = (sessionStorage.getItem(storageName) ?? '').split(' ');
    return signature ? { signature, at: Number(at) } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {SentPayment | undefined} payment */
export function rememberSent(payment) {
  try {
    if (payment) sessionStorage.setItem(storageName, `${payment.signature} ${payment.at}`);
    else sessionStorage.removeItem(storageName);
  } catch {
    // A browser that keeps nothing offers to pay again after a reload.
  }
}

const askedName = `asked ${linkPath()}`;

/**
 * The wallets that were handed a payment and have not answered, by attempt: each may still send it, whatever this page shows.
 * @type {Map<number, string>}
 */
const unanswered = new Map();

function rememberUnanswered() {
  try {
    sessionStorage.setItem(askedName, [...new Set(unanswered.values())].join(' and '));
  } catch {
    // A browser that keeps nothing does not warn after a reload.
  }
}

function recallUnanswered() {
  try {
    const names = sessionStorage.getItem(askedName);
    if (names) unanswered.set(0, names);
  } catch {
    // As above.
  }
}

/**
 * Shows what went wrong, and which request is to be ended in a wallet before another one is made.
 * @param {string} text
 */
function alertPayer(text = '') {
  const names = [...new Set(unanswered.values())].join(' and ');
  const note = `${names} may still show an earlier request for this payment. Reject that one in the wallet, so that you do not pay twice.`;
  setText('alert', [text, ...(names ? [note] : [])].filter(Boolean).join(' '));
}

/** Why there is no payment, in words for the payer. */
class Refused extends Error {}

// How long a payer waits before the page says what to do. Whether the payment can still land only the wallet knows.
const unseenAfterMs = 150_000;

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const network = /** @type {`solana:${string}`} */ (main.dataset.chain);

let sent = recallSent();
/** Grows when the payer turns to another way to pay: an earlier one may still say something, which no longer counts. */
let attempt = 0;
/** The words of the open link. */
let offered = { title: textOf('title'), message: textOf('message') };

const chosenAmount = followAmount(main.dataset);

/**
 * Shows a phase: the style sheet decides which parts of the page belong to it.
 * @param {string} phase
 * @param {string} title
 * @param {string} message
 */
function show(phase, title, message) {
  main.dataset.phase = phase;
  setText('title', title);
  setText('message', message);
}

const showOffer = () => show('open', offered.title, offered.message);

function showSent() {
  if (sent && Date.now() - sent.at > unseenAfterMs) {
    const message =
      'Look into your wallet before you pay again: only if it says that the payment failed, nothing was paid.';
    return show('unseen', 'Not seen on the network', message);
  }
  show('sent', 'Payment sent', 'Waiting for the network to confirm it. This takes a few seconds.');
}

/** @param {LinkState} state */
function showState({ phase, title, message, notes, receipt }) {
  if (phase === 'open') {
    // A fork has dropped the payment that this page was made for.
    if (!find('offer')) return location.reload();
    const wasOver = !['open', 'wallet', 'account', 'sent', 'unseen'].includes(main.dataset.phase ?? '');
    offered = { title, message };
    if (sent) showSent();
    else if (wasOver) showOffer();
    return;
  }
  attempt += 1;
  show(phase, title, message);
  // The link is closed, and the chain takes all the same what a wallet still asks for.
  alertPayer();
  document.title = title;
  find('notes')?.replaceChildren(...notes.map(noteOf));
  for (const name of /** @type {const} */ (['amount', 'received', 'payer', 'signature'])) {
    if (receipt) setText(name, receipt[name]);
  }
  const unit = find('amount')?.nextElementSibling;
  if (receipt?.amount === '1' && unit?.textContent === 'tokens') unit.textContent = 'token';
}

/** @param {string} text */
function noteOf(text) {
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = text;
  return note;
}

const askNow = pollState(
  () => `${linkPath()}/state${sent ? `?signature=${sent.signature}` : ''}`,
  showState,
  (isLost) => setText('connection', isLost ? 'The connection is lost. Trying again…' : ''),
);

/**
 * Pays, from the choice of an account to the signature.
 * @param {Payer} payer
 */
async function pay(payer) {
  const { amount, fault } = chosenAmount();
  if (fault !== undefined) return find('chosen')?.focus();
  attempt += 1;
  const own = attempt;
  const step = (/** @type {StepWords} */ { title, message }) => {
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
    unanswered.set(own, payer.name);
    rememberUnanswered();
    const signature = await account.send(transaction).finally(() => {
      unanswered.delete(own);
      rememberUnanswered();
    });
    alertPayer();
    // Also when the payer has turned away since: it is sent.
    sent = { signature: toBase58(signature), at: Date.now() };
    rememberSent(sent);
    if (own === attempt) showSent();
  } catch (error) {
    if (own !== attempt) return alertPayer();
    showOffer();
    alertPayer(error instanceof Refused ? error.message : `${payer.name}: ${messageOf(error)}`);
  }
  askNow();
}

/** @param {unknown} error */
function messageOf(error) {
  return (error instanceof Error && error.message.slice(0, 200)) || 'The payment was not sent.';
}

/**
 * @param {Payer} payer
 * @param {readonly PayingAccount[]} accounts
 * @param {number} own
 * @returns {Promise<PayingAccount>}
 */
async function chooseAccount({ name: payer }, accounts, own) {
  const [first] = accounts;
  if (!first) throw new Refused(`${payer} has no account that can pay here. Choose another account in it.`);
  if (accounts.length === 1 || own !== attempt) return first;
  show('account', 'Choose an account', `${payer} has several. Which one pays?`);
  return new Promise((resolve) => {
    const items = accounts.map((account) => {
      const { address, label = address.slice(0, 4), icon } = account;
      const detail = `${address.slice(0, 4)}…${address.slice(-4)}`;
      return listItem({ name: label, detail, icon, onClick: () => resolve(account) });
    });
    find('accounts')?.replaceChildren(...items);
  });
}

/** What verifies a payment; nothing if it did not arrive. */
function loadVerification() {
  return import('./verification.js').catch(() => undefined);
}

/**
 * The unsigned transaction by which an account pays, and what it pays in words. Throws what keeps it from that, and what the
 * transaction does in addition to or in place of what this page says.
 * @param {PayingAccount} account
 * @param {string | undefined} amount
 */
async function build({ address }, amount) {
  const reply = await fetch(linkPath() + (amount === undefined ? '' : `?amount=${amount}`), {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ account: address }),
  }).catch(() => {
    throw new Refused('The service cannot be reached. Nothing was paid.');
  });
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Refused(body.message ?? 'The payment could not be prepared. Nothing was paid.');
  const verification = await loadVerification();
  if (!verification) throw new Refused('This page did not load completely. Nothing was paid. Reload it.');
  const { terms = '', min = '', decimals } = main.dataset;
  const asked = amount === undefined ? { amount: min } : { amount_decimal: amount };
  const { verified, difference } = await verification.verifyPayment(
    { ...JSON.parse(decodeURIComponent(terms)), account: address, ...asked },
    body.transaction,
    { decimals: Number(decimals), headers: reply.headers },
  );
  if (difference) throw new Refused(describeDifference(difference));
  return { transaction: verified.transaction, what: body.message ? `${body.message.replace(/\.$/, '')}.` : '' };
}

/** @param {VerificationError} difference */
function describeDifference({ code, part, expected, actual }) {
  const found = `${code}: ${part}: expected ${expected}, found ${actual.slice(0, 200)}`;
  return `The transaction does not do what this page says. Your wallet was not asked, and nothing was paid. ${found}.`;
}

function offerWallets() {
  const wallets = find('wallets');
  if (!wallets) return;
  wallets.hidden = false;
  findWallets(network, (wallet) => {
    wallets.dataset.found = 'yes';
    const payer = walletPayer(wallet, network);
    find('wallet-list')?.append(listItem({ name: payer.name, icon: wallet.icon, onClick: () => pay(payer) }));
  });
}

/** Offers the wallets of the sandbox. The page of a real network has no place for them. */
async function offerSandbox() {
  if (!find('sandbox')) return;
  const { offerSandboxWallets } = await import('./sandbox-payer.js');
  offerSandboxWallets(pay);
}

function followButtons() {
  find('back')?.addEventListener('click', () => {
    attempt += 1;
    sent = undefined;
    rememberSent(sent);
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

/** Writes the end of the link in the payer's own time. */
function localTime() {
  const time = /** @type {HTMLTimeElement | null} */ (find('expires'));
  if (!time) return;
  const options = /** @type {const} */ ({ dateStyle: 'medium', timeStyle: 'short' });
  time.textContent = `${new Date(time.dateTime).toLocaleString('en', options)} (your time)`;
}

if (sent && main.dataset.phase === 'open') showSent();
if (sent) askNow();
recallUnanswered();
alertPayer();
localTime();
offerWallets();
offerSandbox();
followButtons();
