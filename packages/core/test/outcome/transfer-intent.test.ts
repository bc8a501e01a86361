import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { getAddMemoInstruction } from '@solana-program/memo';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { toAddress } from '../../src/addresses/address.ts';
import { encodeBase58 } from '../../src/addresses/base58.ts';
import { memoProgramV1, systemProgram, token2022Program } from '../../src/addresses/programs.ts';
import { memoRecordOf, readTransferIntent } from '../../src/outcome/transfer-intent.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, legacyTransaction, memoOf, nonceOf, planWith, recipientOf } from '../fixtures.ts';
import { anyBlockhash, anyOptionPlan } from '../random-plans.ts';
import { anySignature, intentOf, signedBy } from './landed-transactions.ts';

const blockhash = freshAddress();
const ordinary = planWith({ memo: memoOf('invoice 1001') });

function instructionsOf(plan: TransferPlan): Instruction[] {
  return [...toMessage(plan, blockhash).instructions];
}

describe('the intent of what is built', () => {
  test('says what its plan says, in every version and with every option', () => {
    let read = 0;
    const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBlockhash, (plan, hash) => {
      const { nonce, payments } = plan;
      const { memo } = recipientOf(plan);
      const bytes = encodeTransaction(toMessage(plan, nonce?.nonce ?? hash));
      if (bytes.length > 4096) return;
      read += 1;
      const signers = [...new Set([plan.feePayer, plan.sender])];
      const message = plan.version === 1 ? bytes.slice(0, -64 * signers.length) : bytes.slice(1 + 64 * signers.length);
      assert.deepEqual(intentOf(bytes), {
        signature: undefined,
        isSigned: false,
        message,
        lifetime: nonce ? { nonce: nonce.nonce, nonceAccount: nonce.account } : { blockhash: hash },
        signers,
        source: plan.senderTokenAccount,
        mint: plan.mint,
        tokenProgram: plan.tokenProgram,
        authority: plan.sender,
        decimals: plan.decimals,
        payments: payments.map(({ recipientTokenAccount, amount, references, hookAccounts }) => ({
          destination: recipientTokenAccount,
          amount,
          references: [...references, ...hookAccounts.map(({ address: account }) => account)],
        })),
        memos: memo ? [memo.text] : [],
      });
    });
    fc.assert(property, { numRuns: 200 });
    assert.ok(read > 190);
  });

  test('has the first signature, and the same message, once all have signed', () => {
    const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBlockhash, anySignature, (plan, hash, signature) => {
      const bytes = encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? hash));
      if (bytes.length > 4096) return;
      const expected = { ...intentOf(bytes), signature: encodeBase58(signature), isSigned: true };
      assert.deepEqual(intentOf(signedBy(bytes, signature)), expected);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('does not change when the bytes that it was read from do', () => {
    const bytes = Buffer.from(buildTransaction(ordinary, blockhash));
    const intent = intentOf(bytes);
    const before = Uint8Array.from(intent.message);
    bytes.fill(7);
    assert.deepEqual(intent.message, before);
  });
});

describe('signatures', () => {
  const [payer, sender] = [Keypair.generate(), Keypair.generate()];
  const sponsored = planWith({
    feePayer: toAddress(payer.publicKey.toBase58()),
    sender: toAddress(sender.publicKey.toBase58()),
  });
  const signedWith = (...keys: Keypair[]): Uint8Array => {
    const transaction = VersionedTransaction.deserialize(buildTransaction(sponsored, blockhash));
    transaction.sign(keys);
    return transaction.serialize();
  };

  test('of the sender alone leave the fee payer to sign: the message is fixed, the signature is not known', () => {
    const { signature, isSigned } = intentOf(signedWith(sender));
    assert.deepEqual({ signature, isSigned }, { signature: undefined, isSigned: true });
  });
});

