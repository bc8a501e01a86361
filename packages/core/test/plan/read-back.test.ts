import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Message, PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { Address } from '../../src/addresses/address.ts';
import { memoProgramV1, token2022Program, tokenAclProgram } from '../../src/addresses/programs.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions, toMessage } from '../../src/plan/plan-message.ts';
import { assertBytesMatchPlan, ReadBackError } from '../../src/plan/read-back.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import { encodeTransaction, transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import {
  changed,
  freshAddress,
  legacyTransaction,
  memoOf,
  nonceOf,
  type PlanParts,
  paymentOf,
  planWith,
  recipientOf,
  solPlanWith,
  withTokenAccounts,
} from '../fixtures.ts';
import { anyBlockhash, anyOptionPlan } from '../random-plans.ts';
import { thawOf } from '../thaw.ts';

const blockhash = freshAddress();
const tokenOf = (plan: TransferPlan, hash: string = blockhash): string => plan.nonce?.nonce ?? hash;

function isCaught(bytes: Uint8Array, plan: TransferPlan, lifetimeToken = tokenOf(plan)): boolean {
  try {
    assertBytesMatchPlan(bytes, plan, lifetimeToken);
    return false;
  } catch (error) {
    if (error instanceof ReadBackError || error instanceof TransactionDecodeError) return true;
    throw error;
  }
}

const memo = memoOf('Rechnung 4711 für José 漢');
const sponsored = planWith({ memo, feePayer: freshAddress() });
const everything: TransferPlan = changed(sponsored, {
  nonce: nonceOf(sponsored.sender),
  references: [freshAddress(), recipientOf(sponsored).recipient],
  createsRecipientTokenAccount: true,
  computeUnitLimit: 123_456,
});
const x402 = planWith({ layout: 'x402', memo, feePayer: freshAddress(), computeUnitLimit: 56_000 });
const plans: Readonly<Record<string, TransferPlan>> = {
  'a bare transfer': planWith({}),
  'a transfer with memo': planWith({ memo }),
  'a transfer that creates the account': planWith({ createsRecipientTokenAccount: true }),
  'a transfer with every part': planWith({ memo, createsRecipientTokenAccount: true, computeUnitLimit: 512_345 }),
  'a transfer with a hook': planWith({ hookAccounts: [role.readonly(freshAddress()), role.writable(freshAddress())] }),
  'a transfer that creates and thaws the account': planWith({ createsRecipientTokenAccount: true, thaw: thawOf(2) }),
  'a sponsored transfer of version 1 with a thaw': changed(sponsored, {
    version: 1,
    computeUnitLimit: 190_000,
    thaw: thawOf(),
  }),
  'a legacy transfer with every option': changed(everything, { computeUnitPrice: 25_000n }),
  'a bare transfer of version 0': planWith({ version: 0 }),
  'a transfer of version 0 with every option': changed(everything, { version: 0, computeUnitPrice: 25_000n }),
  'an x402 transfer without a priority fee': x402,
  'an x402 transfer of version 0 with references': changed(x402, {
    version: 0,
    references: [freshAddress(), freshAddress()],
    computeUnitPrice: 5_000_000n,
  }),
  'a transfer of SOL': solPlanWith({ memo, references: [freshAddress()] }),
  'a transfer with a tip': planWith({ feePayer: freshAddress(), tip: { account: freshAddress(), lamports: 200_000n } }),
  'a transfer of SOL that is wrapped first, the rest of which is unwrapped': planWith({
    feePayer: freshAddress(),
    wrap: { lamports: 7_000n, createsTokenAccount: true, rent: 2_039_280n },
    unwrap: { lamports: 2_039_280n },
  }),
  'a sponsored transfer of SOL of version 1': solPlanWith({
    version: 1,
    computeUnitLimit: 2_000,
    feePayer: freshAddress(),
  }),
  'a bare transfer of version 1': planWith({ version: 1, computeUnitLimit: 46_900 }),
  'a transfer of version 1 with every option': changed(everything, { version: 1, priorityFee: 3_087n }),
  'a transfer of version 1 with a hook': planWith({
    version: 1,
    computeUnitLimit: 190_000,
    hookAccounts: [role.readonly(freshAddress()), role.writable(freshAddress())],
  }),
};

