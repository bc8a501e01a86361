import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getCreateAccountInstruction, getInitializeNonceAccountInstruction } from '@solana-program/system';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { nameIn, systemProgram } from '../addresses.ts';
import type { Situation } from '../situation.ts';
import { clearAccount } from '../token-account.ts';
import { signTransaction } from '../transaction.ts';
import type { Cluster } from './cluster.ts';

const nonceAccountBytes = 80n;

/** Makes the nonce account of a situation by a transaction, so that its history is whole. */
export function createNonceAccount(cluster: Cluster, situation: Situation, payer: Keypair): void {
  const { ledger } = cluster;
  const { world, feePayer, sender } = situation;
  const nonceAccount = keypairFromName(nameIn(world, 'nonce account'));
  if (nonceAccount.address !== situation.nonceAccount) throw new Error('the nonce account has another address');
  clearAccount(ledger, nonceAccount.address);
  const nonceAuthority = world.options.nonceAccount?.state === 'of_fee_payer' ? feePayer : sender;
  const instructions = [
    getCreateAccountInstruction({
      payer: createNoopSigner(payer.address),
      newAccount: createNoopSigner(nonceAccount.address),
      lamports: ledger.minimumBalanceForRentExemption(nonceAccountBytes),
      space: nonceAccountBytes,
      programAddress: systemProgram,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: nonceAccount.address, nonceAuthority }),
  ];
  const empty = setTransactionMessageFeePayer(payer.address, createTransactionMessage({ version: 0 }));
  const message = appendTransactionMessageInstructions(
    instructions,
    setTransactionMessageLifetimeUsingBlockhash(ledger.latestBlockhash(), empty),
  );
  const { error } = cluster.send(signTransaction(compileTransaction(message), [payer, nonceAccount]));
  if (error !== null) throw new Error(`the nonce account was not made: ${JSON.stringify(error)}`);
  cluster.advance(1, 0);
}
