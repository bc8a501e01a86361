import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { createDailyAmounts } from '../../src/keys/usage/daily-amounts.ts';
import { assertRentAllowed, countedCosts } from '../../src/sponsor/sponsored-lamports.ts';
import { isLimitReached } from '../keys/usage/daily-limits.ts';
import { newKeyStore } from '../store/databases.ts';

describe('what sponsors pay for a key', () => {
  it('is counted with what it builds, or neither is: the refusal says when there is room, if ever', async (t) => {
    const { store } = await newKeyStore(t);
    const dailyAmounts = createDailyAmounts({ store, now: () => 0 });
    const amounts = new Map([['m', { perTransfer: null, perDay: 10n }]]);
    const key = { id: 'a', restrictions: { ...unrestricted, amounts, sponsoredLamportsPerDay: 100n } };
    const count = (amount: bigint, lamports: bigint) =>
      dailyAmounts.count(key, { mint: 'm', amount, pointer: '/amount' }, countedCosts({ lamports, rent: 0n }));
    await count(4n, 60n);
    await assert.rejects(count(7n, 40n), isLimitReached('has built 4 today'));
    await assert.rejects(
      count(6n, 41n),
      isLimitReached('and 60 are counted today: 40 are left', 'Z. Send it then, or'),
    );
    await assert.rejects(count(6n, 101n), isLimitReached('costs 101. Have the operator raise the limit, or'));
    await count(6n, 40n);
  });

  it('has rent in it for those keys alone that may have it paid', () => {
    const costs = { lamports: 10n, rent: 5n };
    assert.throws(() => assertRentAllowed(costs, unrestricted), { code: 'key_not_allowed' });
    assertRentAllowed(costs, { sponsorsRent: true });
    assertRentAllowed({ ...costs, rent: 0n }, unrestricted);
  });
});
