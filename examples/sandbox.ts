/** A wallet of the sandbox; on a real network its key is in the wallet of whoever pays. */
interface Wallet {
  name: string;
  address: string;
  secret_key: string;
}

/** What `GET /sandbox/world` names; on a real network all of it comes from your configuration. */
export interface World {
  api_key: string;
  rpc_url: string;
  wallets: [alice: Wallet, bob: Wallet, ...others: Wallet[]];
  mints: [usdc: { address: string }];
  nonce_accounts: [{ address: string }];
}

/** Where the service runs. */
export const service = process.env.SPLWRIGHT_URL || `http://127.0.0.1:${process.env.PORT || 3000}`;

/** Reads the world of the service's sandbox. Ends the program when there is none. */
export async function readWorld(): Promise<World> {
  const response = await fetch(`${service}/sandbox/world`).catch(() => undefined);
  if (response?.ok) return (await response.json()) as World;
  return endWith(
    response
      ? `The service at ${service} has no sandbox. Start one by npm start, without SOLANA_RPC_URLS.`
      : `No service answers at ${service}. Start it by npm start, or set SPLWRIGHT_URL to where it runs.`,
  );
}

/** Ends the program with a sentence. */
export function endWith(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
