import { decodeBase58 } from 'splwright-core/base58';
import { find } from './dom.ts';
import { signatureOf, signedBytes, toBase64 } from './transaction-bytes.ts';
import type { Payer } from './wallets.ts';

const { chain = '', rpc = '' } = document.querySelector('main')?.dataset ?? {};

/** The network of the page: as the Wallet Standard names it, and the JSON-RPC of the sandbox. Either is empty if it is not known. */
export const network = { chain: chain as `solana:${string}`, rpcUrl: rpc };

/** The sandbox refused a transaction, or did not answer: nothing landed. */
class SandboxRefusal extends Error {
  /** As of a wallet whose user has refused. */
  readonly code = 4001;
}

/** Calls the JSON-RPC of the sandbox: its result or its error. Rejects where it cannot be reached. */
export async function callSandbox<Result>(
  method: string,
  params: readonly unknown[],
): Promise<{ result: Result; error?: undefined } | { error: { message: string } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(network.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return reply.json();
}

/** Signs a transaction with the keys of the sandbox's wallets, which are public, and sends it. Returns it as it was sent. */
export async function sendOnSandbox(bytes: Uint8Array): Promise<Uint8Array> {
  const wallets = await readWallets();
  const signed = await signedBytes(bytes, async (signer, message) => {
    const wallet = wallets.find(({ address }) => address === signer);
    if (!wallet) throw new SandboxRefusal(`${signer} is not a sandbox wallet: sign with your own wallet.`);
    if (!globalThis.crypto?.subtle) throw new SandboxRefusal('This browser can sign only on localhost or over HTTPS.');
    return sign(wallet.secret_key, message);
  });
  const params = [toBase64(signed), { encoding: 'base64', preflightCommitment: 'confirmed' }];
  const { error } = await callSandbox('sendTransaction', params).catch(() => {
    const reason = 'cannot be reached: it listens only on the machine that runs the service.';
    throw new SandboxRefusal(`The sandbox at ${network.rpcUrl} ${reason}`);
  });
  if (error) throw new SandboxRefusal(error.message);
  return signed;
}

async function readWallets(): Promise<readonly { address: string; secret_key: string }[]> {
  const reply = await fetch('/sandbox/world');
  return (await reply.json()).wallets;
}

async function sign(secretKey: string, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const decoded = decodeBase58(secretKey);
  if ('invalidAt' in decoded) throw new SandboxRefusal('A sandbox key is not base58.');
  // The seed, and the public key.
  const part = (start: number) => urlBase64(decoded.bytes.subarray(start, start + 32));
  const key = { kty: 'OKP', crv: 'Ed25519', d: part(0), x: part(32) };
  const imported = await crypto.subtle.importKey('jwk', key, 'Ed25519', false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('Ed25519', imported, message));
}

function urlBase64(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Offers on the page of a link to pay as a wallet of the sandbox, and calls `pay` with the one that was chosen. */
export function offerSandboxWallets(pay: (payer: Payer) => void): void {
  const choice = find<HTMLSelectElement>('sandbox-wallet');
  const button = find('pay-as');
  if (!choice || !button) return;
  const nameChosen = () => choice.selectedOptions[0]?.text ?? '';
  const showName = () => {
    button.textContent = `Pay as ${nameChosen()}`;
  };
  choice.addEventListener('change', showName);
  button.addEventListener('click', () => pay(sandboxPayer(nameChosen(), choice.value)));
  // A browser may have kept the choice over a reload.
  showName();
  find('sandbox')?.removeAttribute('hidden');
}

function sandboxPayer(name: string, address: string): Payer {
  return {
    name,
    opening: { title: `Paying as ${name}`, message: 'A sandbox wallet.' },
    approving: { title: `Signing as ${name}`, message: 'With a sandbox key, in this browser.' },
    connect: async () => [{ address, send: async (transaction) => signatureOf(await sendOnSandbox(transaction)) }],
  };
}
