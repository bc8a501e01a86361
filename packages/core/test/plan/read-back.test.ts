import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Message, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { memoProgramV1, token2022Program } from '../../src/addresses/programs.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions, toMessage } from '../../src/plan/plan-message.ts';
import { assertBytesMatchPlan } from '../../src/plan/read-back.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { ReadBackError } from '../../src/transaction/message-reading.ts';
import {
  anyBlockhash,
  anyPlan,
  freshAddress,
  legacyTransaction,
  memoOf,
  planWith,
  withTokenAccounts,
} from '../random-plans.ts';

// One signature slot and its count; then the three counts of the header.
const headerAt = 65;
const blockhash = freshAddress();

function isCatch(error: unknown): boolean {
  return error instanceof ReadBackError || error instanceof TransactionDecodeError;
}

function thrownBy(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

const memo = memoOf('Rechnung 4711 für José 漢');
const plans: Readonly<Record<string, TransferPlan>> = {
  'a bare transfer': planWith({}),
  'a transfer with memo': planWith({ memo }),
  'a transfer that creates the account': planWith({ createsRecipientTokenAccount: true }),
  'a transfer with every part': planWith({ memo, createsRecipientTokenAccount: true, computeUnitLimit: 512_345 }),
  'a transfer with a hook': planWith({ hookAccounts: [role.readonly(freshAddress()), role.writable(freshAddress())] }),
};

test('what the builder builds is let through, also from the middle of a buffer', () => {
  const property = fc.property(anyPlan, anyBlockhash, (plan, hash) => {
    const bytes = buildTransaction(plan, hash);
    const middle = Uint8Array.from([1, 2, 3, ...bytes, 4]).subarray(3, -1);
    for (const each of [bytes, middle]) assert.doesNotThrow(() => assertBytesMatchPlan(each, plan, hash));
  });
  fc.assert(property, { numRuns: 100 });
});

describe('every change of any one bit is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, blockhash);
      const missed: string[] = [];
      for (let at = 0; at < bytes.length; at++) {
        for (let bit = 0; bit < 8; bit++) {
          const changed = Uint8Array.from(bytes);
          changed[at] = (bytes[at] ?? 0) ^ (1 << bit);
          const error = thrownBy(() => assertBytesMatchPlan(changed, plan, blockhash));
          if (!isCatch(error)) missed.push(`byte ${at}, ${bytes[at]} to ${changed[at]}: ${error ?? 'nothing thrown'}`);
        }
      }
      assert.deepEqual(missed, []);
    });
  }
});

test('any other value of any one byte is caught, whatever the plan', () => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
  const property = fc.property(anyPlan, anyBlockhash, change, (plan, hash, [position, difference]) => {
    const bytes = buildTransaction(plan, hash);
    const at = position % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ difference;
    const error = thrownBy(() => assertBytesMatchPlan(bytes, plan, hash));
    assert.ok(isCatch(error), `byte ${at} of ${bytes.length}: ${error ?? 'nothing thrown'}`);
  });
  fc.assert(property, { numRuns: 1000 });
});

describe('every other header is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, blockhash);
      const header = [...bytes.subarray(headerAt, headerAt + 3)];
      const missed: string[] = [];
      for (let combination = 0; combination < 8 * 12 * 16; combination++) {
        const counts = [combination % 8, (combination >> 3) % 12, Math.floor(combination / 96)];
        if (counts.join() === header.join()) continue;
        const changed = Uint8Array.from(bytes);
        changed.set(counts, headerAt);
        if (!isCatch(thrownBy(() => assertBytesMatchPlan(changed, plan, blockhash)))) missed.push(counts.join());
      }
      assert.deepEqual(missed, [], `the header is ${header}`);
    });
  }
});

test('an account that no instruction uses is caught', () => {
  const plan = planWith({ memo });
  const bytes = buildTransaction(plan, blockhash);
  const message = Message.from(bytes.subarray(headerAt));
  const extended = new Message({
    header: { ...message.header, numReadonlyUnsignedAccounts: message.header.numReadonlyUnsignedAccounts + 1 },
    accountKeys: [...message.accountKeys, new PublicKey(freshAddress())],
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions,
  });
  const changed = Uint8Array.from([...bytes.subarray(0, headerAt), ...extended.serialize()]);
  assert.ok(isCatch(thrownBy(() => assertBytesMatchPlan(changed, plan, blockhash))));
});

