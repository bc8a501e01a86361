import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unrestricted } from '../../../src/keys/authenticated-key.ts';
import { createDailyAmounts } from '../../../src/keys/usage/daily-amounts.ts';
import { isAppError } from '../../../src/problems.ts';
import { newKeyStore } from '../../store/databases.ts';
import { isLimitReached, keyWithDailyLimit } from './daily-limits.ts';

describe('the amounts of a day', () => {
  it('begin again at midnight in UTC, and are still known when the clock is set back', async (t) => {
    const { store } = await newKeyStore(t);
    const clock = { now: Date.parse('2026-11-21T23:59:59.999Z') };
    const dailyAmounts = createDailyAmounts({ store, now: () => clock.now });
    const count = (amount: bigint) =>
      dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'm', amount, pointer: '/amount' });
    const reached = isLimitReached('has built 8 today', '2026-11-22T00:00:00.000Z');
    await count(8n);
    await assert.rejects(count(3n), reached);
    clock.now += 1;
    await count(10n);
    clock.now -= 1;
    await assert.rejects(count(3n), reached);
  });

  it('of several mints are counted together, or none of them', async (t) => {
    const { store } = await newKeyStore(t);
    const dailyAmounts = createDailyAmounts({ store, now: () => 0 });
    const { id, restrictions } = keyWithDailyLimit('a', 10n);
    const amounts = new Map([...(restrictions.amounts ?? []), ['n', { perTransfer: null, perDay: 5n }]] as const);
    const count = (ofFirst: bigint, ofOther: bigint) =>
      dailyAmounts.count(
        { id, restrictions: { ...restrictions, amounts } },
        { mint: 'm', amount: ofFirst, pointer: '/transfers' },
        { mint: 'n', amount: ofOther, pointer: '/transfers' },
      );
    await count(6n, 1n);
    const racing = await Promise.allSettled([count(1n, 3n), count(1n, 3n)]);
    assert.deepEqual(racing.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(count(1n, 5n), isLimitReached('has built 4 today', '1970-01-02T00:00:00.000Z'));
    await count(3n, 1n);
    await assert.rejects(count(1n, 0n), isLimitReached('has built 10 today', '1970-01-02T00:00:00.000Z'));
  });

  const away = () => Promise.reject(new Error('connection refused'));
  const dailyAmounts = createDailyAmounts({ store: { addDailyAmounts: away, findDailyAmounts: away }, now: () => 0 });

  it('that cannot be counted are refused, for another reason than a reached limit, with the error of the store', async () => {
    await assert.rejects(
      dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'm', amount: 1n, pointer: '/amount' }),
      (error) => {
        assert.ok(isAppError(error, 'key_store_unavailable'));
        return error.cause === 'connection refused';
      },
    );
  });

  it('are not counted of a key without a daily limit for the mint', async () => {
    await dailyAmounts.count(keyWithDailyLimit('a', 10n), { mint: 'other', amount: 1n, pointer: '/amount' });
    await dailyAmounts.count({ id: 'a', restrictions: unrestricted }, { mint: 'm', amount: 1n, pointer: '/amount' });
  });
});
