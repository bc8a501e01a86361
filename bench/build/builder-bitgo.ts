import { buildFromIntent } from '@bitgo/wasm-solana';
import { type Builder, decimals } from './transfer-work.ts';

/** BitGo's builder, Rust in WebAssembly: a payment always creates the recipient's token account, and has its memo last. */
export const bitgoBuilder: Builder = {
  id: 'bitgo',
  name: '@bitgo/wasm-solana',
  build({ sender, recipient, mint, blockhash, amount, memo }) {
    const payment = {
      intentType: 'payment',
      recipients: [
        {
          address: { address: recipient },
          amount: { value: BigInt(amount) },
          tokenAddress: mint,
          decimalPlaces: decimals,
        },
      ],
      ...(memo !== undefined && { memo }),
    };
    const nonce = { type: 'blockhash', value: blockhash } as const;
    return buildFromIntent(payment, { feePayer: sender, nonce }).transaction.toBytes();
  },
};
