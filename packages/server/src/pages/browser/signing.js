import { shortName } from './names.js';
import { sendToSandbox, signOnSandbox } from './sandbox-wallets.js';
import { signersOf } from './transaction-bytes.js';
import { connectWallet, sendByWallet } from './wallets.js';

/** @import { PayingWallet } from './wallets.js' */

/**
 * What signs and sends.
 * @typedef {{ waitingFor: string } & ({ kind: 'sandbox' } | { kind: 'wallet', wallet: PayingWallet })} Signer
 */

const { chain = '', rpc = '' } = document.querySelector('main')?.dataset ?? {};

/** The network of the page: as the Wallet Standard names it, and the JSON-RPC of the sandbox. Either is empty where it is not there. */
export const network = { chain: /** @type {`solana:${string}`} */ (chain), rpcUrl: rpc };

/**
 * Signs a transaction and sends it. Returns it as it was sent, as far as that is known.
 * @param {Signer} signer
 * @param {Uint8Array} bytes
 */
export async function signAndSend(signer, bytes) {
  if (signer.kind === 'sandbox') {
    const signed = await signOnSandbox(bytes);
    await sendToSandbox(network.rpcUrl, signed);
    return signed;
  }
  const { wallet } = signer;
  const [first = '', ...others] = signersOf(bytes);
  if (others.length > 0) {
    const names = [first, ...others].map(shortName).join(' and ');
    throw new Error(`${names} must sign. A wallet signs for one of them: let each sign the bytes, then send them.`);
  }
  const account = (await connectWallet(wallet, network.chain)).find(({ address }) => address === first);
  if (!account) throw new Error(`${wallet.name} does not share the account ${first}, which must sign.`);
  await sendByWallet(wallet, account, network.chain, bytes);
  return bytes;
}
