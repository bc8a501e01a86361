import { readFileSync } from 'node:fs';
import { createKeyPairFromBytes, getAddressFromPublicKey, getBase58Decoder } from '@solana/kit';

/** A wallet of the sandbox; on a real network its key is in the wallet of whoever pays. */
interface Wallet {
  name: string;
  address: string;
  secret_key: string;
}

/** What `GET /sandbox/world` names, or your own configuration. */
export interface World {
  api_key: string;
  rpc_url: string;
  wallets: [alice: Wallet, bob: Wallet, ...others: Wallet[]];
  mints: [usdc: { address: string }];
  nonce_accounts: [{ address: string }];
}

/** Where the service runs. */
export const service = process.env.SPLWRIGHT_URL || `http://127.0.0.1:${process.env.PORT || 3000}`;

/**
 * Reads who pays whom: with `KEYPAIR_FILE` from the environment, as docs/go-live.md says, otherwise from the service's sandbox.
 *
 * Ends the program when there is neither.
 */
export async function readWorld(): Promise<World> {
  const { KEYPAIR_FILE: keypairFile } = process.env;
  if (keypairFile) return readOwnWorld(keypairFile);
  const response = await fetch(`${service}/sandbox/world`).catch(() => undefined);
  if (response?.ok) return (await response.json()) as World;
  return endWith(
    response
      ? `The service at ${service} has no sandbox: set KEYPAIR_FILE to pay with your own key, as docs/go-live.md says.`
      : `No service answers at ${service}. Start it by npm start, or set SPLWRIGHT_URL to where it runs.`,
  );
}

/** The payer's key is in a file of `solana-keygen`: a JSON array of 64 bytes. */
async function readOwnWorld(keypairFile: string): Promise<World> {
  const variable = (name: string) => process.env[name] || endWith(`${name} is not set: see docs/go-live.md.`);
  variable('SPLWRIGHT_URL');
  const secretKey = readKeypair(keypairFile);
  const { publicKey } = await createKeyPairFromBytes(secretKey);
  const payer = await getAddressFromPublicKey(publicKey);
  return {
    api_key: variable('SPLWRIGHT_API_KEY'),
    rpc_url: variable('SOLANA_RPC_URL'),
    wallets: [
      { name: 'payer', address: payer, secret_key: getBase58Decoder().decode(secretKey) },
      { name: 'recipient', address: variable('TO_ADDRESS'), secret_key: '' },
    ],
    mints: [{ address: variable('TOKEN_MINT_ADDRESS') }],
    nonce_accounts: [{ address: process.env.NONCE_ACCOUNT ?? '' }],
  };
}

function readKeypair(file: string): Uint8Array {
  try {
    const numbers = JSON.parse(readFileSync(file, 'utf8'));
    if (numbers.length === 64) return Uint8Array.from(numbers);
  } catch {
    // Its text is never shown.
  }
  return endWith(`${file} must be there, and hold a JSON array of 64 numbers, as solana-keygen writes it.`);
}

/** Ends the program with a sentence. */
export function endWith(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