test('what is built is let through, in every version and with every option, also from the middle of a buffer', () => {
  let built = 0;
  const property = fc.property(anyOptionPlan('legacy', 0, 1), anyBlockhash, (plan, hash) => {
    const token = tokenOf(plan, hash);
    const size = encodeTransaction(toMessage(plan, token)).length;
    if (size > transactionSizeLimit(plan.version)) return;
    built += 1;
    const middle = Uint8Array.from([1, 2, 3, ...buildTransaction(plan, token), 4]).subarray(3, -1);
    assert.doesNotThrow(() => assertBytesMatchPlan(middle, plan, token));
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
  assert.ok(built > propertyRuns(300) / 20, `only ${built} of the plans fit`);
});

describe('every change of any one bit is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, tokenOf(plan));
      const missed: string[] = [];
      for (let at = 0; at < bytes.length; at++) {
        for (let bit = 0; bit < 8; bit++) {
          const changed = Uint8Array.from(bytes);
          changed[at] = (bytes[at] ?? 0) ^ (1 << bit);
          if (!isCaught(changed, plan)) missed.push(`byte ${at}, ${bytes[at]} to ${changed[at]}`);
        }
      }
      assert.deepEqual(missed, []);
    });
  }
});

describe('every other header is caught', () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`in ${name}`, () => {
      const bytes = buildTransaction(plan, tokenOf(plan));
      const signers = new Set([plan.feePayer, plan.sender]).size;
      // After the version byte of version 1; after the signatures and, in version 0, its version byte.
      const headerAt = plan.version === 1 ? 1 : 1 + 64 * signers + (plan.version === 0 ? 1 : 0);
      const header = bytes.subarray(headerAt, headerAt + 3).join();
      const missed: string[] = [];
      for (let combination = 0; combination < 8 * 12 * 24; combination++) {
        const counts = [combination % 8, (combination >> 3) % 12, Math.floor(combination / 96)];
        if (counts.join() === header) continue;
        const changed = Uint8Array.from(bytes);
        changed.set(counts, headerAt);
        if (!isCaught(changed, plan)) missed.push(counts.join());
      }
      assert.deepEqual(missed, [], `the header is ${header}`);
    });
  }
});

describe('an account of the message is caught', () => {
  const plan = planWith({ createsRecipientTokenAccount: true });
  const bytes = buildTransaction(plan, blockhash);
  // One signature slot and its count; then the three counts of the header.
  const headerAt = 65;
  const message = Message.from(bytes.subarray(headerAt));
  const withAccount = (account: string, instructions = message.instructions): Uint8Array => {
    const { header, recentBlockhash, accountKeys } = message;
    const extended = new Message({
      header: { ...header, numReadonlyUnsignedAccounts: header.numReadonlyUnsignedAccounts + 1 },
      accountKeys: [...accountKeys, new PublicKey(account)],
      recentBlockhash,
      instructions,
    });
    return Uint8Array.from([...bytes.subarray(0, headerAt), ...extended.serialize()]);
  };

  test('that no instruction uses', () => {
    assert.throws(() => assertBytesMatchPlan(withAccount(freshAddress()), plan, blockhash), /is not used$/);
  });

  test('that is there twice, though instructions use both', () => {
    const mintIndex = message.accountKeys.findIndex((key) => key.toBase58() === plan.mint);
    const [create, transfer] = message.instructions;
    assert.ok(create && transfer);
    const accounts = transfer.accounts.map((index) => (index === mintIndex ? message.accountKeys.length : index));
    const twice = withAccount(plan.mint, [create, { ...transfer, accounts }]);
    assert.throws(() => assertBytesMatchPlan(twice, plan, blockhash), /is there twice$/);
  });
});

describe('bytes built from another plan are caught', () => {
  const plan = planWith({ memo, createsRecipientTokenAccount: true, computeUnitLimit: 500_000 });
  const others: Readonly<Record<string, PlanParts>> = {
    'a memo with a byte order mark': { memo: memoOf(`\ufeff${memo.text}`) },
    'no memo': { memo: undefined },
    'no account made': { createsRecipientTokenAccount: false },
    'no compute unit limit': { computeUnitLimit: undefined },
  };
  for (const [name, parts] of Object.entries(others)) {
    test(name, () => {
      const bytes = encodeTransaction(toMessage(changed(plan, parts), blockhash));
      assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), ReadBackError);
    });
  }

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
    const priced = changed(plan, { computeUnitPrice: 7n });
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

