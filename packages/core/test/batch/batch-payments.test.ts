import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveTransfers } from '../../src/batch/batch-facts.ts';
import type { DecimalAmount } from '../../src/request/amount.ts';
import { freshAddress, memoOf } from '../random-plans.ts';
import { batchRequestOf, decideBatchIn } from './batch-scene.ts';
import { plainMint } from './random-batches.ts';

function resolved(amounts: readonly (bigint | DecimalAmount)[], decimals = 6) {
  const request = batchRequestOf(amounts.map((amount) => ({ amount })));
  const { payees, faults } = resolveTransfers(request, { ...plainMint, decimals });
  assert.deepEqual(
    payees.map(({ to, field }) => ({ to, field })),
    request.transfers.map(({ to }, index) => ({ to, field: { transfer: index, part: 'to' } })),
  );
  return { amounts: payees.map(({ amount }) => amount), faults: [...faults] };
}

describe('the base units of the transfers of a batch', () => {
  const oneAndAHalf = { digits: 15n, fractionDigits: 1 };

  test('are those that are given, or those of a decimal amount', () => {
    assert.deepEqual(resolved([7n, oneAndAHalf, 8n]), { amounts: [7n, 1_500_000n, 8n], faults: [] });
    assert.deepEqual(resolved([oneAndAHalf], 1), { amounts: [15n], faults: [] });
  });

  test('are nothing where a decimal amount has none, which is said of its transfer', () => {
    const fault = { kind: 'too_many_digits', fractionDigits: 1 };
    assert.deepEqual(resolved([7n, oneAndAHalf], 0), { amounts: [7n, 0n], faults: [[1, fault]] });
    const tooLarge = { digits: 10n ** 19n, fractionDigits: 0 };
    assert.deepEqual(resolved([tooLarge, 7n]), {
      amounts: [0n, 7n],
      faults: [[0, { kind: 'too_large', max: 2n ** 64n - 1n }]],
    });
  });

  test('leave each transfer its memo and its references', () => {
    const parts = { memo: memoOf('its own'), references: [freshAddress()] };
    for (const amount of [7n, oneAndAHalf]) {
      for (const decimals of [0, 6]) {
        const request = batchRequestOf([{ amount, ...parts }]);
        const [payee] = resolveTransfers(request, { ...plainMint, decimals }).payees;
        assert.deepEqual([payee?.memo, payee?.references], [parts.memo, parts.references]);
      }
    }
  });
});

test('an amount without base units is told of its own transfer, the first and the last included', async () => {
  const finer = { amount: { digits: 1n, fractionDigits: 7 } };
  const decision = await decideBatchIn(batchRequestOf([finer, {}, finer]));
  assert.ok('findings' in decision);
  assert.deepEqual(
    decision.findings.map(({ code, field }) => [code, field]),
    [0, 2].map((transfer) => ['amount_not_representable', { transfer, part: 'amountDecimal' }]),
  );
});
