import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { toAddress } from '../../src/addresses/address.ts';
import { memoProgramV1, systemProgram } from '../../src/addresses/programs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { freshAddress, legacyTransaction, memoOf, paymentOf, planWith } from '../random-plans.ts';
import { anyMessage, anySignature, intentOf, matchBytes, signedBy } from './landed-transactions.ts';
import { paymentsByWitness } from './payments-by-witness.ts';

const blockhash = freshAddress();
const wallet = Keypair.generate();
const ordinary = planWith({
  sender: toAddress(wallet.publicKey.toBase58()),
  feePayer: toAddress(wallet.publicKey.toBase58()),
  memo: memoOf('invoice 1001'),
  references: [freshAddress(), freshAddress()],
});
const plan = { ...ordinary, splits: [paymentOf(ordinary, { recipient: freshAddress(), amount: 7n })] };
const bytes = buildTransaction(plan, blockhash);
const intent = intentOf(bytes);
const instructions = toMessage(plan, blockhash).instructions;
const matchOf = (landed: readonly Instruction[]): ReturnType<typeof matchBytes> =>
  matchBytes(intent, legacyTransaction(plan.feePayer, landed, freshAddress()));

describe('a landed transaction is the intended one', () => {
  test('with the same message, signed or not', () => {
    const property = fc.property(anyMessage, anySignature, (message, signature) => {
      const built = encodeTransaction(message);
      const signed = signedBy(built, signature);
      assert.equal(matchBytes(intentOf(built), signed), 'same_message');
      assert.equal(matchBytes(intentOf(signed), built), 'same_message');
      assert.equal(matchBytes(intentOf(signed), signed), 'same_message');
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('with the same message, signed by web3.js', () => {
    const transaction = VersionedTransaction.deserialize(bytes);
    transaction.sign([wallet]);
    assert.equal(matchBytes(intent, transaction.serialize()), 'same_message');
  });

  test('with the same payments under another blockhash, compiled and signed by the older class of web3.js', () => {
    const transaction = Transaction.from(bytes);
    transaction.recentBlockhash = freshAddress();
    transaction.sign(wallet);
    assert.equal(matchBytes(intent, transaction.serialize()), 'same_payments');
  });

  test('with the same payments, paid for by a sponsor', () => {
    const transaction = Transaction.from(bytes);
    transaction.feePayer = new PublicKey(freshAddress());
    const landed = transaction.serialize({ requireAllSignatures: false });
    assert.equal(matchBytes(intent, landed), 'same_payments');
  });

  test('with the same payments and more from other token accounts', () => {
    const others = toMessage(planWith({}), blockhash).instructions;
    assert.equal(matchOf([...others, ...instructions]), 'same_payments');
  });

  test('perhaps, with more from the same token account, by whatever authority', () => {
    const price = toMessage(planWith({ sender: plan.sender, mint: plan.mint }), blockhash).instructions.slice(-1);
    assert.equal(matchOf([...price, ...instructions]), 'similar');
    assert.equal(matchOf([...instructions, ...price]), 'similar');
    const byDelegate = price.map((transfer) => ({
      ...transfer,
      accounts: [...transfer.accounts.slice(0, 3), role.readonlySigner(freshAddress())],
    }));
    assert.equal(matchOf([...instructions, ...byDelegate]), 'similar');
  });

  test('perhaps, with one of its payments made twice', () => {
    assert.equal(matchOf([...instructions, ...instructions.slice(-1)]), 'similar');
  });

  test('with two equal payments only where both are made', () => {
    const twice = [...instructions, ...instructions.slice(-1)];
    const twiceIntended = intentOf(legacyTransaction(plan.feePayer, twice, blockhash));
    const landedTwice = legacyTransaction(plan.feePayer, twice.toReversed(), freshAddress());
    assert.equal(matchBytes(twiceIntended, landedTwice), 'same_payments');
    assert.equal(matchBytes(twiceIntended, bytes), 'similar');
  });

  test('with its memo by the other Memo program', () => {
    const landed = instructions.map((each) => (each.data.length === 12 ? { ...each, program: memoProgramV1 } : each));
    assert.equal(matchOf(landed), 'same_payments');
  });
});

describe('a landed transaction is not the intended one', () => {
  const memo = instructions.find(({ data }) => data.length === 12);
  assert.ok(memo);
  const withMemos = (...memos: string[]): Uint8Array => {
    const all = memos.map((text) => ({ ...memo, data: Buffer.from(text, 'latin1') }));
    return legacyTransaction(plan.feePayer, [...all, ...instructions.slice(-1)], freshAddress());
  };

  test('with memos in the place of its own, and perhaps with fewer, more or others in order', () => {
    const two = intentOf(withMemos('a', 'b'));
    assert.equal(matchBytes(two, withMemos('a', 'b')), 'same_payments');
    for (const others of [['ab'], ['a b'], ['a', 'c'], ['c', 'd', 'e']]) {
      assert.equal(matchBytes(two, withMemos(...others)), undefined, others.join('|'));
    }
    for (const others of [['b', 'a'], ['a'], ['a', 'b', ''], []]) {
      assert.equal(matchBytes(two, withMemos(...others)), 'similar', others.join('|'));
    }
    // A memo can be in a call that the node did not keep.
    assert.equal(matchBytes(two, withMemos('c', 'd'), { calls: undefined }), 'similar');
  });

  test('with a memo of other bytes that are not UTF-8 either', () => {
    const broken = intentOf(withMemos('\xff\x01'));
    assert.equal(matchBytes(broken, withMemos('\xff\x01')), 'same_payments');
    assert.equal(matchBytes(broken, withMemos('\xfe\x01')), undefined);
  });

  test('with the instruction data of its payments, but for a program that is none of the token programs', () => {
    assert.equal(matchOf(instructions.map((each) => ({ ...each, program: systemProgram }))), undefined);
  });

  test('when its bytes are not a transaction', () => {
    assert.equal(matchBytes(intent, new Uint8Array()), undefined);
    assert.equal(matchBytes(intent, bytes.subarray(1)), undefined);
  });
});

test('After any change of one byte it is the intended one exactly when web3.js reads the same payments and memos', () => {
  const witness = paymentsByWitness(bytes, intent.source);
  const seen = new Map<unknown, number>();
  for (let at = 0; at < bytes.length; at++) {
    for (const difference of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (bytes[at] ?? 0) ^ difference;
      const match = matchBytes(intent, changed);
      seen.set(match, (seen.get(match) ?? 0) + 1);
      if (!isTransaction(changed)) {
        assert.equal(match, undefined);
        continue;
      }
      const { payments, memos } = paymentsByWitness(changed, intent.source);
      const isSame = payments.join('|') === witness.payments.join('|') && memos.join('|') === witness.memos.join('|');
      const expected = at >= 1 && at < 65 ? 'same_message' : 'same_payments';
      if (isSame) assert.equal(match, expected, `byte ${at}, ${bytes[at]} to ${changed[at]}`);
      else
        assert.ok(match === undefined || match === 'similar', `byte ${at}, ${bytes[at]} to ${changed[at]}: ${match}`);
    }
  }
  for (const match of ['same_message', 'same_payments', undefined]) assert.ok((seen.get(match) ?? 0) > 250, match);
});

function isTransaction(changed: Uint8Array): boolean {
  try {
    return decodeTransaction(changed).byteLength > 0;
  } catch {
    return false;
  }
}

test('Comparing never throws, and finds nothing in random bytes', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(), (noise, end) => {
    assert.equal(matchBytes(intent, noise), undefined);
    const cut = Uint8Array.of(...bytes.subarray(0, end % bytes.length), ...noise);
    // Noise may be just the byte that was cut off.
    fc.pre(Buffer.compare(cut, bytes) !== 0);
    // Nor what another blockhash would be.
    assert.notEqual(matchBytes(intent, cut), 'same_message');
  });
  fc.assert(property, { numRuns: 500 });
});