describe('of a thaw nothing but what is planned is let through', () => {
  const thaw = thawOf(2);
  const [list, first = freshAddress()] = thaw.gateAccounts;
  assert.ok(list);
  const plan = planWith({ memo, createsRecipientTokenAccount: true, thaw });
  const frozen = { ...plan, payments: plan.payments.map(({ thaw: _, ...payment }) => payment) };
  const others: Readonly<Record<string, TransferPlan>> = {
    'no thaw': frozen,
    'an account less': changed(plan, { thaw: { ...thaw, gateAccounts: [list, first] } }),
    'an account more': changed(plan, { thaw: { ...thaw, gateAccounts: [...thaw.gateAccounts, freshAddress()] } }),
    "the thaw of a split's account": changed(frozen, {
      splits: [paymentOf(plan, { recipient: freshAddress(), amount: 1n, thaw })],
    }),
  };
  for (const [name, other] of Object.entries(others)) {
    test(name, () => {
      const bytes = encodeTransaction(toMessage(other, blockhash));
      assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), ReadBackError);
    });
  }

  test('a thaw that was not planned', () => {
    const bytes = encodeTransaction(toMessage(plan, blockhash));
    assert.throws(() => assertBytesMatchPlan(bytes, frozen, blockhash), { message: /^memo program/ });
  });

  test('another instruction of the Token ACL program, or one that is called by another wallet', () => {
    for (const change of [
      (each: Instruction): Instruction => ({ ...each, data: Uint8Array.of(6) }),
      (each: Instruction): Instruction => ({ ...each, data: Uint8Array.of(9, 0) }),
      (each: Instruction): Instruction => ({
        ...each,
        accounts: each.accounts.with(0, role.readonlySigner(recipientOf(plan).recipient)),
      }),
      (each: Instruction): Instruction => ({ ...each, accounts: each.accounts.with(9, role.writable(list)) }),
    ]) {
      const instructions = planInstructions(plan).map((each) =>
        each.program === tokenAclProgram ? change(each) : each,
      );
      const bytes = legacyTransaction(plan.feePayer, instructions, blockhash);
      assert.throws(() => assertBytesMatchPlan(bytes, plan, blockhash), ReadBackError);
    }
  });
});

describe('a plan that is wrong itself is caught, though its bytes say what it says', () => {
  const plan = planWith({ createsRecipientTokenAccount: true });
  const stranger = withTokenAccounts(changed(plan, { recipient: freshAddress() }));
  const wrongs: Readonly<Record<string, [string, PlanParts]>> = {
    "a stranger's token account": [
      recipientOf(plan).recipient,
      { recipientTokenAccount: recipientOf(stranger).recipientTokenAccount },
    ],
    "a stranger's token account with its bump": [
      recipientOf(plan).recipient,
      {
        recipientTokenAccount: recipientOf(stranger).recipientTokenAccount,
        recipientTokenAccountBump: recipientOf(stranger).recipientTokenAccountBump,
      },
    ],
    "the recipient's token account of another mint": [
      recipientOf(plan).recipient,
      {
        recipientTokenAccount: recipientOf(withTokenAccounts(changed(plan, { mint: freshAddress() })))
          .recipientTokenAccount,
      },
    ],
    "the recipient's token account under the other token program": [
      recipientOf(plan).recipient,
      {
        recipientTokenAccount: recipientOf(withTokenAccounts(changed(plan, { tokenProgram: token2022Program })))
          .recipientTokenAccount,
      },
    ],
    'another bump of the recipient': [
      recipientOf(plan).recipient,
      { recipientTokenAccountBump: recipientOf(plan).recipientTokenAccountBump - 1 },
    ],
    "a token account that is not the sender's": [plan.sender, { senderTokenAccount: freshAddress() }],
    'another bump of the sender': [plan.sender, { senderTokenAccountBump: plan.senderTokenAccountBump - 1 }],
    'another recipient for the token account': [
      recipientOf(stranger).recipient,
      { recipient: recipientOf(stranger).recipient },
    ],
  };
  for (const [name, [owner, parts]] of Object.entries(wrongs)) {
    test(name, () => {
      const message = new RegExp(
        `^transfer: account [02] is not the token account of ${owner} for the mint ${plan.mint}$`,
      );
      // What was let through before must not help, and is remembered from the second attempt on.
      for (let attempt = 0; attempt < 4; attempt++) {
        assert.throws(() => buildTransaction(changed(plan, parts), blockhash), { name: 'ReadBackError', message });
        assert.doesNotThrow(() => buildTransaction(plan, blockhash));
        assert.doesNotThrow(() => buildTransaction(stranger, blockhash));
      }
    });
  }
});

