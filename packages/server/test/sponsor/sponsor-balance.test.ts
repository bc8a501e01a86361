import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { Sponsor } from '../../src/sponsor/sponsor.ts';
import { SponsorBalance } from '../../src/sponsor/sponsor-balance.ts';
import { bob } from '../app/sample-bodies.ts';
import { createKoraDouble } from '../setup/kora-double.ts';

test('What the sponsor has left is read in the background, once in 15 seconds, and unknown while it cannot be read', async () => {
  const kora = createKoraDouble(keypairFromName('kora'), bob);
  const sponsor = new Sponsor({ call: async (method, params) => kora.call(method, Object(params)) }, () => 0);
  let [lamports, reads, isAway] = [7n, 0, false];
  const readAccounts = async (addresses: readonly string[]) => {
    reads += 1;
    assert.deepEqual(addresses, [kora.address]);
    if (isAway) throw new Error('away');
    return { slot: 1n, accounts: [Object({ lamports })] };
  };
  const balance = new SponsorBalance(sponsor, { readAccounts });
  const scrape = async (now: number): Promise<bigint | undefined> => {
    const scraped = balance.scraped(now);
    await turn();
    return scraped;
  };
  assert.deepEqual([await scrape(0), await scrape(14_999)], [undefined, 7n]);
  lamports = 6n;
  assert.deepEqual([await scrape(15_000), await scrape(15_001), reads], [7n, 6n, 2]);
  isAway = true;
  assert.deepEqual([await scrape(30_000), await scrape(30_001)], [6n, undefined]);
});
