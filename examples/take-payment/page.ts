import type { SolanaSignAndSendTransactionFeature } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';
import type { StandardConnectFeature } from '@wallet-standard/features';
import { fromBase64, signAndSend } from 'splwright-client';

type SendingWallet = Wallet & { features: StandardConnectFeature & SolanaSignAndSendTransactionFeature };

/** What the backend says of the order. */
interface Order {
  price: string;
  chain: Wallet['chains'][number];
  isPaid: boolean;
  isFinal: boolean;
  signature?: string;
}

const id = new URLSearchParams(location.search).get('order') ?? '1001';
const orderText = find('order');
const priceText = find('price');
const walletList = find('wallets');
const checkout = find('checkout');
const stateText = find('state');

const { price, chain, isPaid } = await ask<Order>(`/orders/${id}`);
orderText.textContent = id;
priceText.textContent = price;
const wallets = getWallets();
for (const wallet of wallets.get()) offer(wallet);
// Some wallets come a moment after the page.
wallets.on('register', (...late) => late.forEach(offer));

checkout.setAttribute('action', `/orders/${id}/checkout`);
checkout.addEventListener('submit', () => {
  showOffer(false);
  stateText.textContent = 'Waiting for the payment on the checkout page.';
  showUntilFinal();
});

if (isPaid) {
  showOffer(false);
  await showUntilFinal();
}

function find(name: string): HTMLElement {
  const element = document.getElementById(name);
  if (!element) throw new Error(`the page has no ${name}`);
  return element;
}

function showOffer(isShown: boolean): void {
  walletList.hidden = !isShown;
  checkout.hidden = !isShown;
}

function showFailure(error: unknown): void {
  showOffer(true);
  stateText.textContent = error instanceof Error ? error.message : 'That did not work.';
}

function offer(wallet: Wallet): void {
  if (!isSending(wallet) || !wallet.chains.includes(chain)) return;
  const button = document.createElement('button');
  button.textContent = `Pay with ${wallet.name}`;
  button.addEventListener('click', () => {
    pay(wallet).catch(showFailure);
  });
  const item = document.createElement('li');
  item.append(button);
  walletList.append(item);
}

function isSending(wallet: Wallet): wallet is SendingWallet {
  return 'standard:connect' in wallet.features && 'solana:signAndSendTransaction' in wallet.features;
}

/** Asks the wallet for its account, the backend for the transaction, and the wallet to sign and send it. */
async function pay(wallet: SendingWallet): Promise<void> {
  showOffer(false);
  stateText.textContent = `Approve in ${wallet.name}.`;
  const { accounts } = await wallet.features['standard:connect'].connect();
  const [account] = accounts;
  if (!account) throw new Error(`${wallet.name} has no account.`);
  const built = await ask<{ transaction: string }>(`/orders/${id}/payment`, { account: account.address });
  await signAndSend(wallet, account, chain, { transaction: fromBase64(built.transaction) });
  stateText.textContent = 'Sent.';
  showUntilFinal();
}

/** Shows what the backend says until it can no longer change. An answer that does not come is asked for again: the payment is on its way. */
async function showUntilFinal(): Promise<void> {
  for (;;) {
    const order = await ask<Order>(`/orders/${id}`).catch(() => undefined);
    const { isPaid, isFinal, signature } = order ?? {};
    if (isPaid) stateText.textContent = isFinal ? `Paid: ${signature}` : 'Paid. Final in a few seconds.';
    if (isFinal) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, body && { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}