describe('bytes built from another plan with options are caught', () => {
  const others: Readonly<Record<string, PlanParts>> = {
    'another fee payer': { feePayer: freshAddress() },
    'the sender as fee payer': { feePayer: sponsored.sender },
    'no nonce': { nonce: undefined },
    'another nonce account': { nonce: { ...nonceOf(sponsored.sender), nonce: everything.nonce?.nonce ?? '' } },
    'the nonce advanced by the fee payer': {
      nonce: everything.nonce && { ...everything.nonce, authority: sponsored.feePayer },
    },
    'a reference less': { references: recipientOf(everything).references.slice(1) },
    'a reference more': { references: [...recipientOf(everything).references, freshAddress()] },
    'references exchanged': { references: recipientOf(everything).references.toReversed() },
    'a hook account in place of a reference': {
      references: recipientOf(everything).references.slice(1),
      hookAccounts: [role.readonly(freshAddress())],
    },
  };
  for (const version of ['legacy', 0, 1] as const) {
    const plan = changed(everything, { version, ...(version === 1 ? { priorityFee: 7n } : { computeUnitPrice: 7n }) });
    const ofVersion: typeof others = {
      ...others,
      'no priority fee': version === 1 ? { priorityFee: 0n } : { computeUnitPrice: 0n },
      'another priority fee': version === 1 ? { priorityFee: 8n } : { computeUnitPrice: 8n },
    };
    for (const [name, parts] of Object.entries(ofVersion)) {
      test(`${name}, in version ${version}`, () => {
        const bytes = buildTransaction(changed(plan, parts), tokenOf(plan));
        assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), ReadBackError);
      });
    }
    for (const other of ['legacy', 0, 1] as const) {
      if (other === version) continue;
      test(`version ${other} in place of ${version}`, () => {
        const bytes = buildTransaction(changed(plan, { version: other }), tokenOf(plan));
        assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^version/ });
      });
    }
  }

  test('a loaded data limit that is not the one always asked for, in version 1', () => {
    const plan = changed(everything, { version: 1 });
    const message = toMessage(plan, tokenOf(plan));
    assert.ok(message.config);
    const bytes = encodeTransaction({ ...message, config: { ...message.config, loadedAccountsDataSizeLimit: 65_536 } });
    assert.throws(() => assertBytesMatchPlan(bytes, plan, tokenOf(plan)), { message: /^data size limit/ });
  });
});

describe('who signs is compared', () => {
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
      for (const account of [plan.mint, recipientOf(plan).recipientTokenAccount]) {
        isCaughtAs(plan, message, legacyTransaction(plan.feePayer, signing(plan, account), blockhash));
      }
    }
  });

  test('the fee payer is the first, and the sender one of them', () => {
    const stranger = freshAddress();
    const bytesOf = (parts: Partial<TransferPlan>): Uint8Array =>
      legacyTransaction(parts.feePayer ?? sponsor.feePayer, planInstructions(changed(sponsor, parts)), blockhash);
    isCaughtAs(sponsor, /^signers: the first is not /, bytesOf({ feePayer: stranger }));
    isCaughtAs(sponsor, /^signers: .* is none of them/, bytesOf({ sender: stranger }));
  });
});

test('a price of one micro-lamport is let through, and an x402 plan without a limit is not', () => {
  const limited = planWith({ memo, computeUnitLimit: 46_900 });
  assert.doesNotThrow(() => buildTransaction(changed(limited, { computeUnitPrice: 1n }), blockhash));
  assert.doesNotThrow(() => buildTransaction(changed(limited, { layout: 'x402' }), blockhash));
  const unlimited: TransferPlan = changed(limited, { layout: 'x402', computeUnitLimit: undefined });
  assert.throws(() => buildTransaction(unlimited, blockhash), { message: 'compute unit limit: the plan has none' });
});
