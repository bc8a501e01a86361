import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { isTokenProgram, memoPrograms, memoProgramV1, systemProgram } from '../../src/addresses/programs.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { decodeTransaction } from '../../src/transaction/decode-transaction.ts';
import { encodeTransaction, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { changed, freshAddress, legacyTransaction, memoOf, paymentOf, planWith } from '../fixtures.ts';
import { anyAddress, anyBlockhash } from '../random-plans.ts';
import {
  anyMessage,
  anySignature,
  balancesAfter,
  fits,
  intentOf,
  isTransfer,
  type LandedFacts,
  matchBytes,
  paymentsByWitness,
  signedBy,
} from './landed-transactions.ts';

const blockhash = freshAddress();
const wallet = Keypair.generate();
const ordinary = planWith({
  sender: toAddress(wallet.publicKey.toBase58()),
  feePayer: toAddress(wallet.publicKey.toBase58()),
  memo: memoOf('invoice 1001'),
  references: [freshAddress(), freshAddress()],
});
const plan = changed(ordinary, { splits: [paymentOf(ordinary, { recipient: freshAddress(), amount: 7n })] });
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
    fc.assert(property, { numRuns: propertyRuns(100) });
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
  fc.assert(property, { numRuns: propertyRuns(500) });
});

/** The forms in which the token programs make a transfer; by each, what was a `TransferChecked`. */
const forms = {
  Transfer: ({ accounts, data, ...rest }: Instruction): Instruction => ({
    ...rest,
    accounts: accounts.filter((_, index) => index !== 1),
    data: Uint8Array.of(3, ...data.subarray(1, 9)),
  }),
  TransferCheckedWithFee: ({ data, ...rest }: Instruction): Instruction => ({
    ...rest,
    data: Uint8Array.of(26, 1, ...data.subarray(1, 10), 0, 0, 0, 0, 0, 0, 0, 0),
  }),
  Batch: (transfer: Instruction): Instruction => batchOf([transfer]),
} as const;

function batchOf(instructions: readonly Instruction[]): Instruction {
  const [first] = instructions;
  assert.ok(first);
  return {
    program: first.program,
    accounts: instructions.flatMap(({ accounts }) => accounts),
    data: Uint8Array.of(255, ...instructions.flatMap(({ accounts, data }) => [accounts.length, data.length, ...data])),
  };
}

const onCurve = toAddress(Keypair.generate().publicKey.toBase58());
const [derived] = PublicKey.findProgramAddressSync([], new PublicKey(onCurve));
const offCurve = toAddress(derived.toBase58());

interface Landed {
  bytes: Uint8Array;
  instructions: readonly Instruction[];
  calls: NonNullable<LandedFacts['calls']>;
}

/** The message with other instructions and another blockhash. */
function landedWith(message: UnsignedMessage, lifetimeToken: string, instructions: readonly Instruction[]): Uint8Array {
  const changed = { ...message, lifetimeToken, instructions };
  fc.pre(fits(changed));
  return encodeTransaction(changed);
}

/** The message whose transfers and memos another program makes, to which it hands all accounts. */
function wrapped(message: UnsignedMessage, lifetimeToken: string, wrapper: Address): Landed {
  const calls = new Map<number, readonly Instruction[]>();
  const instructions = message.instructions.map((each, index) => {
    if (!isTokenProgram(each.program) && !memoPrograms.includes(each.program)) return each;
    calls.set(index, [each]);
    return { program: wrapper, accounts: [...each.accounts, role.readonly(each.program)], data: new Uint8Array() };
  });
  return { bytes: landedWith(message, lifetimeToken, instructions), instructions, calls };
}

const facts = fc
  .tuple(anyMessage, anyBlockhash)
  .filter(([{ lifetimeToken }, blockhash]) => lifetimeToken !== blockhash);

