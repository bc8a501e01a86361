import { freshWallet } from './chain-accounts.ts';

/** The inputs of a request without a fault and without a memo: 1.5 tokens between fresh wallets. */
export const goodInputs = {
  createTokenAccount: 'never' as const,
  from: freshWallet(),
  to: freshWallet(),
  mint: freshWallet(),
  amount: '1500000',
};
