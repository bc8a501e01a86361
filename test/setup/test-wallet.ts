import type { SolanaSignAndSendTransactionFeature } from '@solana/wallet-standard-features';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import type { StandardConnectFeature } from '@wallet-standard/features';
import type { BrowserContext } from 'playwright-core';

/** What a test wallet is, and what it does in Node. */
export interface TestWallet {
  name: string;
  /** The addresses of its accounts. */
  accounts: readonly string[];
  chains?: readonly `solana:${string}`[];
  /** A wallet that signs but does not send has none. */
  send?: (asked: AskedOfWallet) => Promise<Uint8Array>;
}

/** What a page has asked a wallet to sign and send. */
export interface AskedOfWallet {
  address: string;
  chain: string;
  preflightCommitment: string | undefined;
  transaction: Uint8Array;
}

type Features = StandardConnectFeature & SolanaSignAndSendTransactionFeature;

/** The part of a window that wallets register themselves at. */
interface WalletsWindow {
  addEventListener(type: string, listener: (event: { detail: { register(wallet: Wallet): void } }) => void): void;
  dispatchEvent(event: unknown): void;
  askTestWallet(name: string, address: string, chain: string, options: string, bytes: number[]): Promise<number[]>;
}

/** Adds a wallet of the Wallet Standard to every page of a browser context: it signs and sends in Node. */
export async function addTestWallets(context: BrowserContext, wallets: readonly TestWallet[]): Promise<void> {
  const ask: WalletsWindow['askTestWallet'] = async (name, address, chain, options, bytes) => {
    const wallet = wallets.find((each) => each.name === name);
    if (wallet?.send === undefined) throw new Error('this wallet does not send');
    const { preflightCommitment } = Object(JSON.parse(options));
    return [...(await wallet.send({ address, chain, preflightCommitment, transaction: Uint8Array.from(bytes) }))];
  };
  await context.exposeFunction('askTestWallet', ask);
  const plain = wallets.map(({ name, accounts, chains = ['solana:localnet'], send }) => {
    return { name, accounts: [...accounts], chains: [...chains], canSend: send !== undefined };
  });
  // Runs in the page, before its scripts: half of the wallets are there before the app, the others come after it.
  await context.addInitScript((wanted: typeof plain) => {
    const page: WalletsWindow = Object(globalThis);
    const picture =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#7c3aed"/></svg>';
    const icon: Wallet['icon'] = `data:image/svg+xml;base64,${btoa(picture)}`;
    for (const [index, { name, accounts, chains, canSend }] of wanted.entries()) {
      const own: WalletAccount[] = accounts.map((address) => {
        return {
          address,
          publicKey: new Uint8Array(32),
          chains,
          features: canSend ? ['solana:signAndSendTransaction'] : [],
        };
      });
      const features: Features = {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: own }) },
        'solana:signAndSendTransaction': {
          version: '1.0.0',
          supportedTransactionVersions: ['legacy', 0],
          signAndSendTransaction: async (...inputs) =>
            Promise.all(
              inputs.map(async ({ account, chain, options, transaction }) => ({
                signature: Uint8Array.from(
                  await page.askTestWallet(name, account.address, chain, JSON.stringify(options ?? {}), [
                    ...transaction,
                  ]),
                ),
              })),
            ),
        },
      };
      const { 'standard:connect': connectOnly } = features;
      const wallet: Wallet = {
        version: '1.0.0',
        name,
        icon,
        chains,
        features: canSend ? features : { 'standard:connect': connectOnly },
        accounts: own,
      };
      page.addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register(wallet));
      // As wallets do it: the event brings a function that wants the API of the app.
      const announce = (): void => {
        const event = Object.assign(new Event('wallet-standard:register-wallet'), {
          detail: (api: { register(wallet: Wallet): void }) => api.register(wallet),
        });
        page.dispatchEvent(event);
      };
      if (index % 2 === 0) announce();
      else setTimeout(announce, 100);
    }
  }, plain);
}