describe('the lifetime', () => {
  const nonce = nonceOf(ordinary.sender);
  const [advance, ...rest] = instructionsOf(changed(ordinary, { nonce }));
  assert.ok(advance);
  const lifetimeWith = (...instructions: Instruction[]): object =>
    intentOf(legacyTransaction(ordinary.sender, instructions, nonce.nonce)).lifetime;
  const byNonce = { nonce: nonce.nonce, nonceAccount: nonce.account };
  const byBlockhash = { blockhash: nonce.nonce };

  test('is a nonce where the first instruction advances one', () => {
    assert.deepEqual(lifetimeWith(advance, ...rest), byNonce);
  });

  test('is a nonce whatever follows the number of that instruction, as for the runtime', () => {
    assert.deepEqual(lifetimeWith({ ...advance, data: Uint8Array.of(4, 0, 0, 0, 9) }, ...rest), byNonce);
  });

  test('is a blockhash where another instruction goes first', () => {
    assert.deepEqual(lifetimeWith(...rest, advance), byBlockhash);
  });

  const others: Readonly<Record<string, Partial<Instruction>>> = {
    'another instruction of the System program': { data: Uint8Array.of(5, 0, 0, 0) },
    'a number of three bytes': { data: Uint8Array.of(4, 0, 0) },
    'another number in its last byte': { data: Uint8Array.of(4, 0, 0, 1) },
    'another program': { program: freshAddress() },
    'no accounts': { accounts: [] },
    'a nonce account that it must not write': {
      accounts: [role.readonly(nonce.account), ...advance.accounts.slice(1)],
    },
  };
  for (const [name, parts] of Object.entries(others)) {
    test(`is a blockhash where the first instruction has ${name}`, () => {
      assert.deepEqual(lifetimeWith({ ...advance, ...parts }, ...rest), byBlockhash);
    });
  }
});

describe('memos', () => {
  const memosWith = (...memos: Instruction[]): readonly string[] =>
    intentOf(legacyTransaction(ordinary.sender, [...memos, ...instructionsOf(planWith({}))], blockhash)).memos;
  const [memo] = instructionsOf(ordinary);
  assert.ok(memo);

  test('of both Memo programs are read in their order', () => {
    const first = { ...memo, program: memoProgramV1, data: Buffer.from('first') };
    assert.deepEqual(memosWith(memo, first), ['invoice 1001', 'first']);
    assert.deepEqual(memosWith(first, memo), ['first', 'invoice 1001']);
  });

  test('of the newest Memo program are not: nodes do not list them, and Token-2022 does not take them for memos', () => {
    const { programAddress, data } = getAddMemoInstruction({ memo: 'x' });
    assert.ok(programAddress.startsWith('Memo4c2p'));
    assert.deepEqual(
      memosWith({ program: toAddress(address(programAddress)), accounts: [], data: Uint8Array.from(data) }),
      [],
    );
  });

  test('are listed by nodes with the number of their bytes, and without their text where it is not UTF-8', () => {
    const listed = ['invoice 1001', 'für José', '😀', '', '\udcff\udc61'].map(memoRecordOf);
    assert.deepEqual(listed, ['[12] invoice 1001', '[10] für José', '[4] 😀', '[0] ', '[2] (unparseable)']);
  });

  test('keep a byte order mark, and the bytes that are not UTF-8', () => {
    assert.deepEqual(memosWith({ ...memo, data: Buffer.from('\ufeffa') }), ['\ufeffa']);
    assert.deepEqual(memosWith({ ...memo, data: Uint8Array.of(0xff, 0x61) }), ['\udcff\udc61']);
  });
});

function faultOf(bytes: Uint8Array): object {
  const read = readTransferIntent(bytes);
  assert.ok('fault' in read);
  return read.fault;
}

const { sender } = planWith({});