describe('bytes built from another plan are caught', () => {
  const plan = planWith({ memo, createsRecipientTokenAccount: true, computeUnitLimit: 500_000 });
  const others: Readonly<Record<string, Partial<TransferPlan>>> = {
    'another amount': { amount: plan.amount + 1n },
    'an amount whose bytes are turned round': { amount: 0x60e3160000000000n },
    'other decimals': { decimals: 7 },
    'another mint': { mint: freshAddress() },
    'another token program': { tokenProgram: token2022Program },
    'another recipient': { recipient: freshAddress() },
    'token accounts exchanged': {
      senderTokenAccount: plan.recipientTokenAccount,
      recipientTokenAccount: plan.senderTokenAccount,
    },
    'another memo': { memo: memoOf('Rechnung 4712 für José 漢') },
    'a memo with a byte order mark': { memo: memoOf(`\ufeff${memo.text}`) },
    'no memo': { memo: undefined },
    'no account made': { createsRecipientTokenAccount: false },
    'another compute unit limit': { computeUnitLimit: 500_001 },
    'no compute unit limit': { computeUnitLimit: undefined },
  };
  for (const [name, parts] of Object.entries(others)) {
    test(name, () => {
      const bytes = encodeTransaction(toMessage({ ...plan, ...parts }, blockhash));
      assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), ReadBackError);
    });
  }

  test('another blockhash', () => {
    const bytes = buildTransaction(plan, freshAddress());
    assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), { name: 'ReadBackError', message: /^blockhash/ });
  });

  test('a blockhash that is none', () => {
    const bytes = buildTransaction(plan, blockhash);
    // With one more character of base58 it could be an address.
    for (const text of ['', `${blockhash}0`]) {
      assert.throws(() => assertBytesMatchPlan(bytes, plan, text), {
        name: 'TypeError',
        message: /^not a Solana addr/,
      });
    }
  });

  test('another fee payer', () => {
    const bytes = legacyTransaction(freshAddress(), planInstructions(plan), blockhash);
    assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), { name: 'ReadBackError', message: /^signers/ });
  });

  test('instructions in another order, one twice, or one too many', () => {
    const [limit, create, pay, transfer] = planInstructions(plan);
    assert.ok(limit && create && pay && transfer);
    const arrangements = [
      [limit, pay, create, transfer],
      [limit, create, transfer, pay],
      [create, limit, pay, transfer],
      [limit, create, pay, transfer, transfer],
      [limit, create, pay, pay, transfer],
      [limit, create, pay],
      [],
    ];
    for (const instructions of arrangements) {
      const bytes = legacyTransaction(plan.feePayer, instructions, blockhash);
      assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), ReadBackError);
    }
  });

  test('an account of the message next to a compute limit or a price, which take none', () => {
    const priced = { ...plan, computeUnitPrice: 7n };
    const [limit, price, ...others] = planInstructions(priced);
    assert.ok(limit && price);
    const accounts = [role.readonly(plan.mint)];
    for (const [instructions, name] of [
      [[{ ...limit, accounts }, price, ...others], 'compute unit limit'],
      [[limit, { ...price, accounts }, ...others], 'compute unit price'],
    ] as const) {
      const bytes = legacyTransaction(plan.feePayer, instructions, blockhash);
      const message = `number of ${name} accounts: the bytes say 1, the plan 0`;
      assert.throws(() => assertBytesMatchPlan(bytes, priced, blockhash), { name: 'ReadBackError', message });
    }
  });

  test('the first Memo program in place of the pinned one', () => {
    const instructions = planInstructions(plan).map((instruction, index) =>
      index === 2 ? { ...instruction, program: memoProgramV1 } : instruction,
    );
    const bytes = legacyTransaction(plan.feePayer, instructions, blockhash);
    assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), { message: /^memo program/ });
  });
});

describe('a plan that is wrong itself is caught, though its bytes say what it says', () => {
  const plan = planWith({ createsRecipientTokenAccount: true });
  const stranger = withTokenAccounts({ ...plan, recipient: freshAddress() });
  const wrongs: Readonly<Record<string, [string, Partial<TransferPlan>]>> = {
    "a stranger's token account": [plan.recipient, { recipientTokenAccount: stranger.recipientTokenAccount }],
    "a stranger's token account with its bump": [
      plan.recipient,
      {
        recipientTokenAccount: stranger.recipientTokenAccount,
        recipientTokenAccountBump: stranger.recipientTokenAccountBump,
      },
    ],
    "the recipient's token account of another mint": [
      plan.recipient,
      { recipientTokenAccount: withTokenAccounts({ ...plan, mint: freshAddress() }).recipientTokenAccount },
    ],
    "the recipient's token account under the other token program": [
      plan.recipient,
      { recipientTokenAccount: withTokenAccounts({ ...plan, tokenProgram: token2022Program }).recipientTokenAccount },
    ],
    'another bump of the recipient': [
      plan.recipient,
      { recipientTokenAccountBump: plan.recipientTokenAccountBump - 1 },
    ],
    "a token account that is not the sender's": [plan.sender, { senderTokenAccount: freshAddress() }],
    'another bump of the sender': [plan.sender, { senderTokenAccountBump: plan.senderTokenAccountBump - 1 }],
    'another recipient for the token account': [stranger.recipient, { recipient: stranger.recipient }],
  };
  for (const [name, [owner, parts]] of Object.entries(wrongs)) {
    test(name, () => {
      const message = new RegExp(
        `^transfer: account [02] is not the token account of ${owner} for the mint ${plan.mint}$`,
      );
      // What was let through before must not help, and is remembered from the second attempt on.
      for (let attempt = 0; attempt < 4; attempt++) {
        assert.throws(() => buildTransaction({ ...plan, ...parts }, blockhash), { name: 'ReadBackError', message });
        assert.doesNotThrow(() => buildTransaction(plan, blockhash));
        assert.doesNotThrow(() => buildTransaction(stranger, blockhash));
      }
    });
  }
});
