import type { TransferWorld } from './transfer-world.ts';
import type { MintExtension, World } from './world.ts';

/** A world in which nothing is odd. */
export const plainWorld: World = {
  seed: 0,
  number: 0,
  operation: 'memo_transfer',
  mint: { kind: 'classic', decimals: 6 },
  amount: 1_000n,
  memo: { text: 'order 7', costly: false },
  senderWallet: 'system',
  lamports: 'plenty',
  senderTokenAccount: 'open',
  balance: 'plenty',
  recipientWallet: 'funded',
  recipientTokenAccount: 'open',
  options: {},
};

/** What makes a plain world one in which the recipient's token account is created. */
export const creating = { operation: 'create_transfer', recipientTokenAccount: 'missing' } as const;

/** A Token-2022 mint with these extensions. */
export function token2022(...extensions: MintExtension[]): World['mint'] {
  return { kind: 'token_2022', decimals: 6, extensions };
}

/** What a transfer asks for when it asks for nothing. */
export const plainTransfer: TransferWorld = {
  createTokenAccount: 'if_missing',
  hasMemo: false,
  amountText: 'base_units',
  splits: [],
};
