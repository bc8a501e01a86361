import { createMemoInstruction } from '@solana/spl-memo';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { PublicKey, Transaction } from '@solana/web3.js';
import { type Builder, decimals } from './transfer-work.ts';

/** `@solana/web3.js` with `@solana/spl-token` and `@solana/spl-memo`, as most services do it. */
export const web3jsBuilder: Builder = {
  id: 'web3js',
  name: '@solana/web3.js',
  build(work) {
    const sender = new PublicKey(work.sender);
    const recipient = new PublicKey(work.recipient);
    const mint = new PublicKey(work.mint);
    const source = getAssociatedTokenAddressSync(mint, sender);
    const destination = getAssociatedTokenAddressSync(mint, recipient);
    const transaction = new Transaction();
    transaction.feePayer = sender;
    transaction.recentBlockhash = work.blockhash;
    transaction.add(
      work.memo === undefined
        ? createAssociatedTokenAccountIdempotentInstruction(sender, destination, recipient, mint)
        : createMemoInstruction(work.memo, [sender]),
      createTransferCheckedInstruction(source, mint, destination, sender, BigInt(work.amount), decimals),
    );
    return transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  },
};
