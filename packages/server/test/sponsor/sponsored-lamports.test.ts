import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { SponsoredLamports } from '../../src/sponsor/sponsored-lamports.ts';
import { keyDatabases } from '../store/databases.ts';

const limited = { ...unrestricted, id: 'key_1', sponsoredLamportsPerDay: 100n };

for (const { name, newUrl } of keyDatabases) {
  describe(`what sponsors pay, counted in ${name}`, () => {
    it('never exceeds the limit of a day, however many processes count at the same time', async (t) => {
      const url = await newUrl(t);
      const stores = await Promise.all([1, 2].map(() => openKeyStore(url, { use: 'service' })));
      for (const store of stores) t.after(() => store.close());
      const counters = stores.map((store) => new SponsoredLamports(store, () => 0));
      const counts = Array.from({ length: 24 }, (_, index) =>
        counters[index % 2]?.count({ lamports: 9n, rent: 0n, countedFor: limited }),
      );
      const ended = await Promise.allSettled(counts);
      assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 11);
      for (const end of ended) if (end.status === 'rejected') assert.equal(end.reason.code, 'daily_limit_reached');
      const nextDay = new SponsoredLamports(stores[0] ?? assert.fail(), () => 86_400_000);
      await nextDay.count({ lamports: 100n, rent: 50n, countedFor: limited });
      await assert.rejects(nextDay.count({ lamports: 1n, rent: 0n, countedFor: limited }), {
        code: 'daily_limit_reached',
      });
    });
  });
}

it('Rent is paid for those alone who may have it paid', () => {
  const counter = new SponsoredLamports({ addDailyAmount: async () => true }, () => 0);
  const costs = { lamports: 10n, rent: 5n };
  assert.throws(() => counter.assertRentAllowed({ ...costs, countedFor: limited }), { code: 'key_not_allowed' });
  counter.assertRentAllowed({ ...costs, countedFor: { ...limited, sponsorsRent: true } });
  counter.assertRentAllowed({ ...costs, rent: 0n, countedFor: limited });
});

it('What cannot be counted is not handed out', async () => {
  const counter = new SponsoredLamports({ addDailyAmount: () => Promise.reject(new Error('away')) }, () => 0);
  await assert.rejects(counter.count({ lamports: 1n, rent: 0n, countedFor: limited }), {
    code: 'key_store_unavailable',
  });
});
