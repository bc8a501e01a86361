import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Address } from '../../src/addresses/address.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions, toMessage } from '../../src/plan/plan-message.ts';
import { assertBytesMatchPlan } from '../../src/plan/read-back.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { encodeTransaction, transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { ReadBackError } from '../../src/transaction/message-reading.ts';
import { anyOptionPlan, nonceOf } from '../random-option-plans.ts';
import { anyBlockhash, freshAddress, legacyTransaction, memoOf, planWith } from '../random-plans.ts';

const blockhash = freshAddress();

function isCaught(bytes: Uint8Array, plan: TransferPlan, lifetimeToken: string): boolean {
  try {
    assertBytesMatchPlan(bytes, plan, lifetimeToken);
    return false;
  } catch (error) {
    if (error instanceof ReadBackError || error instanceof TransactionDecodeError) return true;
    throw error;
  }
}

const memo = memoOf('Rechnung 4711 für José');
const sponsored = planWith({ memo, feePayer: freshAddress() });
const everything: TransferPlan = {
  ...sponsored,
  nonce: nonceOf(sponsored.sender),
  references: [freshAddress(), sponsored.recipient],
  createsRecipientTokenAccount: true,
  computeUnitLimit: 123_456,
};
const x402 = planWith({ layout: 'x402', memo, feePayer: freshAddress(), computeUnitLimit: 56_000 });
const plans: Readonly<Record<string, TransferPlan>> = {
  'a legacy transfer with every option': { ...everything, computeUnitPrice: 25_000n },
  'a bare transfer of version 0': planWith({ version: 0 }),
  'a transfer of version 0 with every option': { ...everything, version: 0, computeUnitPrice: 25_000n },
  'an x402 transfer without a priority fee': x402,
  'an x402 transfer of version 0 with references': {
    ...x402,
    version: 0,
    references: [freshAddress(), freshAddress()],
    computeUnitPrice: 5_000_000n,
  },
  'a bare transfer of version 1': planWith({ version: 1, computeUnitLimit: 46_900 }),
  'a transfer of version 1 with every option': { ...everything, version: 1, priorityFee: 3_087n },
  'a transfer of version 1 with a hook': planWith({
    version: 1,
    computeUnitLimit: 190_000,
    hookAccounts: [role.readonly(freshAddress()), role.writable(freshAddress())],
  }),
};
const tokenOf = (plan: TransferPlan): string => plan.nonce?.nonce ?? blockhash;

test('What is built is let through, in every version and with every option', () => {
  let built = 0;
  const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBlockhash, (plan, hash) => {
    const token = plan.nonce?.nonce ?? hash;
    const size = encodeTransaction(toMessage(plan, token)).length;
    if (size > transactionSizeLimit(plan.version)) return;
    built += 1;
    assert.doesNotThrow(() => buildTransaction(plan, token));
  });
  fc.assert(property, { numRuns: 300 });
  assert.ok(built > 150, `only ${built} of the plans fit`);
});

describe('Every change of any one bit is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, tokenOf(plan));
      const missed: string[] = [];
      for (let at = 0; at < bytes.length; at++) {
        for (let bit = 0; bit < 8; bit++) {
          const changed = Uint8Array.from(bytes);
          changed[at] = (bytes[at] ?? 0) ^ (1 << bit);
          if (!isCaught(changed, plan, tokenOf(plan))) missed.push(`byte ${at}, ${bytes[at]} to ${changed[at]}`);
        }
      }
      assert.deepEqual(missed, []);
    });
  }
});

test('Any other value of any one byte is caught, whatever the plan', () => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
  const property = fc.property(anyOptionPlan(0, 1), anyBlockhash, change, (plan, hash, [position, difference]) => {
    const token = plan.nonce?.nonce ?? hash;
    const bytes = encodeTransaction(toMessage(plan, token));
    const at = position % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ difference;
    assert.ok(isCaught(bytes, plan, token), `byte ${at} of ${bytes.length}`);
  });
  fc.assert(property, { numRuns: 1000 });
});

describe('Every other header is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, tokenOf(plan));
      const signers = new Set([plan.feePayer, plan.sender]).size;
      // After the version byte of version 1; after the signatures and, in version 0, its version byte.
      const headerAt = plan.version === 1 ? 1 : 1 + 64 * signers + (plan.version === 0 ? 1 : 0);
      const header = bytes.subarray(headerAt, headerAt + 3).join();
      const missed: string[] = [];
      for (let combination = 0; combination < 4 * 4 * 24; combination++) {
        const counts = [combination % 4, (combination >> 2) % 4, combination >> 4];
        if (counts.join() === header) continue;
        const changed = Uint8Array.from(bytes);
        changed.set(counts, headerAt);
        if (!isCaught(changed, plan, tokenOf(plan))) missed.push(counts.join());
      }
      assert.deepEqual(missed, [], `the header is ${header}`);
    });
  }
});

