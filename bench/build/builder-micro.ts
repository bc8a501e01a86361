import { associatedToken, Transaction, token, tokenAddress } from 'micro-sol-signer';
import { type Builder, decimals, memoProgram } from './transfer-work.ts';

const text = new TextEncoder();

/** `micro-sol-signer`, which has no memo of its own and no create that does nothing when the account is there. */
export const microBuilder: Builder = {
  id: 'micro',
  name: 'micro-sol-signer',
  build({ sender, recipient, mint, blockhash, amount, memo }) {
    const source = tokenAddress(mint, sender);
    const destination = tokenAddress(mint, recipient);
    const first =
      memo === undefined
        ? associatedToken.create({ source: sender, account: destination, wallet: recipient, mint })
        : {
            program: memoProgram,
            keys: [{ address: sender, sign: true, write: false }],
            data: text.encode(memo),
          };
    const transfer = token.transferChecked({
      source,
      mint,
      destination,
      owner: sender,
      amount: BigInt(amount),
      decimals,
    });
    return Transaction.encode({
      msg: { feePayer: sender, blockhash, instructions: [first, transfer] },
      signatures: {},
    });
  },
};