describe('there is no intent', () => {
  const [first] = toMessage(planWith({}), blockhash).instructions.slice(-1);
  assert.ok(first);
  const withTwo = (parts: Partial<Instruction>): Uint8Array =>
    legacyTransaction(sender, [first, { ...first, ...parts }], blockhash);
  const otherAccount = (index: number): Partial<Instruction> => ({
    accounts: first.accounts.map((meta, at) => (at === index ? { ...meta, address: freshAddress() } : meta)),
  });
  const otherByte = (index: number): Partial<Instruction> => ({
    data: first.data.map((byte, at) => (at === index ? byte ^ 1 : byte)),
  });

  test('in bytes that are not a transaction, and it says why', () => {
    assert.deepEqual(faultOf(Uint8Array.of(1, 2, 3)), {
      kind: 'not_a_transaction',
      reason: 'the bytes end at 3, too early: 65 are needed',
    });
  });

  test('in more bytes than any transaction has', () => {
    const longest = (length: number): Instruction => ({
      program: systemProgram,
      accounts: [],
      data: new Uint8Array(length),
    });
    const empty = legacyTransaction(sender, [first, longest(0)], blockhash).length;
    // The length of so much data takes a byte more.
    const withData = (length: number): Uint8Array =>
      legacyTransaction(sender, [first, longest(length - empty - 1)], blockhash);
    assert.equal(intentOf(withData(4096)).payments.length, 1);
    assert.deepEqual(faultOf(withData(4097)), {
      kind: 'not_a_transaction',
      reason: 'no transaction has more than 4096 bytes: these are 4097',
    });
  });

  const noTransfers: Readonly<Record<string, Partial<Instruction>>> = {
    'an unchecked transfer': { data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0) },
    'another instruction of as many bytes': otherByte(0),
    'a transfer without its decimals': { data: first.data.slice(0, 9) },
    'a transfer without an authority': { accounts: first.accounts.slice(0, 3) },
    'the same bytes for another program': { program: freshAddress() },
  };
  for (const [name, parts] of Object.entries(noTransfers)) {
    test(`in ${name}`, () => {
      const bytes = legacyTransaction(sender, [{ ...first, ...parts }], blockhash);
      assert.deepEqual(faultOf(bytes), { kind: 'no_transfer' });
    });
  }

  test('in payments from several token accounts, or by several authorities', () => {
    assert.deepEqual(faultOf(withTwo(otherAccount(0))), { kind: 'several_sources' });
    assert.deepEqual(faultOf(withTwo(otherAccount(3))), { kind: 'several_sources' });
  });

  test('in payments in several mints, token programs or decimals', () => {
    assert.deepEqual(faultOf(withTwo(otherAccount(1))), { kind: 'several_mints' });
    assert.deepEqual(faultOf(withTwo({ program: token2022Program })), { kind: 'several_mints' });
    assert.deepEqual(faultOf(withTwo(otherByte(9))), { kind: 'several_mints' });
  });

  test('but there is one in payments of several amounts to several recipients', () => {
    assert.equal(intentOf(withTwo(otherAccount(2))).payments.length, 2);
    assert.equal(intentOf(withTwo(otherByte(1))).payments.length, 2);
  });

  test('and a transfer with more data than it needs is one, as for the token programs', () => {
    const longer = { ...first, data: Uint8Array.of(...first.data, 1) };
    assert.equal(intentOf(legacyTransaction(sender, [longer], blockhash)).payments[0]?.amount, 1_500_000n);
  });
});

test('Reading never throws: not for any bytes, nor for a transaction that is cut, prolonged or changed in one byte', () => {
  const anyBytes = fc.uint8Array({ maxLength: 400 });
  const anyChange = fc.record({ at: fc.nat(), value: fc.nat({ max: 255 }), end: fc.nat(), more: anyBytes });
  const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBytes, anyChange, (plan, bytes, change) => {
    const built = encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? blockhash));
    const changed = Uint8Array.from(built);
    changed[change.at % built.length] = change.value;
    const hostile = [
      bytes,
      changed,
      built.subarray(0, change.end % built.length),
      Uint8Array.of(...built, ...change.more),
    ];
    for (const each of hostile) assert.doesNotThrow(() => readTransferIntent(each));
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
});
