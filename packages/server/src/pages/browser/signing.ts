import { make, makeButton } from './dom.ts';
import { shortName } from './names.ts';
import { network, sendOnSandbox } from './sandbox.ts';
import { signersOf } from './transaction-bytes.ts';
import { connectWallet, findWallets, isRefusal, type PayingWallet, sendByWallet } from './wallets.ts';

export type Signer = { waitingFor: string } & ({ kind: 'sandbox' } | { kind: 'wallet'; wallet: PayingWallet });

/** Why no signer was asked: nothing was sent. */
export class NotAsked extends Error {}

/** Adds a button for every way to sign: the sandbox's keys, and each wallet of the browser. */
export function offerSigners(place: HTMLElement, bytes: Uint8Array, send: (signer: Signer) => void): void {
  const names = signersOf(bytes).map(shortName).join(' and ');
  if (network.rpcUrl) {
    const waitingFor = `Signing as ${names}.`;
    place.append(makeButton(`Sign as ${names} and send`, 'button', () => send({ kind: 'sandbox', waitingFor })));
  }
  const none = make('p', { class: 'hint' }, 'No wallet that can send on this network was found in this browser.');
  if (!network.rpcUrl) place.append(none);
  if (!network.chain) return;
  findWallets(network.chain, (wallet) => {
    none.remove();
    const waitingFor = `Approve it in ${wallet.name}.`;
    const button = makeButton(`Sign and send with ${wallet.name}`, 'row', () =>
      send({ kind: 'wallet', wallet, waitingFor }),
    );
    place.append(button);
  });
}

/** Signs a transaction and sends it. Returns it as it was sent, as far as that is known. */
export async function signAndSend(signer: Signer, bytes: Uint8Array): Promise<Uint8Array> {
  if (signer.kind === 'sandbox') return sendOnSandbox(bytes);
  const { wallet } = signer;
  const [first = '', ...others] = signersOf(bytes);
  if (others.length > 0) {
    const names = [first, ...others].map(shortName).join(' and ');
    throw new NotAsked(
      `${names} must all sign, and a wallet signs for one. Have each of them sign the bytes, then send them.`,
    );
  }
  const accounts = await connectWallet(wallet, network.chain).catch((error: unknown) => {
    throw new NotAsked(`${wallet.name} does not connect: ${error instanceof Error ? error.message : error}`);
  });
  const account = accounts.find(({ address }) => address === first);
  if (!account) throw new NotAsked(`${wallet.name} has not shared the account ${first}, which must sign.`);
  await sendByWallet(wallet, account, network.chain, bytes);
  return bytes;
}

/** Whether an error says that nothing was sent. After any other end only the chain knows. */
export function isUnsent(signer: Signer, error: unknown): boolean {
  return signer.kind === 'sandbox' || error instanceof NotAsked || isRefusal(error);
}
