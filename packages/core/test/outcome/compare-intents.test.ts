import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keypair, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { isTokenProgram, memoPrograms, memoProgramV1, systemProgram } from '../../src/addresses/programs.ts';
import { writeU64 } from '../../src/bytes/little-endian.ts';
import type { IntentMatch } from '../../src/outcome/compare-intents.ts';
import type { TokenBalances } from '../../src/outcome/token-balances.ts';
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

describe('the decision table', () => {
  const plain = planWith({ memo: memoOf('invoice 1'), references: [freshAddress(), freshAddress()] });
  const [memo, transfer] = toMessage(plain, blockhash).instructions;
  assert.ok(memo && transfer);
  const built = legacyTransaction(plain.feePayer, [memo, transfer], blockhash);
  const intended = intentOf(built);
  const [payment] = intended.payments;
  assert.ok(payment);
  const { source } = intended;
  const { destination, amount } = payment;
  const [bob, carol, stranger] = [freshAddress(), freshAddress(), freshAddress()];
  const withText = (text: string): Instruction => ({ ...memo, data: Buffer.from(text) });
  const withAccount = (position: number, address: Address): Instruction => ({
    ...transfer,
    accounts: transfer.accounts.map((meta, index) => (index === position ? { ...meta, address } : meta)),
  });
  const withReferences = (...references: Address[]): Instruction => ({
    ...transfer,
    accounts: [...transfer.accounts.slice(0, 4), ...references.map(role.readonly)],
  });
  const of = (units: bigint, made = transfer): Instruction => {
    const data = Uint8Array.from(made.data);
    writeU64(data, 1, units);
    return { ...made, data };
  };
  const hidden = { program: stranger, accounts: transfer.accounts, data: new Uint8Array() };
  const balancesOf = (lost: bigint, gained: bigint): TokenBalances => {
    const change = (change: bigint) => ({
      mint: plain.mint,
      before: 2n ** 70n,
      after: 2n ** 70n + change,
      owner: undefined,
    });
    return new Map([
      [source, change(-lost)],
      [destination, change(gained)],
    ]);
  };
  const landsWith = (...landed: Instruction[]): Uint8Array => legacyTransaction(plain.feePayer, landed, freshAddress());

  /** In the order of the docblock: what lands, what is known of it, and what it is if it succeeded and if it failed. */
  const rows: readonly [
    name: string,
    landed: Uint8Array,
    facts: LandedFacts,
    succeeded: IntentMatch | undefined,
    failed?: IntentMatch,
  ][] = [
    ['it pays somebody else', landsWith(memo, withAccount(2, bob)), {}, undefined],
    ['it is from somebody else', landsWith(memo, withAccount(0, bob)), {}, undefined],
    ['it has the message of the intent', built, {}, 'same_message', 'same_message'],
    ['it has another memo', landsWith(withText('invoice 2'), transfer), {}, undefined],
    ['it has another blockhash', landsWith(memo, transfer), {}, 'same_payments', 'same_payments'],
    ['its balances are unknown', landsWith(memo, transfer), { balances: undefined }, 'similar', 'same_payments'],
    [
      'its source lost more',
      landsWith(memo, transfer),
      { balances: balancesOf(amount + 1n, amount) },
      'similar',
      'same_payments',
    ],
    [
      'its destination lost it',
      landsWith(memo, transfer),
      { balances: balancesOf(amount, -1n) },
      'similar',
      'same_payments',
    ],
    [
      'its mint withheld all of it',
      landsWith(memo, transfer),
      { balances: balancesOf(amount, 0n) },
      'same_payments',
      'same_payments',
    ],
    ['its memo is gone', landsWith(transfer), {}, 'similar'],
    ['it has a further memo', landsWith(memo, withText('x'), transfer), {}, 'similar'],
    ['its memo may be hidden', landsWith(withText('invoice 2'), transfer), { calls: undefined }, 'similar'],
    ['it pays Bob, too', landsWith(memo, transfer, withAccount(2, bob)), {}, 'similar'],
    ['it pays twice', landsWith(memo, transfer, transfer), {}, 'similar'],
    ['a delegate pays', landsWith(memo, withAccount(3, bob)), {}, 'similar'],
    ['the references are gone', landsWith(memo, withReferences()), {}, 'similar'],
    ['a reference is added', landsWith(memo, withReferences(...payment.references, bob)), {}, 'similar'],
    ['the references are replaced', landsWith(memo, withReferences(bob, carol)), {}, undefined],
    ['it pays in two parts', landsWith(memo, of(1n), of(amount - 1n)), {}, 'similar'],
    ['a program hides what it pays', landsWith(memo, hidden), { calls: undefined, balances: undefined }, 'similar'],
    ['nothing shows what it pays', landsWith(memo, hidden), { balances: undefined }, 'similar'],
    [
      'all that it is known to pay is for something else',
      landsWith(memo, withReferences(bob, carol)),
      { balances: undefined },
      undefined,
    ],
    ['the balances have paid', landsWith(memo, hidden), { balances: balancesOf(amount, amount) }, 'similar'],
    [
      'the balances have paid something else',
      landsWith(memo, hidden),
      { balances: balancesOf(amount - 1n, amount - 1n) },
      undefined,
    ],
    ['it pays one base unit more', landsWith(memo, of(amount + 1n)), {}, undefined],
  ];
  for (const [name, landed, facts, succeeded, failed] of rows) {
    test(`says ${succeeded ?? 'another'} when ${name}, and ${failed ?? 'another'} when it failed`, () => {
      assert.equal(matchBytes(intended, landed, facts), succeeded);
      assert.equal(matchBytes(intended, landed, { ...facts, hasSucceeded: false }), failed);
    });
  }
});

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
});

function transfersOf(message: UnsignedMessage) {
  const intent = intentOf(encodeTransaction(message));
  const { source, mint, authority, tokenProgram, decimals } = intent;
  return intent.payments.map((payment) => ({ ...payment, source, mint, authority, tokenProgram, decimals }));
}
