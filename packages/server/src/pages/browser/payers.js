import { connectWallet, sendByWallet } from './wallets.js';

/** @import { PayingWallet } from './wallets.js' */

/** @typedef {{ title: string, message: string }} StepWords */

/**
 * An account that can pay. `send` signs and sends a transaction: the signature.
 * @typedef {{ address: string, label?: string | undefined, icon?: string | undefined, send: (transaction: Uint8Array) => Promise<Uint8Array> }} PayingAccount
 */

/**
 * What pays, with what the page says while it is asked for its accounts, and for the payment.
 * @typedef {{ name: string, opening: StepWords, approving: StepWords, connect: () => Promise<readonly PayingAccount[]> }} Payer
 */

/**
 * A wallet of the browser.
 * @param {PayingWallet} wallet
 * @param {`solana:${string}`} network
 * @returns {Payer}
 */
export function walletPayer(wallet, network) {
  const { name } = wallet;
  return {
    name,
    opening: { title: `Opening ${name}`, message: 'Allow this page to ask for the payment.' },
    approving: {
      title: `Approve in ${name}`,
      message: 'Compare amount and recipient with this page before you approve.',
    },
    connect: async () =>
      (await connectWallet(wallet, network)).map((account) => ({
        address: account.address,
        label: account.label,
        icon: account.icon,
        send: (transaction) => sendByWallet(wallet, account, network, transaction),
      })),
  };
}
