import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { paths } from '../../../packages/server/src/transfers/transfer-schema.ts';
import { alice, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService, type TestService } from '../../setup/service.ts';

/** A service with two keys, of which one takes all it can get. */
async function start(t: TestContext) {
  const { databaseUrl, store } = await newKeyStore(t);
  const [greedy, other] = [
    await store.create({ name: 'a', expiresAt: null }),
    await store.create({ name: 'b', expiresAt: null }),
  ];
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });
  return { service, greedy: `Bearer ${greedy.key}`, other: `Bearer ${other.key}` };
}

/** As many transfers as asked for, whose long memos leave each transaction room for one or two. */
const batchOf = (count: number, memoLength: number): string =>
  JSON.stringify({
    from_address: alice,
    token_mint_address: usdc,
    checks: 'none',
    transfers: Array.from({ length: count }, (_, index) => ({
      to_address: freshWallet(),
      amount: String(index + 1),
      memo: `${index} `.padEnd(memoLength - (index % 100), 'x'),
    })),
  });

/** Announces a body of 2 MB, sends one byte of it, and resolves with the start of the reply once there is one. */
function announceLargeBody(t: TestContext, { url }: TestService, authorization: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(
    `POST ${paths.batch} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{',
  );
  return once(socket, 'data').then(([data]) => String(data).slice(0, 12));
}

describe('a key that takes all it can get', () => {
  it('keeps no place from the large bodies of another key, by bodies that never come', async (t) => {
    const { service, greedy, other } = await start(t);
    let refused = 0;
    const areFull = Promise.withResolvers<void>();
    const statuses: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      void announceLargeBody(t, service, greedy).then((status) => {
        statuses.push(status);
        refused += 1;
        if (refused === 8) areFull.resolve();
      });
    }
    await areFull.promise;
    const body = batchOf(300, 300);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => service.post(paths.batch, body, { authorization: other })),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.deepEqual(new Set(statuses), new Set(['HTTP/1.1 503']));
  });
});
