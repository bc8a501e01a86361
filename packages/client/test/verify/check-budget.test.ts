import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeBudgetProgram, systemProgram } from '../../src/verify/addresses.ts';
import { type CheckedBudget, checkBudget } from '../../src/verify/check-budget.ts';
import type { VerifyOptions } from '../../src/verify/expectation.ts';
import { Instructions } from '../../src/verify/instructions.ts';
import type { Instruction, MessageBudget } from '../../src/verify/message.ts';
import { dataOf } from './mutations.ts';

const setting = (data: Uint8Array, accounts: string[] = []): Instruction => ({
  program: computeBudgetProgram,
  accounts,
  data,
});
const price = (microLamports: bigint): Instruction => setting(dataOf(3, microLamports));
const limit = (units: number): Instruction => {
  const data = new Uint8Array(5);
  data[0] = 2;
  new DataView(data.buffer).setUint32(1, units, true);
  return setting(data);
};
const other: Instruction = { program: systemProgram, accounts: [], data: new Uint8Array() };

interface Case {
  asked: bigint | 'level';
  isX402?: boolean;
  isMpp?: boolean;
  instructions?: Instruction[];
  header?: MessageBudget;
  options?: VerifyOptions;
}

function check({ asked, isX402 = false, isMpp = false, instructions = [], header, options = {} }: Case): CheckedBudget {
  const message = {
    version: 'legacy',
    signatures: [],
    signedBytes: new Uint8Array(),
    accounts: [],
    lifetimeToken: '',
    instructions: [...instructions, other],
    budget: header,
  } as const;
  const expectation = {
    version: 'legacy',
    isX402,
    isMpp,
    sender: systemProgram,
    feePayer: systemProgram,
    mint: systemProgram,
    payments: [],
    creation: 'never',
    price: asked,
    nonceAccount: undefined,
    blockhash: undefined,
    sponsored: undefined,
    lastValidBlockHeight: undefined,
  } as const;
  const all = new Instructions(message, systemProgram);
  const budget = checkBudget(all, header, expectation, options);
  // All settings were taken.
  all.take('next', systemProgram);
  return budget;
}

