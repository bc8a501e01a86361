import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMessage } from '../../src/plan/plan-message.ts';
import { freshAddress, planWith } from '../random-plans.ts';

test('a message has its limits in the header in version 1 alone, and only where they are decided', () => {
  const lifetime = freshAddress();
  for (const version of ['legacy', 0, 1] as const) {
    const limited = toMessage(planWith({ version, computeUnitLimit: 7, priorityFee: 3n }), lifetime);
    const limits = { priorityFee: 3n, computeUnitLimit: 7, loadedAccountsDataSizeLimit: 67_108_864 };
    assert.deepEqual(limited.config, version === 1 ? limits : undefined);
    assert.equal(toMessage(planWith({ version, computeUnitLimit: undefined }), lifetime).config, undefined);
  }
});
