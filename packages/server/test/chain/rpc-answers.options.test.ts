import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPricesResult, readSimulationResult } from '../../src/chain/reads/rpc-answers.ts';
import { isAppError } from '../../src/errors.ts';

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
