import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit';
import {
  getAssignInstruction,
  getAuthorizeNonceAccountInstruction,
  getCreateAccountWithSeedInstruction,
  getInitializeNonceAccountInstruction,
  getTransferSolWithSeedInstruction,
  getWithdrawNonceAccountInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import {
  AccountState,
  AuthorityType,
  getApproveCheckedInstruction,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenInstruction,
  getDisableMemoTransfersInstruction,
  getEnableCpiGuardInstruction,
  getFreezeAccountInstruction,
  getHarvestWithheldTokensToMintInstruction,
  getInitializeDefaultAccountStateInstruction,
  getInitializeMint2Instruction,
  getInitializeTransferFeeConfigInstruction,
  getInitializeTransferHookInstruction,
  getMintToInstruction,
  getPauseInstruction,
  getRevokeInstruction,
  getSetAuthorityInstruction,
  getSetTransferFeeInstruction,
  getSyncNativeInstruction,
  getTransferCheckedWithFeeInstruction,
  getTransferInstruction,
  getUpdateRateInterestBearingMintInstruction,
  getWithdrawWithheldTokensFromAccountsInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { keypairFromName } from '../../../src/ledger/keypair.ts';
import { parseInstruction } from '../../../src/rpc/parsed/parse-instruction.ts';

const named = (name: string): Address => keypairFromName(`parsed ${name}`).address;
const signer = (name: string) => createNoopSigner(named(name));
const [source, destination, mint, other] = ['source', 'destination', 'mint', 'other'].map(named) as [
  Address,
  Address,
  Address,
  Address,
];
const tokens = { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' };
const fee = { amount: '5', decimals: 6, uiAmount: 0.000005, uiAmountString: '0.000005' };

/** Reads an instruction that another library has made, in a transaction of its own. */
function parse({ programAddress, accounts = [], data = new Uint8Array() }: Instruction) {
  const addresses = [programAddress, ...accounts.map((account) => account.address)];
  const accountIndices = accounts.map((_, index) => index + 1);
  return parseInstruction({ programIndex: 0, accountIndices, data: Uint8Array.from(data) }, addresses);
}

/** Instructions by other libraries, and what a validator calls them. */
const cases: readonly (readonly [Instruction, type: string, info: object])[] = [
  [
    getTransferInstruction({ source, destination, authority: signer('owner'), amount: 7n }),
    'transfer',
    { source, destination, amount: '7', authority: named('owner') },
  ],
  [
    getApproveCheckedInstruction({
      source,
      mint,
      delegate: other,
      owner: signer('owner'),
      amount: 1_500_000n,
      decimals: 6,
    }),
    'approveChecked',
    { source, mint, delegate: other, tokenAmount: tokens, owner: named('owner') },
  ],
  [getRevokeInstruction({ source, owner: signer('owner') }), 'revoke', { source, owner: named('owner') }],
  [
    getSetAuthorityInstruction({
      owned: mint,
      owner: signer('owner'),
      authorityType: AuthorityType.FreezeAccount,
      newAuthority: null,
    }),
    'setAuthority',
    { mint, authorityType: 'freezeAccount', newAuthority: null, authority: named('owner') },
  ],
  [
    getSetAuthorityInstruction({
      owned: source,
      owner: signer('owner'),
      authorityType: AuthorityType.AccountOwner,
      newAuthority: other,
    }),
    'setAuthority',
    { account: source, authorityType: 'accountOwner', newAuthority: other, authority: named('owner') },
  ],
  [
    getMintToInstruction({ mint, token: destination, mintAuthority: signer('owner'), amount: 7n }),
    'mintTo',
    { mint, account: destination, amount: '7', mintAuthority: named('owner') },
  ],
  [
    getBurnCheckedInstruction({ account: source, mint, authority: signer('owner'), amount: 1_500_000n, decimals: 6 }),
    'burnChecked',
    { account: source, mint, tokenAmount: tokens, authority: named('owner') },
  ],
  [
    getCloseAccountInstruction({ account: source, destination, owner: signer('owner') }),
    'closeAccount',
    { account: source, destination, owner: named('owner') },
  ],
  [
    getFreezeAccountInstruction({ account: source, mint, owner: signer('owner') }),
    'freezeAccount',
    { account: source, mint, freezeAuthority: named('owner') },
  ],
  [getSyncNativeInstruction({ account: source }), 'syncNative', { account: source }],
  [
    getInitializeMint2Instruction({ mint, decimals: 6, mintAuthority: other }),
    'initializeMint2',
    { mint, decimals: 6, mintAuthority: other },
  ],
  [
    getInitializeTransferFeeConfigInstruction({
      mint,
      transferFeeConfigAuthority: other,
      withdrawWithheldAuthority: null,
      transferFeeBasisPoints: 50,
      maximumFee: 9n,
    }),
    'initializeTransferFeeConfig',
    { mint, transferFeeConfigAuthority: other, transferFeeBasisPoints: 50, maximumFee: 9n },
  ],
  [
    getTransferCheckedWithFeeInstruction({
      source,
      mint,
      destination,
      authority: signer('owner'),
      amount: 1_500_000n,
      decimals: 6,
      fee: 5n,
    }),
    'transferCheckedWithFee',
    { source, mint, destination, tokenAmount: tokens, feeAmount: fee, authority: named('owner') },
  ],
  [
    getWithdrawWithheldTokensFromAccountsInstruction({
      mint,
      feeReceiver: destination,
      withdrawWithheldAuthority: signer('owner'),
      numTokenAccounts: 2,
      sources: [source, other],
    }),
    'withdrawWithheldTokensFromAccounts',
    {
      mint,
      feeRecipient: destination,
      sourceAccounts: [source, other],
      withdrawWithheldAuthority: named('owner'),
    },
  ],
  [
    getHarvestWithheldTokensToMintInstruction({ mint, sources: [source] }),
    'harvestWithheldTokensToMint',
    { mint, sourceAccounts: [source] },
  ],
  [
    getSetTransferFeeInstruction({
      mint,
      transferFeeConfigAuthority: signer('owner'),
      transferFeeBasisPoints: 50,
      maximumFee: 9n,
    }),
    'setTransferFee',
    { mint, transferFeeBasisPoints: 50, maximumFee: 9n, transferFeeConfigAuthority: named('owner') },
  ],
  [
    getInitializeDefaultAccountStateInstruction({ mint, state: AccountState.Frozen }),
    'initializeDefaultAccountState',
    { mint, accountState: 'frozen' },
  ],
  [
    getDisableMemoTransfersInstruction({ token: source, owner: signer('owner') }),
    'disableRequiredMemoTransfers',
    { account: source, owner: named('owner') },
  ],
  [
    getUpdateRateInterestBearingMintInstruction({ mint, rateAuthority: signer('owner'), rate: -7 }),
    'updateInterestBearingConfigRate',
    { mint, newRate: -7, rateAuthority: named('owner') },
  ],
  [
    getEnableCpiGuardInstruction({ token: source, owner: signer('owner') }),
    'enableCpiGuard',
    { account: source, owner: named('owner') },
  ],
  [
    getInitializeTransferHookInstruction({ mint, authority: null, programId: other }),
    'initializeTransferHook',
    { mint, programId: other },
  ],
  [getPauseInstruction({ mint, authority: signer('owner') }), 'pause', { mint, authority: named('owner') }],
  [
    getAssignInstruction({ account: signer('source'), programAddress: TOKEN_2022_PROGRAM_ADDRESS }),
    'assign',
    { account: source, owner: TOKEN_2022_PROGRAM_ADDRESS },
  ],
  [
    getCreateAccountWithSeedInstruction({
      payer: signer('source'),
      newAccount: destination,
      baseAccount: signer('other'),
      base: other,
      seed: 'seed',
      amount: 5n,
      space: 6n,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    'createAccountWithSeed',
    {
      source,
      newAccount: destination,
      base: other,
      seed: 'seed',
      lamports: 5n,
      space: 6n,
      owner: SYSTEM_PROGRAM_ADDRESS,
    },
  ],
  [
    getTransferSolWithSeedInstruction({
      source,
      baseAccount: signer('other'),
      destination,
      amount: 5n,
      fromSeed: 'seed',
      fromOwner: SYSTEM_PROGRAM_ADDRESS,
    }),
    'transferWithSeed',
    {
      source,
      sourceBase: other,
      destination,
      lamports: 5n,
      sourceSeed: 'seed',
      sourceOwner: SYSTEM_PROGRAM_ADDRESS,
    },
  ],
  [
    getInitializeNonceAccountInstruction({ nonceAccount: source, nonceAuthority: other }),
    'initializeNonce',
    {
      nonceAccount: source,
      recentBlockhashesSysvar: 'SysvarRecentB1ockHashes11111111111111111111',
      rentSysvar: 'SysvarRent111111111111111111111111111111111',
      nonceAuthority: other,
    },
  ],
  [
    getAuthorizeNonceAccountInstruction({
      nonceAccount: source,
      nonceAuthority: signer('owner'),
      newNonceAuthority: other,
    }),
    'authorizeNonce',
    { nonceAccount: source, nonceAuthority: named('owner'), newAuthorized: other },
  ],
  [
    getWithdrawNonceAccountInstruction({
      nonceAccount: source,
      recipientAccount: destination,
      nonceAuthority: signer('owner'),
      withdrawAmount: 5n,
    }),
    'withdrawFromNonce',
    {
      nonceAccount: source,
      destination,
      recentBlockhashesSysvar: 'SysvarRecentB1ockHashes11111111111111111111',
      rentSysvar: 'SysvarRent111111111111111111111111111111111',
      nonceAuthority: named('owner'),
      lamports: 5n,
    },
  ],
  [
    getCreateAssociatedTokenInstruction({ payer: signer('source'), ata: destination, owner: other, mint }),
    'create',
    {
      source,
      account: destination,
      wallet: other,
      mint,
      systemProgram: SYSTEM_PROGRAM_ADDRESS,
      tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    },
  ],
];

describe('an instruction in words', () => {
  for (const [instruction, type, info] of cases) {
    it(`is read as another library wrote it: ${type}`, () => {
      assert.deepEqual(parse(instruction)?.parsed, { type, info });
    });
  }

  it('names the multisig and its signers', () => {
    const authority = { authority: other, multiSigners: [signer('one'), signer('two')] };
    const parsed = parse(getTransferInstruction({ source, destination, amount: 7n, ...authority }))?.parsed;
    const signers = [named('one'), named('two')];
    assert.deepEqual(parsed, {
      type: 'transfer',
      info: { source, destination, amount: '7', multisigAuthority: other, signers },
    });
  });

  it('is undefined when bytes or accounts are missing, or the program is unknown', () => {
    const transfer = getTransferInstruction({ source, destination, authority: signer('owner'), amount: 7n });
    assert.equal(parse({ ...transfer, data: transfer.data.slice(0, 5) }), undefined);
    assert.equal(parse({ ...transfer, accounts: [{ address: source, role: AccountRole.WRITABLE }] }), undefined);
    assert.equal(parse({ ...transfer, programAddress: other }), undefined);
    assert.equal(parse({ ...transfer, data: Uint8Array.of(200) }), undefined);
  });
});
