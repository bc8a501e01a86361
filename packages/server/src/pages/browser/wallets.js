/** @import { Wallet, WalletAccount } from '@wallet-standard/base' */
/** @import { StandardConnectFeature } from '@wallet-standard/features' */
/** @import { SolanaSignAndSendTransactionFeature } from '@solana/wallet-standard-features' */

/** @typedef {StandardConnectFeature & SolanaSignAndSendTransactionFeature} Features */
/** @typedef {Omit<Wallet, 'features'> & { features: Features }} PayingWallet */

const send = 'solana:signAndSendTransaction';
const connect = 'standard:connect';

/**
 * Calls `found` with every wallet of this browser, now and later, that can send payments on a chain.
 * @param {string} chain
 * @param {(wallet: PayingWallet) => void} found
 */
export function findWallets(chain, found) {
  /** @type {Set<unknown>} */
  const known = new Set();
  const api = Object.freeze({
    /** @param {Wallet[]} wallets */
    register: (...wallets) => {
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

/**
 * @param {Wallet} wallet
 * @param {string} chain
 * @returns {wallet is PayingWallet}
 */
function canPay(wallet, chain) {
  return wallet.chains.some((each) => each === chain) && send in wallet.features && connect in wallet.features;
}

/**
 * Asks a wallet which of its accounts may pay here.
 * @param {PayingWallet} wallet
 * @param {string} chain
 * @returns {Promise<readonly WalletAccount[]>}
 */
export async function connectWallet(wallet, chain) {
  const { accounts } = await wallet.features[connect].connect();
  return accounts.filter((account) => account.chains.some((each) => each === chain) && account.features.includes(send));
}

/**
 * Lets a wallet sign and send a transaction: the signature.
 * @param {PayingWallet} wallet
 * @param {WalletAccount} account
 * @param {`${string}:${string}`} chain
 * @param {Uint8Array} transaction
 */
export async function sendByWallet(wallet, account, chain, transaction) {
  // The blockhash is of a confirmed block: a node that looks for it among the finalized ones would not know it yet.
  const options = /** @type {const} */ ({ preflightCommitment: 'confirmed' });
  const [sent] = await wallet.features[send].signAndSendTransaction({ account, chain, transaction, options });
  if (!sent) throw new Error('The wallet did not say whether it sent the payment.');
  return sent.signature;
}
