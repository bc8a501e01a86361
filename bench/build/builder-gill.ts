import {
  address,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransaction,
  getTransactionEncoder,
} from 'gill';
import {
  getAddMemoInstruction,
  getAssociatedTokenAccountAddress,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from 'gill/programs';
import { type Builder, decimals, memoProgram } from './transfer-work.ts';

const encoder = getTransactionEncoder();

/** `gill`, by its parts: its own plan of a transfer adds instructions that were not asked for. */
export const gillBuilder: Builder = {
  id: 'gill',
  name: 'gill',
  async build(work) {
    const authority = createNoopSigner(address(work.sender));
    const recipient = address(work.recipient);
    const mint = address(work.mint);
    const [source, destination] = await Promise.all([
      getAssociatedTokenAccountAddress(mint, authority.address),
      getAssociatedTokenAccountAddress(mint, recipient),
    ]);
    const token = { programAddress: TOKEN_PROGRAM_ADDRESS };
    const first =
      work.memo === undefined
        ? getCreateAssociatedTokenIdempotentInstruction({
            payer: authority,
            ata: destination,
            owner: recipient,
            mint,
            tokenProgram: TOKEN_PROGRAM_ADDRESS,
          })
        : getAddMemoInstruction({ memo: work.memo, signers: [authority] }, { programAddress: address(memoProgram) });
    const amount = BigInt(work.amount);
    const transfer = getTransferCheckedInstruction({ source, mint, destination, authority, amount, decimals }, token);
    const message = createTransaction({
      version: 'legacy',
      feePayer: authority,
      instructions: [first, transfer],
      latestBlockhash: { blockhash: blockhash(work.blockhash), lastValidBlockHeight: 0n },
    });
    return Uint8Array.from(encoder.encode(compileTransaction(message)));
  },
};
