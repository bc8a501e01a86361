import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Address } from '../../src/addresses/address.ts';
import { isTokenProgram, memoPrograms } from '../../src/addresses/programs.ts';
import { encodeTransaction, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { anyAddress, anyBlockhash } from '../random-plans.ts';
import {
  anyMessage,
  balancesAfter,
  fits,
  intentOf,
  isTransfer,
  type LandedFacts,
  matchBytes,
} from './landed-transactions.ts';

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

interface Landed {
  bytes: Uint8Array;
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
  return { bytes: landedWith(message, lifetimeToken, instructions), calls };
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
      fc.assert(property, { numRuns: 100 });
    });
  }

  test('as one Batch of all transfers', () => {
    const property = fc.property(facts, ([message, blockhash]) => {
      const others = message.instructions.filter((each) => !isTransfer(each));
      const bytes = landedWith(message, blockhash, [...others, batchOf(message.instructions.filter(isTransfer))]);
      assert.equal(matchBytes(intentOf(encodeTransaction(message)), bytes), 'same_payments');
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('by another program, when the node shows what that called', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes, calls } = wrapped(message, blockhash, wrapper);
      const intent = intentOf(encodeTransaction(message));
      assert.equal(matchBytes(intent, bytes, { calls }), 'same_payments');
    });
    fc.assert(property, { numRuns: 100 });
  });

  test('by another program that was handed the references in place of the transfer', () => {
    const property = fc.property(facts, anyAddress, ([message, blockhash], wrapper) => {
      const { bytes, calls } = wrapped(message, blockhash, wrapper);
      const bare = new Map([...calls].map(([index, all]) => [index, all.map(withoutReferences)]));
      assert.equal(matchBytes(intentOf(encodeTransaction(message)), bytes, { calls: bare }), 'same_payments');
    });
    fc.assert(property, { numRuns: 100 });
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
    fc.assert(property, { numRuns: 100 });
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
    fc.assert(property, { numRuns: 100 });
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
    fc.assert(property, { numRuns: 100 });
  });
});

function transfersOf(message: UnsignedMessage) {
  const intent = intentOf(encodeTransaction(message));
  const { source, mint, authority, tokenProgram, decimals } = intent;
  return intent.payments.map((payment) => ({ ...payment, source, mint, authority, tokenProgram, decimals }));
}
