import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit';
import {
  getAdvanceNonceAccountInstruction,
  getAllocateInstruction,
  getAssignInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import {
  getCreateAssociatedTokenInstruction,
  getRevokeInstruction,
  getSetTransferFeeInstruction,
  getTransferCheckedWithFeeInstruction,
  getTransferInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { keypairFromName } from '../../../src/ledger/keypair.ts';
import { parseInstruction } from '../../../src/rpc/parsed/parse-instruction.ts';
import { memo } from '../../fixtures.ts';

const named = (name: string): Address => keypairFromName(`parsed ${name}`).address;
const signer = (name: string) => createNoopSigner(named(name));
const [source, destination, mint, owner] = [named('source'), named('destination'), named('mint'), named('owner')];

/** Reads an instruction that another library has made, in a transaction of its own. */
function parse({ programAddress, accounts = [], data = new Uint8Array() }: Instruction) {
  const addresses = [programAddress, ...accounts.map((account) => account.address)];
  const accountIndices = accounts.map((_, index) => index + 1);
  return parseInstruction({ programIndex: 0, accountIndices, data: Uint8Array.from(data) }, addresses);
}

const transfer = getTransferInstruction({ source, destination, authority: signer('owner'), amount: 7n });
const fee = { transferFeeConfigAuthority: signer('owner'), transferFeeBasisPoints: 50, maximumFee: 9n };

/** Instructions by other libraries that no recorded transfer has, and what a validator calls them. */
const cases: readonly (readonly [Instruction, program: string, type: string, info: object])[] = [
  [transfer, 'spl-token', 'transfer', { source, destination, amount: '7', authority: owner }],
  [
    getTransferCheckedWithFeeInstruction({
      ...{ source, mint, destination, authority: signer('owner') },
      ...{ amount: 1_500_000n, decimals: 6, fee: 5n },
    }),
    'spl-token',
    'transferCheckedWithFee',
    {
      ...{ source, mint, destination, authority: owner },
      tokenAmount: { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' },
      feeAmount: { amount: '5', decimals: 6, uiAmount: 0.000005, uiAmountString: '0.000005' },
    },
  ],
  [
    getTransferSolInstruction({ source: signer('source'), destination, amount: 7n }),
    'system',
    'transfer',
    { source, destination, lamports: 7n },
  ],
  [
    getAdvanceNonceAccountInstruction({ nonceAccount: source, nonceAuthority: signer('owner') }),
    'system',
    'advanceNonce',
    {
      nonceAccount: source,
      recentBlockhashesSysvar: 'SysvarRecentB1ockHashes11111111111111111111',
      nonceAuthority: owner,
    },
  ],
  [
    getAssignInstruction({ account: signer('source'), programAddress: TOKEN_2022_PROGRAM_ADDRESS }),
    'system',
    'assign',
    { account: source, owner: TOKEN_2022_PROGRAM_ADDRESS },
  ],
  [
    getAllocateInstruction({ newAccount: signer('source'), space: 165n }),
    'system',
    'allocate',
    { account: source, space: 165n },
  ],
  [
    getCreateAssociatedTokenInstruction({ payer: signer('source'), ata: destination, owner, mint }),
    'spl-associated-token-account',
    'create',
    {
      ...{ source, account: destination, wallet: owner, mint },
      ...{ systemProgram: SYSTEM_PROGRAM_ADDRESS, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS },
    },
  ],
];

describe('an instruction in words', () => {
  for (const [instruction, program, type, info] of cases) {
    it(`is read as another library wrote it: ${type}`, () => {
      assert.deepEqual(parse(instruction), { program, parsed: { type, info } });
    });
  }

  it('is the text of a memo', () => {
    assert.deepEqual(parse(memo('größer')), { program: 'spl-memo', parsed: 'größer' });
  });

  it('names the multisig and its signers', () => {
    const multiSigners = [signer('one'), signer('two')];
    const ofMultisig = getTransferInstruction({ source, destination, amount: 7n, authority: owner, multiSigners });
    const signers = [named('one'), named('two')];
    const info = { source, destination, amount: '7', multisigAuthority: owner, signers };
    assert.deepEqual(parse(ofMultisig)?.parsed, { type: 'transfer', info });
  });

  it('is undefined when bytes or accounts are missing, the program is unknown, or it moves no tokens', () => {
    assert.equal(parse({ ...transfer, data: transfer.data.slice(0, 5) }), undefined);
    assert.equal(parse({ ...transfer, accounts: [{ address: source, role: AccountRole.WRITABLE }] }), undefined);
    assert.equal(parse({ ...transfer, programAddress: owner }), undefined);
    assert.equal(parse(getRevokeInstruction({ source, owner: signer('owner') })), undefined);
    assert.equal(parse(getSetTransferFeeInstruction({ mint, ...fee })), undefined);
  });
});
