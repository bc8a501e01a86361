import { fromBase58 } from './base58.js';
import { shortName } from './names.js';
import { callSandbox } from './sandbox-node.js';
import { signedBytes, signersOf, toBase64 } from './transaction-bytes.js';
import { connectWallet, sendByWallet } from './wallets.js';

/** @import { PayingWallet } from './wallets.js' */

/**
 * What signs and sends.
 * @typedef {{ waitingFor: string } & ({ kind: 'sandbox' } | { kind: 'wallet', wallet: PayingWallet })} Signer
 */

const { chain = '', rpc = '' } = document.querySelector('main')?.dataset ?? {};

/** The network of the page: as the Wallet Standard names it, and the JSON-RPC of the sandbox. Either is empty if it is not known. */
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

/**
 * Whether an error says that nothing was sent: the sandbox has refused it, or the user of the wallet. After any other end only the
 * chain knows.
 * @param {Signer} signer
 * @param {unknown} error
 */
export function isUnsent(signer, error) {
  const { code, message } = Object(error);
  return signer.kind === 'sandbox' || code === 4001 || /reject|denied|declin|cancel/i.test(String(message));
}

/** The sandbox refused a transaction, or did not answer: nothing landed. */
class SandboxRefusal extends Error {}

/** @type {Promise<{ address: string, secret_key: string }[]> | undefined} */
let wallets;

/** The wallets of the sandbox, with their keys, which are public. */
async function readWallets() {
  const reply = await fetch('/sandbox/world');
  return (await reply.json()).wallets;
}

/**
 * Signs a transaction with the keys of the sandbox's world.
 * @param {Uint8Array} bytes
 */
export async function signOnSandbox(bytes) {
  wallets ??= readWallets();
  const known = await wallets;
  return signedBytes(bytes, async (signer, message) => {
    const wallet = known.find(({ address }) => address === signer);
    if (!wallet) throw new SandboxRefusal(`${signer} is no wallet of the sandbox: sign with a wallet of your own.`);
    if (!globalThis.crypto?.subtle) throw new SandboxRefusal('This browser signs only on localhost and over https.');
    return sign(fromBase58(wallet.secret_key), message);
  });
}

/**
 * Sends a signed transaction to the sandbox's own JSON-RPC.
 * @param {string} rpcUrl
 * @param {Uint8Array} signed
 */
export async function sendToSandbox(rpcUrl, signed) {
  const params = [toBase64(signed), { encoding: 'base64', preflightCommitment: 'confirmed' }];
  const { error } = await callSandbox(rpcUrl, 'sendTransaction', params).catch(() => {
    throw new SandboxRefusal(`The sandbox at ${rpcUrl} cannot be reached: it listens on the machine of the service.`);
  });
  if (error) throw new SandboxRefusal(error.message);
}

/**
 * @param {Uint8Array} secretKey the seed and the public key
 * @param {Uint8Array<ArrayBuffer>} message
 */
async function sign(secretKey, message) {
  const part = (/** @type {number} */ start) => urlBase64(secretKey.subarray(start, start + 32));
  const key = { kty: 'OKP', crv: 'Ed25519', d: part(0), x: part(32) };
  const imported = await crypto.subtle.importKey('jwk', key, 'Ed25519', false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('Ed25519', imported, message));
}

/** @param {Uint8Array} bytes */
function urlBase64(bytes) {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