describe('a payment is the intended one in whatever form it is made', () => {
  for (const [name, form] of Object.entries(forms)) {
    test(`as ${name}`, () => {
      const property = fc.property(facts, ([message, blockhash]) => {
        const changed = message.instructions.map((each) => (isTransfer(each) ? form(each) : each));
        const bytes = landedWith(message, blockhash, changed);
        assert.equal(matchBytes(intentOf(encodeTransaction(message)), bytes), 'same_payments');
      });
      fc.assert(property, { numRuns: propertyRuns(100) });
    });
  }

  test('as one Batch of all transfers', () => {
    const property = fc.property(facts, ([message, blockhash]) => {
      const others = message.instructions.filter((each) => !isTransfer(each));
      const bytes = landedWith(message, blockhash, [...others, batchOf(message.instructions.filter(isTransfer))]);
      assert.equal(matchBytes(intentOf(encodeTransaction(message)), bytes), 'same_payments');
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  test('by another program, when the node shows what that called', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes, calls } = wrapped(message, blockhash, wrapper);
      const intent = intentOf(encodeTransaction(message));
      assert.equal(matchBytes(intent, bytes, { calls }), 'same_payments');
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  test('by another program that was handed the references in place of the transfer', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes, calls } = wrapped(message, blockhash, wrapper);
      const bare = new Map([...calls].map(([index, all]) => [index, all.map(withoutReferences)]));
      assert.equal(matchBytes(intentOf(encodeTransaction(message)), bytes, { calls: bare }), 'same_payments');
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });
});

function withoutReferences(instruction: Instruction): Instruction {
  return isTransfer(instruction) ? { ...instruction, accounts: instruction.accounts.slice(0, 4) } : instruction;
}

describe('a payment may be the intended one', () => {
  test('when the node does not show what programs called, by its balances', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes } = wrapped(message, blockhash, wrapper);
      const intent = intentOf(encodeTransaction(message));
      fc.pre(intent.payments.every(({ destination, amount }) => destination !== intent.source && amount > 0n));
      const balances = balancesAfter(intent, transfersOf(message));
      for (const calls of [undefined, new Map()]) {
        const match = matchBytes(intent, bytes, { calls, balances });
        // Memos that no instruction shows were left out.
        assert.equal(match, 'similar');
        assert.equal(matchBytes(intent, bytes, { calls: undefined, balances: undefined }), 'similar');
        assert.equal(matchBytes(intent, bytes, { calls, balances: new Map() }), undefined);
      }
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  test('when the mint withheld all of it, and the node does not show what programs called', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes } = wrapped(message, blockhash, wrapper);
      const intent = intentOf(encodeTransaction(message));
      fc.pre(intent.payments.every(({ destination, amount }) => destination !== intent.source && amount > 0n));
      const all = balancesAfter(intent, transfersOf(message));
      const balances = new Map([...all].filter(([account]) => account === intent.source));
      assert.equal(matchBytes(intent, bytes, { calls: undefined, balances }), 'similar');
      assert.equal(matchBytes(intent, bytes, { calls: new Map(), balances }), undefined);
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  test('when a program that makes it was handed a reference that was not asked for, but not an address off the curve', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { calls, instructions } = wrapped(message, blockhash, wrapper);
      const intent = intentOf(encodeTransaction(message));
      const handing = (address: Address): Uint8Array =>
        landedWith(
          message,
          blockhash,
          instructions.map((each, index) =>
            calls.has(index) ? { ...each, accounts: [...each.accounts, role.readonly(address)] } : each,
          ),
        );
      assert.equal(matchBytes(intent, handing(onCurve), { calls }), 'similar');
      assert.equal(matchBytes(intent, handing(offCurve), { calls }), 'same_payments');
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('when only another instruction names its references, also if the transfer carries one that was not asked for', () => {
    const property = fc.property(facts, anyAddress, anyAddress, ([message, blockhash], program, other) => {
      const intent = intentOf(encodeTransaction(message));
      const references = intent.payments.flatMap((payment) => payment.references);
      fc.pre(references.length > 0);
      const naming = { program, accounts: references.map(role.readonly), data: new Uint8Array() };
      const bare = message.instructions.map(withoutReferences);
      const adding = bare.map((each, index) =>
        each.accounts.length < (message.instructions[index]?.accounts.length ?? 0)
          ? { ...each, accounts: [...each.accounts, role.readonly(other)] }
          : each,
      );
      for (const transfers of [bare, adding]) {
        const match = matchBytes(intent, landedWith(message, blockhash, [naming, ...transfers]));
        assert.equal(match, 'similar');
      }
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('when the node does not show balances, or when its destination holds less', () => {
    const property = fc.property(facts, ([message, blockhash]) => {
      const intent = intentOf(encodeTransaction(message));
      fc.pre(intent.payments.every(({ destination, amount }) => destination !== intent.source && amount > 0n));
      const bytes = landedWith(message, blockhash, message.instructions);
      assert.equal(matchBytes(intent, bytes, { balances: undefined }), 'similar');
      const balances = new Map(balancesAfter(intent, transfersOf(message)));
      const less = { mint: intent.mint, before: 1n, after: 0n, owner: undefined };
      for (const { destination } of intent.payments) balances.set(destination, less);
      assert.equal(matchBytes(intent, bytes, { balances }), 'similar');
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  test('only where it succeeded', () => {
    const property = fc.property(facts, ([message, blockhash]) => {
      const intent = intentOf(encodeTransaction(message));
      const bytes = landedWith(message, blockhash, message.instructions);
      const failed = { hasSucceeded: false, balances: new Map() };
      assert.equal(matchBytes(intent, bytes, failed), 'same_payments');
      const bare = landedWith(message, blockhash, message.instructions.map(withoutReferences));
      // What failed leaves nothing in doubt.
      assert.notEqual(matchBytes(intent, bare, failed), 'similar');
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });
});

function transfersOf(message: UnsignedMessage) {
  const intent = intentOf(encodeTransaction(message));
  const { source, mint, authority, tokenProgram, decimals } = intent;
  return intent.payments.map((payment) => ({ ...payment, source, mint, authority, tokenProgram, decimals }));
}
