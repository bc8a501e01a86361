import type { SolanaSignAndSendTransactionFeature } from '@solana/wallet-standard-features';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import type { StandardConnectFeature } from '@wallet-standard/features';

/** A wallet of the browser that can send payments. */
export type PayingWallet = Omit<Wallet, 'features'> & {
  features: StandardConnectFeature & SolanaSignAndSendTransactionFeature;
};

/** Said while it waits. */
export interface StepWords {
  title: string;
  message: string;
}

/** An account that can pay. `send` signs and sends a transaction: the signature. */
export interface PayingAccount {
  address: string;
  label?: string | undefined;
  icon?: string | undefined;
  send: (transaction: Uint8Array) => Promise<Uint8Array>;
}

/** A wallet that pays, with the words while it is asked. */
export interface Payer {
  name: string;
  opening: StepWords;
  approving: StepWords;
  connect: () => Promise<readonly PayingAccount[]>;
}

const send = 'solana:signAndSendTransaction';
const connect = 'standard:connect';

/** Calls `found` with every wallet of this browser, now and later, that can send payments on a chain. */
export function findWallets(chain: string, found: (wallet: PayingWallet) => void): void {
  const known = new Set<Wallet>();
  const api = Object.freeze({
    register: (...wallets: readonly Wallet[]) => {
      for (const wallet of wallets) {
        if (known.has(wallet)) continue;
        known.add(wallet);
        if (canPay(wallet, chain)) found(wallet);
      }
      return () => {};
    },
  });
  // A wallet that comes later brings a function that wants the API; one that is there waits for it.
  addEventListener('wallet-standard:register-wallet', (event) => {
    const register = 'detail' in event ? event.detail : undefined;
    if (typeof register === 'function') register(api);
  });
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
}

function canPay(wallet: Wallet, chain: string): wallet is PayingWallet {
  return wallet.chains.some((each) => each === chain) && send in wallet.features && connect in wallet.features;
}

/** Asks a wallet which of its accounts may pay here. */
export async function connectWallet(wallet: PayingWallet, chain: string): Promise<readonly WalletAccount[]> {
  const { accounts } = await wallet.features[connect].connect();
  return accounts.filter((account) => account.chains.some((each) => each === chain) && account.features.includes(send));
}

/** Lets a wallet sign and send a transaction: the signature. */
export async function sendByWallet(
  wallet: PayingWallet,
  account: WalletAccount,
  chain: `${string}:${string}`,
  transaction: Uint8Array,
): Promise<Uint8Array> {
  // The blockhash is of a confirmed block: a node that looks for it among the finalized ones would not know it yet.
  const options = { preflightCommitment: 'confirmed' } as const;
  const [sent] = await wallet.features[send].signAndSendTransaction({ account, chain, transaction, options });
  if (!sent) throw new Error('The wallet did not say whether it sent the payment.');
  return sent.signature;
}

/** Whether an error says that nothing was sent. After any other one only the chain knows. */
export function isRefusal(error: unknown): boolean {
  const { code, message } = Object(error);
  return code === 4001 || /reject|denied|declin|cancel/i.test(message);
}

/** A wallet of the browser as the page of a link has it. */
export function walletPayer(wallet: PayingWallet, chain: `solana:${string}`): Payer {
  const { name } = wallet;
  return {
    name,
    opening: { title: `Opening ${name}`, message: 'Allow this page to request the payment.' },
    approving: {
      title: `Approve in ${name}`,
      message: 'Check the amount and the recipient against this page before you approve.',
    },
    connect: async () =>
      (await connectWallet(wallet, chain)).map((account) => ({
        address: account.address,
        label: account.label,
        icon: account.icon,
        send: (transaction) => sendByWallet(wallet, account, chain, transaction),
      })),
  };
}
