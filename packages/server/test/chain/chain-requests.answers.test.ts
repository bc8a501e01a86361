import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readBlockhashKnownResult,
  readGenesisHashResult,
  readPricesResult,
  readSimulationResult,
} from '../../src/chain/chain-requests.ts';
import { isAppError } from '../../src/problems.ts';

const context = { apiVersion: '3.0.0', slot: 7 };

function assertNonsense(read: (result: unknown) => unknown, results: readonly unknown[]): void {
  for (const result of results) {
    assert.throws(
      () => read(result),
      (error) => isAppError(error, 'upstream_error'),
      JSON.stringify(result),
    );
  }
}

test('Prices are read as they are, and anything else is nonsense', () => {
  assert.deepEqual(readPricesResult([]), []);
  assert.deepEqual(readPricesResult([{ slot: 1, prioritizationFee: 5 }, { prioritizationFee: 0 }]), [5n, 0n]);
  const entries = [null, 5, [], {}, { prioritizationFee: '5' }, { prioritizationFee: -1 }, { prioritizationFee: 1.5 }];
  assertNonsense(readPricesResult, [null, {}, 'x', { context, value: [] }, ...entries.map((entry) => [entry])]);
});

test('A simulation is read with its error as it is, and anything else is nonsense', () => {
  const value = { err: null, logs: ['a', 'b'], unitsConsumed: 5 };
  const simulation = { error: null, logs: ['a', 'b'], unitsConsumed: 5 };
  assert.deepEqual(readSimulationResult({ context, value }), { slot: 7n, simulation });
  const error = { InstructionError: [1, { Custom: 6 }] };
  const failed = readSimulationResult({ context, value: { ...value, err: error } });
  assert.deepEqual(failed.simulation, { ...simulation, error });
  // A transaction that no program got to see has no logs.
  const unseen = { err: 'BlockhashNotFound', logs: null, unitsConsumed: 0 };
  const nothing = { error: 'BlockhashNotFound', logs: [], unitsConsumed: 0 };
  assert.deepEqual(readSimulationResult({ context, value: unseen }).simulation, nothing);
  assertNonsense(readSimulationResult, [
    null,
    [],
    value,
    { context },
    { context, value: null },
    { context, value: {} },
  ]);
});

test('A simulation that succeeds without saying what it took is nonsense, not one that took nothing', () => {
  const answers = [undefined, null, '5', -1, 1.5].map((unitsConsumed) => ({ err: null, logs: [], unitsConsumed }));
  assertNonsense(
    readSimulationResult,
    answers.map((value) => ({ context, value })),
  );
});

test('A simulation that failed before it ran may leave out what it took', () => {
  for (const unitsConsumed of [undefined, null]) {
    const { simulation } = readSimulationResult({ context, value: { err: 'AccountNotFound', unitsConsumed } });
    assert.deepEqual(simulation, { error: 'AccountNotFound', logs: [], unitsConsumed: 0 });
  }
});

test('A simulation takes at most as many compute units as a u32 holds', () => {
  const taking = (unitsConsumed: number) => ({ context, value: { err: null, logs: [], unitsConsumed } });
  assert.equal(readSimulationResult(taking(2 ** 32 - 1)).simulation.unitsConsumed, 4_294_967_295);
  assertNonsense(readSimulationResult, [taking(2 ** 32)]);
});

test('What is no text among the logs of a simulation is left out', () => {
  const value = { err: null, logs: ['a', 5, null, ['b'], 'c'], unitsConsumed: 5 };
  assert.deepEqual(readSimulationResult({ context, value }).simulation.logs, ['a', 'c']);
});

test('The error of a simulation is repeated as far as it is as small as those of nodes', async (t) => {
  const failedWith = (err: unknown) => ({ context, value: { err, logs: [], unitsConsumed: 5 } });
  const nested = (depth: number): unknown => (depth === 0 ? 5 : { a: nested(depth - 1) });
  const ofMembers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 5]));
  for (const [name, largest, larger] of [
    ['in its depth', nested(4), nested(5)],
    ['in its members', ofMembers(5), ofMembers(6)],
    ['in its text', 'x'.repeat(1_000), 'x'.repeat(1_001)],
    ['in its names', { ['x'.repeat(1_000)]: 5 }, { ['x'.repeat(1_001)]: 5 }],
  ]) {
    await t.test(`${name}`, () => {
      assert.deepEqual(readSimulationResult(failedWith(largest)).simulation.error, largest);
      assertNonsense(readSimulationResult, [failedWith(larger), failedWith({ InstructionError: larger })]);
    });
  }
});

test('Whether a blockhash is known is true or false, and anything else is nonsense', () => {
  for (const value of [true, false]) {
    assert.deepEqual(readBlockhashKnownResult({ context, value }), { slot: 7n, isValid: value });
  }
  assertNonsense(readBlockhashKnownResult, [true, null, { value: true }, { context }, { context, value: 'true' }]);
});

test('A genesis hash is the base58 text of 32 bytes, and anything else is nonsense', () => {
  const hash = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
  assert.equal(readGenesisHashResult(hash), hash);
  assertNonsense(readGenesisHashResult, [null, 5, [hash], '', '1'.repeat(31), `${hash}0`]);
});
