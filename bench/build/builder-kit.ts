import {
  address,
  appendTransactionMessageInstructions,
  blockhash as asBlockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { type Builder, decimals, memoProgram } from './transfer-work.ts';

const encoder = getTransactionEncoder();

/** `@solana/kit` with the program clients, as its documentation builds a transfer. */
export const kitBuilder: Builder = {
  id: 'kit',
  name: '@solana/kit',
  async build(work) {
    const authority = createNoopSigner(address(work.sender));
    const recipient = address(work.recipient);
    const mint = address(work.mint);
    const [[source], [destination]] = await Promise.all([
      findAssociatedTokenPda({ owner: authority.address, tokenProgram: TOKEN_PROGRAM_ADDRESS, mint }),
      findAssociatedTokenPda({ owner: recipient, tokenProgram: TOKEN_PROGRAM_ADDRESS, mint }),
    ]);
    const first: Instruction =
      work.memo === undefined
        ? getCreateAssociatedTokenIdempotentInstruction({ payer: authority, ata: destination, owner: recipient, mint })
        : getAddMemoInstruction({ memo: work.memo, signers: [authority] }, { programAddress: address(memoProgram) });
    const transfer = getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority,
      amount: BigInt(work.amount),
      decimals,
    });
    const message = pipe(
      createTransactionMessage({ version: 'legacy' }),
      (empty) => setTransactionMessageFeePayerSigner(authority, empty),
      (paid) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: asBlockhash(work.blockhash), lastValidBlockHeight: 0n },
          paid,
        ),
      (living) => appendTransactionMessageInstructions([first, transfer], living),
    );
    return Uint8Array.from(encoder.encode(compileTransaction(message)));
  },
};
