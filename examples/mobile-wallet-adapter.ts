import { fromBase64, toBase58, toBase64 } from 'splwright-client';

/** What is used of the wallet that `transact` of `@solana-mobile/mobile-wallet-adapter-protocol` hands over. */
export interface MobileWallet {
  authorize(request: {
    chain: `solana:${string}`;
    identity: { name: string; uri: string };
    auth_token?: string;
  }): Promise<{ accounts: readonly { address: string }[]; auth_token: string }>;
  signAndSendTransactions(request: {
    payloads: string[];
    options: { commitment: string };
  }): Promise<{ signatures: readonly string[] }>;
}

/** The shop's app: its name in the wallet, its network, and its backend, which alone has the API key. */
export interface App {
  chain: `solana:${string}`;
  identity: { name: string; uri: string };
  /** Has the backend build the payment of this wallet. */
  build(address: string): Promise<Uint8Array>;
}

/**
 * Pays in one session of the Mobile Wallet Adapter: `transact((wallet) => payInSession(wallet, app))`.
 *
 * Returns the signature, which the backend need not believe: it asks for the outcome of what it built. Keep the `authToken`:
 * with it the wallet does not ask the customer again whether the app may connect.
 */
export async function payInSession(
  wallet: MobileWallet,
  { chain, identity, build }: App,
  authToken?: string,
): Promise<{ signature: string; authToken: string }> {
  const authorized = await wallet.authorize({
    chain,
    identity,
    ...(authToken !== undefined && { auth_token: authToken }),
  });
  const [account] = authorized.accounts;
  if (!account) throw new Error('the wallet has no account');
  // Everything here is base64: addresses and signatures too, which are base58 elsewhere.
  const transaction = await build(toBase58(fromBase64(account.address)));
  const { signatures } = await wallet.signAndSendTransactions({
    payloads: [toBase64(transaction)],
    options: { commitment: 'confirmed' },
  });
  const [signature] = signatures;
  if (signature === undefined) throw new Error('the wallet sent nothing');
  return { signature: toBase58(fromBase64(signature)), authToken: authorized.auth_token };
}
