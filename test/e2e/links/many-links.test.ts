import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { addressFromBytes } from '../../../packages/core/src/index.ts';
import { newLinkId } from '../../../packages/server/src/links/make-link.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import type { LinkJson } from '../../../packages/server/src/wire/schemas/link-schema.ts';
import { linksPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { startFaultProxy } from '../../setup/fault-proxy.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { named } from '../../setup/wallets.ts';
import { LinkClient, readLink } from './link-service.ts';

const openLinks = 10_000;
const watchedLinks = 200;
const checksPerSecond = 50;
const minRounds = 3;

/** A service on one node that counts calls, with so many open links in its database. */
async function startWithLinks(t: TestContext) {
  const sandbox = await startTestSandbox(t);
  const node = await startFaultProxy(t, { ledger: sandbox.ledger, name: 'counted' });
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(databaseUrl, { use: 'service' });
  t.after(() => store.close());
  const { key } = await store.create({ name: 'shop', expiresAt: null });
  const service = await startTestService(t, {
    SOLANA_RPC_URLS: node.url,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://pay.example',
    PAY_RATE_LIMIT_PER_MINUTE: '0',
    PAYMENT_CHECKS_PER_SECOND: String(checksPerSecond),
  });
  const client = new LinkClient(service.url, key);
  const made = await client.create({
    to_address: named(sandbox.world.wallets, 'bob').address,
    token_mint_address: named(sandbox.world.mints, 'USDC').address,
    amount: '1500000',
    label: 'Tea house',
  });
  const links = store.paymentLinksOf(await store.ledgers.open(sandbox.ledger.genesisHash, false, Date.now()));
  const { link } = (await links.find(made.id)) ?? assert.fail();
  const ids = Array.from({ length: openLinks - 1 }, newLinkId);
  await Promise.all(
    ids.map((id) => links.insert({ ...link, id, reference: addressFromBytes(randomBytes(32)), checkedAt: null })),
  );
  /** Reads a link as any client does: again while the service is busy, which it is where the machine does much else. */
  const read = async (id: string): Promise<LinkJson> => {
    const ask = () => client.send('GET', `${linksPath}/${id}`);
    return readLink(await readUntil(ask, ({ status }) => status !== 503), 200, 'found');
  };
  const countOf = (method: string): number => node.callsByMethod.get(method) ?? 0;
  return { read, ids, countOf, store: links };
}

describe('ten thousand open links', { timeout: 120_000 }, () => {
  it('cost calls for those that are watched, as many as are allowed, and for one link no more by many watchers', async (t) => {
    const { read, ids, countOf, store } = await startWithLinks(t);
    const listsBefore = countOf('getSignaturesForAddress');
    assert.ok(listsBefore <= 2, 'to make a link asks once or twice whether there is a history');

    const watched = ids.slice(0, watchedLinks);
    const began = performance.now();
    const latenciesMs: number[] = [];
    let isEveryChecked = false;
    // Watchers that never pause, which no page is.
    for (let round = 0; round < minRounds || !isEveryChecked; round += 1) {
      const states = await Promise.all(
        watched.map(async (id) => {
          const askedAt = performance.now();
          const state = await read(id);
          latenciesMs.push(performance.now() - askedAt);
          return state;
        }),
      );
      isEveryChecked = states.every(({ state, checked_at }) => state === 'open' && checked_at !== null);
      assert.ok(performance.now() - began < 60_000, 'every watcher gets its turn');
    }
    const seconds = (performance.now() - began) / 1000;
    const lists = countOf('getSignaturesForAddress') - listsBefore;
    // What is allowed at once after a pause, and then so many a second.
    const allowed = checksPerSecond * (seconds + 1);
    assert.ok(lists >= watchedLinks && lists <= allowed, `${lists} calls in ${seconds} s, ${allowed} are allowed`);
    assert.equal(countOf('getTransaction'), 0, 'nothing was paid, so there is nothing to read');
    latenciesMs.sort((a, b) => a - b);
    const p95 = latenciesMs[Math.floor(latenciesMs.length * 0.95)];
    t.diagnostic(
      `${watchedLinks} of ${openLinks} links watched for ${seconds.toFixed(1)} s: ${latenciesMs.length} reads, ` +
        `${(lists / seconds).toFixed(1)} lists of signatures a second; a read takes ${p95?.toFixed(0)} ms (p95)`,
    );

    const [one = ''] = ids.slice(watchedLinks);
    const before = countOf('getSignaturesForAddress');
    const views = await Promise.all(Array.from({ length: watchedLinks }, () => read(one)));
    assert.equal(new Set(views.map(({ checked_at }) => checked_at)).size, 1);
    assert.equal(countOf('getSignaturesForAddress') - before, 1, 'all watchers of a link share one check');

    const unwatched = await Promise.all(ids.slice(watchedLinks + 1, watchedLinks + 101).map((id) => store.find(id)));
    assert.ok(
      unwatched.every((stored) => stored?.link.checkedAt === null),
      'what no one watches is not asked for',
    );
  });
});