describe('Bytes built from another plan are caught', () => {
  const others: Readonly<Record<string, Partial<TransferPlan>>> = {
    'another fee payer': { feePayer: freshAddress() },
    'the sender as fee payer': { feePayer: sponsored.sender },
    'no nonce': { nonce: undefined },
    'another nonce account': { nonce: { ...nonceOf(sponsored.sender), nonce: everything.nonce?.nonce ?? '' } },
    'the nonce advanced by the fee payer': {
      nonce: everything.nonce && { ...everything.nonce, authority: sponsored.feePayer },
    },
    'a reference less': { references: everything.references.slice(1) },
    'a reference more': { references: [...everything.references, freshAddress()] },
    'references exchanged': { references: everything.references.toReversed() },
    'another compute unit limit': { computeUnitLimit: 123_457 },
    'a hook account in place of a reference': {
      references: everything.references.slice(1),
      hookAccounts: [role.readonly(freshAddress())],
    },
  };
  for (const version of ['legacy', 0, 1] as const) {
    const plan = { ...everything, version, ...(version === 1 ? { priorityFee: 7n } : { computeUnitPrice: 7n }) };
    const ofVersion: typeof others = {
      ...others,
      'no priority fee': version === 1 ? { priorityFee: 0n } : { computeUnitPrice: 0n },
      'another priority fee': version === 1 ? { priorityFee: 8n } : { computeUnitPrice: 8n },
    };
    for (const [name, parts] of Object.entries(ofVersion)) {
      test(`${name}, in version ${version}`, () => {
        const bytes = buildTransaction({ ...plan, ...parts }, tokenOf(plan));
        assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), ReadBackError);
      });
    }
    for (const other of ['legacy', 0, 1] as const) {
      if (other === version) continue;
      test(`version ${other} in place of ${version}`, () => {
        const bytes = buildTransaction({ ...plan, version: other }, tokenOf(plan));
        assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^version/ });
      });
    }
    test(`another lifetime, in version ${version}`, () => {
      const bytes = buildTransaction(plan, freshAddress());
      assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^blockhash/ });
    });
    test(`a signature that is not empty, in version ${version}`, () => {
      const bytes = buildTransaction(plan, tokenOf(plan));
      bytes[version === 1 ? bytes.length - 1 : 70] = 1;
      assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^signatures/ });
    });
  }

  test('a loaded data limit that is not the one always asked for, in version 1', () => {
    const plan = { ...everything, version: 1 } as const;
    const message = toMessage(plan, tokenOf(plan));
    assert.ok(message.config);
    const bytes = encodeTransaction({ ...message, config: { ...message.config, loadedAccountsDataSizeLimit: 65_536 } });
    assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^data size limit/ });
  });
});

describe('Who signs is compared', () => {
  const bare = planWith({ memo });
  const sponsor = planWith({ memo, feePayer: freshAddress() });
  const signing = (plan: TransferPlan, account: Address) =>
    planInstructions(plan).map((instruction) => ({
      ...instruction,
      accounts: instruction.accounts.map((meta) => (meta.address === account ? { ...meta, signer: true } : meta)),
    }));
  const isCaughtAs = (plan: TransferPlan, message: RegExp, bytes: Uint8Array): void => {
    assert.doesNotThrow(() => buildTransaction(plan, blockhash));
    assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), { name: 'ReadBackError', message });
  };

  test('nobody else may have to sign, although every instruction lets them', () => {
    for (const [plan, signers] of [
      [bare, 1],
      [sponsor, 2],
    ] as const) {
      const message = new RegExp(`^signers: the bytes say ${signers + 1}, the plan ${signers}$`);
      for (const account of [plan.mint, plan.recipientTokenAccount]) {
        isCaughtAs(plan, message, legacyTransaction(plan.feePayer, signing(plan, account), blockhash));
      }
    }
  });

  test('the fee payer is the first, and the sender the second', () => {
    const stranger = freshAddress();
    const bytesOf = (parts: Partial<TransferPlan>): Uint8Array =>
      legacyTransaction(parts.feePayer ?? sponsor.feePayer, planInstructions({ ...sponsor, ...parts }), blockhash);
    isCaughtAs(sponsor, /^signers: the first is not /, bytesOf({ feePayer: stranger }));
    isCaughtAs(sponsor, /^signers: the second is not /, bytesOf({ sender: stranger }));
  });
});

test('A price of one micro-lamport is let through, and an x402 plan without a limit is not', () => {
  const limited = planWith({ memo, computeUnitLimit: 46_900 });
  assert.doesNotThrow(() => buildTransaction({ ...limited, computeUnitPrice: 1n }, blockhash));
  assert.doesNotThrow(() => buildTransaction({ ...limited, layout: 'x402' }, blockhash));
  const unlimited: TransferPlan = { ...limited, layout: 'x402', computeUnitLimit: undefined };
  assert.throws(() => buildTransaction(unlimited, blockhash), { message: 'compute unit limit: the plan has none' });
});