describe('a compute budget', () => {
  it('may have a limit where no price was asked for, and no price', () => {
    assert.deepEqual(check({ asked: 0n }), { computeUnitLimit: undefined, priorityFeeLamports: 0n });
    const limited = check({ asked: 0n, instructions: [limit(1)] });
    assert.deepEqual(limited, { computeUnitLimit: 1, priorityFeeLamports: 0n });
    assert.throws(() => check({ asked: 0n, instructions: [limit(1), price(1n)] }), { code: 'wrong_instruction' });
    assert.throws(() => check({ asked: 0n, instructions: [price(1n)] }), { code: 'wrong_compute_budget' });
  });

  it('has the price that was asked for, and a limit with it', () => {
    const instructions = [limit(100_001), price(10n)];
    assert.deepEqual(check({ asked: 10n, instructions }), { computeUnitLimit: 100_001, priorityFeeLamports: 2n });
    for (const asked of [9n, 11n])
      assert.throws(() => check({ asked, instructions }), { code: 'wrong_compute_budget' });
    assert.throws(() => check({ asked: 10n, instructions: [price(10n)] }), { code: 'wrong_compute_budget' });
    assert.throws(() => check({ asked: 10n, instructions: [limit(5)] }), { code: 'wrong_instruction' });
    assert.throws(() => check({ asked: 10n }), { code: 'wrong_instruction' });
  });

  it('of a level has any price within the bound, or none, and a limit', () => {
    assert.equal(check({ asked: 'level', instructions: [limit(200_000)] }).priorityFeeLamports, 0n);
    const most = [limit(1_000_000), price(1_000_000n)];
    assert.equal(check({ asked: 'level', instructions: most }).priorityFeeLamports, 1_000_000n);
    const more = [limit(1_000_000), price(1_000_001n)];
    assert.throws(() => check({ asked: 'level', instructions: more }), { code: 'priority_fee_too_high' });
    for (const max of [1_000_001, 1_000_001n])
      check({ asked: 'level', instructions: more, options: { maxPriorityFeeLamports: max } });
    assert.throws(() => check({ asked: 'level', instructions: [limit(9), price(0n)] }), {
      code: 'wrong_compute_budget',
    });
    assert.throws(() => check({ asked: 'level' }), { code: 'wrong_instruction' });
  });

  it('has a limit that a transaction can have', () => {
    assert.equal(check({ asked: 0n, instructions: [limit(1_400_000)] }).computeUnitLimit, 1_400_000);
    for (const units of [0, 1_400_001]) {
      assert.throws(() => check({ asked: 0n, instructions: [limit(units)] }), { code: 'wrong_compute_budget' });
    }
  });

  it('is written as the program reads it, without accounts', () => {
    const twice = [limit(5), limit(6)];
    assert.throws(() => check({ asked: 'level', instructions: twice }), { code: 'wrong_compute_budget' });
    for (const data of [Uint8Array.of(2, 1, 0, 0), Uint8Array.of(2, 1, 0, 0, 0, 0), Uint8Array.of(1, 1, 0, 0, 0)]) {
      assert.throws(() => check({ asked: 0n, instructions: [setting(data)] }), { code: 'wrong_compute_budget' });
    }
    const named = [setting(Uint8Array.of(2, 1, 0, 0, 0), [systemProgram])];
    assert.throws(() => check({ asked: 0n, instructions: named }), { code: 'wrong_account' });
  });

  it('for a facilitator of x402 has both, and a price that it accepts', () => {
    const x402 = { isX402: true, options: { maxPriorityFeeLamports: 10n ** 9n } };
    const free = check({ ...x402, asked: 0n, instructions: [limit(9), price(0n)] });
    assert.deepEqual(free, { computeUnitLimit: 9, priorityFeeLamports: 0n });
    check({ ...x402, asked: 'level', instructions: [limit(9), price(5_000_000n)] });
    check({ ...x402, asked: 'level', instructions: [limit(9), price(0n)] });
    const dear = [limit(9), price(5_000_001n)];
    assert.throws(() => check({ ...x402, asked: 'level', instructions: dear }), { code: 'wrong_compute_budget' });
    assert.throws(() => check({ ...x402, asked: 0n, instructions: [limit(9), price(1n)] }), {
      code: 'wrong_compute_budget',
    });
    assert.throws(() => check({ ...x402, asked: 'level', instructions: [limit(9)] }), { code: 'wrong_instruction' });
  });

  it('for a server of MPP has a limit of at most 200,000, and a price that it accepts, or none', () => {
    const mpp = { isMpp: true, options: { maxPriorityFeeLamports: 10n ** 9n } };
    assert.equal(check({ ...mpp, asked: 0n, instructions: [limit(200_000)] }).computeUnitLimit, 200_000);
    check({ ...mpp, asked: 5_000_000n, instructions: [limit(9), price(5_000_000n)] });
    const high = [limit(200_001)];
    assert.throws(() => check({ ...mpp, asked: 0n, instructions: high }), { code: 'wrong_compute_budget' });
    const dear = [limit(9), price(5_000_001n)];
    assert.throws(() => check({ ...mpp, asked: 'level', instructions: dear }), { code: 'wrong_compute_budget' });
    assert.throws(() => check({ ...mpp, asked: 0n }), { code: 'wrong_instruction' });
  });

  it('of version 1 is in the header: the fee that the price comes to, or of a level any within the bound', () => {
    const header = { computeUnitLimit: 100_001, priorityFee: 2n };
    assert.deepEqual(check({ asked: 10n, header }), { computeUnitLimit: 100_001, priorityFeeLamports: 2n });
    assert.equal(check({ asked: 'level', header }).priorityFeeLamports, 2n);
    for (const asked of [0n, 20n]) assert.throws(() => check({ asked, header }), { code: 'wrong_compute_budget' });
    const options = { maxPriorityFeeLamports: 1n };
    assert.throws(() => check({ asked: 'level', header, options }), { code: 'priority_fee_too_high' });
    const unlimited = { computeUnitLimit: 0, priorityFee: 0n };
    assert.throws(() => check({ asked: 0n, header: unlimited }), { code: 'wrong_compute_budget' });
    assert.throws(() => check({ asked: 10n, header, instructions: [limit(5)] }), { code: 'wrong_instruction' });
  });
});
