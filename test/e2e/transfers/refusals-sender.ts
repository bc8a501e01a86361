import { readTokenAccount } from '../../setup/token-account-data.ts';
import { approve, freeze, giveAway } from '../../setup/token-account-states.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { makeStakeAccount } from '../../setup/token-wallets.ts';
import { type RefusalCase, refusalsAt } from './refusals-case.ts';

const classic = tokenMintKinds['classic-6'];
const stakeProgram = 'Stake11111111111111111111111111111111111111';

/** Refusals because of the sender. */
export const senderRefusals: readonly RefusalCase[] = refusalsAt('/from_address', [
  {
    code: 'sender_not_a_wallet',
    operation: 'memo',
    plan: { kind: classic, changeSenderWallet: makeStakeAccount },
    detail: ({ sender }) =>
      `The account ${sender.address} belongs to the program ${stakeProgram}, not to the System program, so it cannot pay ` +
      'the network fee. Let a plain wallet pay.',
  },
  {
    code: 'sender_token_account_not_found',
    operation: 'create',
    plan: { kind: classic, senderTokens: 'none' },
    detail: ({ sender, mint, senderTokenAccount }) =>
      `${sender.address} has no token account for the mint ${mint.address}: there is none at ${senderTokenAccount}. It must ` +
      'receive some of this token first.',
  },
  {
    code: 'sender_token_account_not_owned',
    operation: 'memo',
    plan: { kind: classic, changeSender: giveAway },
    detail: ({ sender, senderTokenAccount }, ledger) =>
      `The token account ${senderTokenAccount} of ${sender.address} now belongs to ` +
      `${readTokenAccount(ledger, senderTokenAccount)?.owner}, who alone can send from it. Send from another wallet.`,
  },
  {
    code: 'sender_token_account_frozen',
    operation: 'yid',
    plan: { kind: classic, changeSender: freeze },
    detail: ({ sender, mint, senderTokenAccount }) =>
      `The token account ${senderTokenAccount} of ${sender.address} is frozen. Ask the issuer of ${mint.address} to thaw it.`,
  },
  {
    code: 'insufficient_token_balance',
    operation: 'memo',
    plan: { kind: classic, senderTokens: 999_999n, amount: 1_500_000n },
    pointer: '/amount',
    detail: ({ sender, senderTokenAccount }) =>
      `The token account ${senderTokenAccount} of ${sender.address} has 999999 base units (0.999999 tokens); this transfer ` +
      'needs 1500000 base units (1.5 tokens), 500001 more. Send less, or fund it first.',
  },
  {
    code: 'insufficient_token_balance',
    because: 'a delegation to oneself',
    operation: 'create',
    plan: { kind: classic, changeSender: (account) => approve(account, account.owner.address, 999n) },
    pointer: '/amount',
    detail: ({ sender, senderTokenAccount }) =>
      `The token account ${senderTokenAccount} has its owner ${sender.address} as its delegate, for 999 base units ` +
      '(0.000999 tokens); this transfer needs 1000 base units (0.001 tokens). Send less, or revoke the delegation.',
  },
  {
    code: 'insufficient_sol',
    because: 'rent',
    operation: 'create',
    plan: { kind: classic, senderLamports: () => 1_000_000n },
    detail: ({ sender }) =>
      `${sender.address} has 1000000 lamports (0.001 SOL); the transaction takes 1493440 lamports (0.00149344 SOL): 5000 for ` +
      'the network fee and 1488440 for the rent of the new token account; it lacks 493440 lamports (0.00049344 SOL). An account ' +
      'holds a minimum for its place on the ledger: a wallet may keep nothing, or at least 650240 lamports (0.00065024 SOL). Fund ' +
      'it to at least 2143680 lamports (0.00214368 SOL).',
  },
  {
    code: 'insufficient_sol',
    because: 'what would be left',
    operation: 'memo',
    plan: { kind: classic, senderLamports: () => 655_239n },
    detail: ({ sender }) =>
      `${sender.address} has 655239 lamports (0.000655239 SOL); the transaction takes 5000 lamports (0.000005 SOL): 5000 for ` +
      'the network fee; that would leave 650239 lamports (0.000650239 SOL). An account holds a minimum for its place on the ' +
      'ledger: a wallet may keep nothing, or at least 650240 lamports (0.00065024 SOL). Fund it to at least 655240 lamports ' +
      '(0.00065524 SOL).',
  },
]);
