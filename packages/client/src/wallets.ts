import type { Lifetime } from './api-types.ts';
import { toBase58 } from './bytes.ts';

/** What wallets and libraries need of a built transaction. */
export interface Signable {
  transaction: Uint8Array;
  lifetime: Lifetime;
}

/**
 * How a built transaction is sent.
 *
 * At `finalized`, which is the default, a node that has not finalized the blockhash answers "Blockhash not found".
 */
export const sendOptions = { preflightCommitment: 'confirmed' } as const;

/** The functions of `@solana/kit` that are used: give it the module. */
interface Kit<Transaction, Blockhash> {
  getTransactionDecoder(): { decode(bytes: Uint8Array): Transaction };
  blockhash(text: string): Blockhash;
}

/** Hands a built transaction to `@solana/kit`, with its lifetime, which kit's own decoder cannot know. Throws with a nonce. */
export function toKit<Transaction, Blockhash>(
  kit: Kit<Transaction, Blockhash>,
  { transaction, lifetime: { blockhash, last_valid_block_height: lastHeight } }: Signable,
): Transaction & { lifetimeConstraint: { blockhash: Blockhash; lastValidBlockHeight: bigint } } {
  if (blockhash === undefined || lastHeight === undefined) throw new Error('the transaction lives by a nonce');
  const lifetimeConstraint = { blockhash: kit.blockhash(blockhash), lastValidBlockHeight: BigInt(lastHeight) };
  return { ...kit.getTransactionDecoder().decode(transaction), lifetimeConstraint };
}

/** The class of `@solana/web3.js` that is used: give it the module. */
interface Web3<Transaction> {
  VersionedTransaction: { deserialize(bytes: Uint8Array): Transaction };
}

/**
 * Hands a built transaction to `@solana/web3.js`, with what its `confirmTransaction` takes.
 *
 * A legacy transaction works as a `VersionedTransaction` too. Throws with a nonce. `lastValidBlockHeight` is what the service says: that an
 * expired transaction cannot land is proven by your own node alone.
 */
export function toWeb3<Transaction>(
  web3: Web3<Transaction>,
  { transaction, lifetime: { blockhash, last_valid_block_height: lastHeight } }: Signable,
): { transaction: Transaction; confirmation: { blockhash: string; lastValidBlockHeight: number } } {
  if (blockhash === undefined || lastHeight === undefined) throw new Error('the transaction lives by a nonce');
  return {
    transaction: web3.VersionedTransaction.deserialize(transaction),
    confirmation: { blockhash, lastValidBlockHeight: Number(lastHeight) },
  };
}

/** A network as wallets name it, such as `solana:mainnet`. */
type Chain = `${string}:${string}`;

/** The feature of a Wallet Standard wallet that signs and sends. */
interface SendingWallet<Account> {
  features: {
    'solana:signAndSendTransaction': {
      signAndSendTransaction(input: {
        account: Account;
        chain: Chain;
        transaction: Uint8Array;
        options: typeof sendOptions;
      }): Promise<readonly { signature: Uint8Array }[]>;
    };
  };
}

/** Lets a Wallet Standard wallet sign and send a built transaction. `chain` is such as `solana:mainnet`. Returns the signature. */
export async function signAndSend<Account>(
  wallet: SendingWallet<Account>,
  account: Account,
  chain: Chain,
  { transaction }: Pick<Signable, 'transaction'>,
): Promise<string> {
  const feature = wallet.features['solana:signAndSendTransaction'];
  const [sent] = await feature.signAndSendTransaction({ account, chain, transaction, options: sendOptions });
  if (!sent) throw new Error('the wallet sent nothing');
  return toBase58(sent.signature);
}
