import {
  createKeyPairFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  signTransaction,
} from '@solana/kit';
import { Keypair, Transaction, VersionedTransaction } from '@solana/web3.js';
import type { SandboxWorld } from '../../packages/sandbox/src/index.ts';

/** Signs the bytes of an unsigned transaction as a wallet does, with a library that is not ours: wire bytes, signed. */
export type Wallet = (transactionBytes: Uint8Array, secretKey: string) => Promise<Uint8Array>;

/** Three wallets, each on another decoder of the libraries that callers use. */
export const wallets: Readonly<Record<string, Wallet>> = {
  'web3.js Transaction': async (bytes, secretKey) => {
    const transaction = Transaction.from(bytes);
    transaction.sign(toKeypair(secretKey));
    return transaction.serialize();
  },
  'web3.js VersionedTransaction': async (bytes, secretKey) => {
    const transaction = VersionedTransaction.deserialize(bytes);
    transaction.sign([toKeypair(secretKey)]);
    return transaction.serialize();
  },
  kit: async (bytes, secretKey) => {
    const keyPair = await createKeyPairFromBytes(getBase58Encoder().encode(secretKey));
    const signed = await signTransaction([keyPair], getTransactionDecoder().decode(bytes));
    return Buffer.from(getBase64EncodedWireTransaction(signed), 'base64');
  },
};

/** Signs the bytes of an unsigned transaction of any version with every secret key, as wallets do one after another. */
export async function signWith(bytes: Uint8Array, secretKeys: readonly (string | undefined)[]): Promise<Uint8Array> {
  const keyPairs = secretKeys.map((secretKey) => createKeyPairFromBytes(getBase58Encoder().encode(secretKey ?? '')));
  const signed = await signTransaction(await Promise.all(keyPairs), getTransactionDecoder().decode(bytes));
  return Buffer.from(getBase64EncodedWireTransaction(signed), 'base64');
}

/** The wallets of the sandbox's world that pay and are paid. */
export function peopleOf({ wallets: all }: SandboxWorld) {
  return { alice: named(all, 'alice'), bob: named(all, 'bob'), carol: named(all, 'carol') };
}

/** The web3.js keypair of a base58 secret key. */
export function toKeypair(secretKey: string): Keypair {
  return Keypair.fromSecretKey(Uint8Array.from(getBase58Encoder().encode(secretKey)));
}

/** The wallet or mint of the sandbox's world with this name. Throws when there is none. */
export function named<T extends SandboxWorld['wallets'][number] | SandboxWorld['mints'][number]>(
  entries: readonly T[],
  name: string,
): T {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw new Error(`the sandbox has no ${name}`);
  return found;
}
