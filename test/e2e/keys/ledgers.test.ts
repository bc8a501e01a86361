import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSandbox } from '../../../packages/sandbox/src/index.ts';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, linkBody, linksPath, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestService } from '../../setup/service.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { LinkClient } from '../links/link-service.ts';

const transferPath = '/v1/transfers';

describe(`services on two ledgers with one database`, { timeout: 120_000 }, () => {
  it('share API keys, and nothing that was made, built or counted', async (t) => {
    const { databaseUrl, store } = await newKeyStore(t);
    const amounts = new Map([[usdc, { perTransfer: null, perDay: 4_000_000n }]]);
    const restrictions = { ...unrestricted, amounts };
    const { key } = await store.create({ name: 'limited', expiresAt: null, restrictions });
    const network = await startSandbox({ rpcPort: 0 });
    t.after(() => network.close());
    const onSandbox = await startTestService(t, { DATABASE_URL: databaseUrl });
    const onNetwork = await startTestService(t, {
      DATABASE_URL: databaseUrl,
      SOLANA_RPC_URLS: network.rpcUrl,
      PUBLIC_URL: 'https://pay.example',
    });
    const clients = [onSandbox, onNetwork].map(({ url }) => new LinkClient(url, key));
    const ledgers = [onSandbox.sandbox.ledger, network.ledger];
    const alice = named(network.world.wallets, 'alice');
    const links: string[] = [];
    for (const [index, client] of clients.entries()) {
      await assertReplay(client, { 'idempotency-key': 'order-1' }, false);
      await assertReplay(client, { 'idempotency-key': 'order-1' }, true);
      const made = await client.create(linkBody, { 'idempotency-key': 'link-1' });
      links.push(made.id);
      await assertRefused(client.send('POST', transferPath, createBody), 403, 'daily_limit_reached');
      const { transaction } = await client.pay(made.id, alice.address);
      const signed = await signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]);
      assert.equal(ledgers[index]?.sendTransaction(signed).error, null);
      await client.readUntil(made.id, ({ is_final }) => is_final);
    }
    assert.notEqual(links[0], links[1], 'one Idempotency-Key made a link on each');
    for (const [index, client] of clients.entries()) {
      assert.deepEqual(
        (await client.list()).data.map(({ id }) => id),
        [links[index]],
      );
      const other = links[1 - index] ?? assert.fail();
      await assertRefused(client.send('GET', `${linksPath}/${other}`), 404, 'payment_link_not_found');
      await assertRefused(client.askToPay(other, alice.address), 404, 'payment_link_not_found');
    }
  });
});

/** Asks for a transfer with a memo of its own. */
async function assertReplay(
  client: LinkClient,
  headers: Record<string, string>,
  isReplay: boolean,
  memo = 'order 1',
): Promise<void> {
  const reply = await client.send('POST', transferPath, { ...createBody, memo }, headers);
  assert.equal(reply.status, 200, await reply.text());
  assert.equal(reply.headers.get('idempotency-replayed'), isReplay ? 'true' : null);
}

async function assertRefused(reply: Promise<Response>, status: number, code: string): Promise<void> {
  const problem = await readProblem(await reply);
  assert.deepEqual([problem.status, problem.code], [status, code]);
}
