import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import {
  makeNonceAccount,
  makeStakeAccount,
  makeUninitializedNonceAccount,
  setLamports,
} from '../../setup/token-wallets.ts';
import { type RefusalCase, refusalsAt } from './refusals-case.ts';

const plan = { kind: tokenMintKinds['classic-6'] };
const systemProgram = '11111111111111111111111111111111';
const stakeProgram = 'Stake11111111111111111111111111111111111111';

const stakeAccount = keypairFromName('stake account that pays');
const plainWallet = keypairFromName('wallet that is no nonce account').address;
const missing = keypairFromName('nonce account that is missing').address;
const uninitialized = keypairFromName('nonce account not initialized').address;
const somebodys = keypairFromName('nonce account of somebody').address;

const nonce = (nonceAccount: typeof missing) => ({
  options: { nonce_account: nonceAccount },
  unchecked: { nonceAccount },
});

/** Refusals because of an optional field. */
export const optionRefusals: readonly RefusalCase[] = refusalsAt('/nonce_account', [
  {
    code: 'fee_payer_not_a_wallet',
    operation: 'memo',
    plan,
    prepare: (ledger) => makeStakeAccount(ledger, stakeAccount.address),
    options: { fee_payer: stakeAccount.address },
    unchecked: { feePayer: stakeAccount },
    pointer: '/fee_payer',
    detail: () =>
      `The account ${stakeAccount.address} belongs to the program ${stakeProgram}, not to the System program, so it cannot ` +
      'pay the network fee. Let a plain wallet pay.',
  },
  {
    code: 'nonce_account_not_found',
    operation: 'yid',
    plan,
    ...nonce(missing),
    detail: () => `There is no account at ${missing}. Create the nonce account first.`,
  },
  {
    code: 'not_a_nonce_account',
    operation: 'memo',
    plan,
    prepare: (ledger) => setLamports(ledger, plainWallet, 1_000_000_000n),
    ...nonce(plainWallet),
    detail: () =>
      `${plainWallet} is an account of the program ${systemProgram} with 0 bytes of data; a nonce account is one of the ` +
      'System program with 80. Send the address of a nonce account.',
  },
  {
    code: 'nonce_account_not_initialized',
    operation: 'create',
    plan,
    prepare: (ledger) => makeUninitializedNonceAccount(ledger, uninitialized),
    ...nonce(uninitialized),
    detail: () => `The nonce account ${uninitialized} is not initialized. Initialize it first.`,
  },
  {
    code: 'nonce_authority_not_a_signer',
    operation: 'memo',
    plan,
    prepare: (ledger) => makeNonceAccount(ledger, somebodys),
    ...nonce(somebodys),
    detail: ({ sender }) =>
      `The authority of the nonce account ${somebodys} is ${faucet.address}, who does not sign this transaction ` +
      `(${sender.address} would). Use a nonce account of a signer.`,
  },
  {
    code: 'priority_fee_too_high',
    operation: 'memo',
    plan,
    options: { priority_fee: '100000000' },
    pointer: '/priority_fee',
    detail: async (_situation, _ledger, ask) => {
      const { summary } = await ask({ priority_fee: '1', summary: true });
      return (
        `The priority fee would be ${100 * summary.compute_unit_limit} lamports; this service allows 1000000. priority_fee ` +
        'counts micro-lamports per compute unit: send a lower price, or a level.'
      );
    },
  },
]);
