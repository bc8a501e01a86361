import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  AccountRole,
  type Address,
  address,
  createNoopSigner,
  createSolanaRpc,
  getAddressEncoder,
  getTransactionDecoder,
  type Instruction,
  lamports,
} from '@solana/kit';
import { getExtraAccountMetas } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import {
  type ExtraAccountMeta,
  findAssociatedTokenPda,
  getTokenDecoder,
  getTransferCheckedInstruction,
  getTransferCheckedWithTransferHookInstructionAsync,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';
import { type TransactionError, toTransactionError } from '../../packages/sandbox/src/ledger/transaction-error.ts';
import {
  accountDataSeed,
  accountKeySeed,
  accountPdaMeta,
  encodeExtraAccountMetaList,
  executeAccounts,
  hookPdaMeta,
  instructionDataSeed,
  literalMeta,
  literalSeed,
  pubkeyDataMeta,
  validationAddressOf,
} from './hook-extra-account-metas.ts';
import { createHookMint } from './hook-mint.ts';
import { acceptingHook, countingHook, installHookProgram, refusingHook, wrongAccountCount } from './hook-program.ts';

const alice = keypairFromName('splwright sandbox wallet alice');
const bob = keypairFromName('splwright sandbox wallet bob').address;
const clock = address('SysvarC1ock11111111111111111111111111111111');
const hookOf = (name: string): Address => keypairFromName(`hook ${name}`).address;

const transferAmount = 250n;

/** `AccountResolutionError::IncorrectAccount` of spl-tlv-account-resolution. */
const incorrectAccount = 2_724_315_840;

/** A fixed address, and one derived from a text, the amount, the destination's address and the source's owner. */
const twoMetas: readonly ExtraAccountMeta[] = [
  literalMeta(clock),
  hookPdaMeta([literalSeed('counter'), instructionDataSeed(8, 8), accountKeySeed(2), accountDataSeed(0, 32, 32)], {
    isWritable: true,
  }),
];

describe('a transfer hook program in the sandbox', () => {
  let sandbox: Sandbox;
  let mints = 0;
  before(async () => {
    sandbox = await startSandbox({ rpcPort: 0, slotMs: 0 });
  });
  after(() => sandbox.close());

  /** Makes a mint with this hook, of which alice has 1000 and bob nothing. */
  async function mintWithHook(program: Uint8Array, extraAccountMetas: readonly ExtraAccountMeta[] | undefined) {
    mints += 1;
    const hookProgram = hookOf(String(mints));
    installHookProgram(sandbox.ledger, hookProgram, program);
    const holders = [
      { wallet: alice.address, amount: 1000n },
      { wallet: bob, amount: 0n },
    ];
    const name = String(mints);
    const mint = await createHookMint(sandbox.ledger, {
      name,
      decimals: 2,
      hookProgram,
      holders,
      ...(extraAccountMetas && { extraAccountMetas }),
    });
    const tokenProgram = TOKEN_2022_PROGRAM_ADDRESS;
    const [source] = await findAssociatedTokenPda({ owner: alice.address, mint, tokenProgram });
    const [destination] = await findAssociatedTokenPda({ owner: bob, mint, tokenProgram });
    const transfer = {
      source,
      mint,
      destination,
      authority: createNoopSigner(alice.address),
      amount: transferAmount,
      decimals: 2,
    };
    const rpc = createSolanaRpc(sandbox.rpcUrl);
    return {
      mint,
      hookProgram,
      plain: getTransferCheckedInstruction(transfer),
      resolved: await getTransferCheckedWithTransferHookInstructionAsync({ rpc }, transfer),
      bobsTokens: () =>
        getTokenDecoder().decode(sandbox.ledger.getAccount(destination)?.data ?? new Uint8Array()).amount,
    };
  }

  const send = (instruction: Instruction) =>
    sandbox.ledger.sendTransaction(signedTransaction([instruction], [alice], sandbox.ledger.latestBlockhash()));

  const withAccounts = (instruction: Instruction, ...added: readonly Address[]): Instruction => {
    const extra = added.map((each) => ({ address: each, role: AccountRole.READONLY }));
    return { ...instruction, accounts: [...(instruction.accounts ?? []), ...extra] };
  };

  for (const metas of [[], twoMetas]) {
    it(`lets a transfer with ${metas.length} extra accounts through when it accepts everything`, async () => {
      const { resolved, hookProgram, bobsTokens } = await mintWithHook(acceptingHook(), metas);
      const { error, logs } = send(resolved);
      assert.equal(error, null);
      assert.ok(logs.includes(`Program ${hookProgram} invoke [2]`));
      assert.equal(bobsTokens(), transferAmount);
    });

    it(`is given ${metas.length} extra accounts after the five of Execute`, async () => {
      const { resolved, bobsTokens } = await mintWithHook(countingHook(executeAccounts + metas.length), metas);
      assert.equal(send(resolved).error, null);
      assert.equal(bobsTokens(), transferAmount);
    });

    it(`fails a transfer with ${metas.length} extra accounts when it counts on one more`, async () => {
      const { resolved, bobsTokens } = await mintWithHook(countingHook(executeAccounts + metas.length + 1), metas);
      assert.deepEqual(send(resolved).error, { InstructionError: [0, { Custom: wrongAccountCount }] });
      assert.equal(bobsTokens(), 0n);
    });

    it(`refuses a transfer with ${metas.length} extra accounts with its own error`, async () => {
      for (const code of [1, 4242, 0xffff_ffff]) {
        const { resolved, bobsTokens } = await mintWithHook(refusingHook(code), metas);
        assert.deepEqual(send(resolved).error, { InstructionError: [0, { Custom: code }] });
        assert.equal(bobsTokens(), 0n);
      }
    });

    it(`fails a transfer without the hook's accounts, of which ${metas.length} are extra ones`, async () => {
      const { plain, bobsTokens } = await mintWithHook(acceptingHook(), metas);
      assert.deepEqual(send(plain).error, { InstructionError: [0, 'MissingAccount'] });
      assert.equal(bobsTokens(), 0n);
    });
  }

  it('fails a transfer that has the hook and its validation account but not the extra accounts', async () => {
    const { plain, mint, hookProgram, bobsTokens } = await mintWithHook(acceptingHook(), twoMetas);
    const incomplete = withAccounts(plain, hookProgram, await validationAddressOf(mint, hookProgram));
    assert.deepEqual(send(incomplete).error, { InstructionError: [0, { Custom: incorrectAccount }] });
    assert.equal(bobsTokens(), 0n);
  });

  it('is given four accounts by a transfer that names it alone, when there is no validation account', async () => {
    const { plain, resolved, hookProgram, bobsTokens } = await mintWithHook(countingHook(4), undefined);
    // The resolver leaves the program out, too, and so its transfer fails.
    assert.deepEqual(send(resolved).error, { InstructionError: [0, 'MissingAccount'] });
    assert.equal(send(withAccounts(plain, hookProgram)).error, null);
    assert.equal(bobsTokens(), transferAmount);
  });

  it('is replaced by another one at the same address', async () => {
    const { resolved, hookProgram, bobsTokens } = await mintWithHook(refusingHook(1), []);
    assert.notEqual(send(resolved).error, null);
    installHookProgram(sandbox.ledger, hookProgram, acceptingHook());
    sandbox.ledger.advanceSlots(1);
    assert.equal(send(resolved).error, null);
    assert.equal(bobsTokens(), transferAmount);
  });

  it('finds accounts by data of an account and by another program, as the resolver does', async () => {
    const metas = [
      pubkeyDataMeta({ __kind: 'AccountData', accountIndex: 0, dataIndex: 32 }),
      literalMeta(TOKEN_2022_PROGRAM_ADDRESS),
      accountPdaMeta(executeAccounts + 1, [literalSeed('receipt'), accountKeySeed(executeAccounts)]),
    ];
    const { resolved, bobsTokens } = await mintWithHook(countingHook(executeAccounts + metas.length), metas);
    assert.equal(send(resolved).error, null);
    assert.equal(bobsTokens(), transferAmount);
  });
});

describe('a hook program', () => {
  /** Runs a program in a virtual machine of its own, with one account. */
  function runAlone(program: Uint8Array): TransactionError | null {
    const programAddress = hookOf('alone');
    const machine = new LiteSVM();
    machine.addProgram(programAddress, program);
    machine.airdrop(alice.address, lamports(1_000_000_000n));
    const instruction = { programAddress, accounts: [{ address: clock, role: AccountRole.READONLY }] };
    const lifetime = { blockhash: machine.latestBlockhash(), slot: 0n, blockHeight: 0n, lastValidBlockHeight: 0n };
    const bytes = signedTransaction([instruction], [alice], lifetime);
    const result = machine.sendTransaction(getTransactionDecoder().decode(bytes));
    return result instanceof FailedTransactionMetadata ? toTransactionError(result.err()) : null;
  }

  it('runs in a bare virtual machine that is given its bytes', () => {
    assert.equal(runAlone(acceptingHook()), null);
    assert.equal(runAlone(countingHook(1)), null);
    assert.deepEqual(runAlone(countingHook(2)), { InstructionError: [0, { Custom: wrongAccountCount }] });
    assert.deepEqual(runAlone(refusingHook(4242)), { InstructionError: [0, { Custom: 4242 }] });
  });

  it('cannot refuse with a code that says success or does not fit', () => {
    for (const code of [0, -1, 1.5, 2 ** 32]) assert.throws(() => refusingHook(code), RangeError);
  });
});

describe('the data of a validation account', () => {
  it('is the discriminator of Execute, the length, the count and 35 bytes for each meta', () => {
    const data = Buffer.from(encodeExtraAccountMetaList([literalMeta(clock, { isWritable: true })]));
    const key = Buffer.from(getAddressEncoder().encode(clock)).toString('hex');
    assert.equal(data.toString('hex'), `692565c54bfb661a_27000000_01000000_00_${key}_00_01`.replaceAll('_', ''));
  });

  it('is read by the classic library as it was written', () => {
    const data = Buffer.from(encodeExtraAccountMetaList(twoMetas));
    const read = getExtraAccountMetas({ data, executable: false, lamports: 0, owner: PublicKey.default });
    assert.deepEqual(
      read.map(({ discriminator, isSigner, isWritable }) => ({ discriminator, isSigner, isWritable })),
      [
        { discriminator: 0, isSigner: false, isWritable: false },
        { discriminator: 1, isSigner: false, isWritable: true },
      ],
    );
  });
});
