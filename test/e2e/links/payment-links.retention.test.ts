import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { alice, linksPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { checkWith, linkWith, paymentWith } from '../../../packages/server/test/store/links/links.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { waitUntil } from '../../setup/wait-until.ts';
import { LinkClient } from './link-service.ts';

const hourMs = 3_600_000;
const never = '1111111111111111';

for (const database of keyDatabases) {
  describe(`a payment link that retention deleted, in ${database.name}`, () => {
    it('answers like one that never was, whoever asks, and one that is kept as before', async (t) => {
      const { databaseUrl, store } = await newKeyStore(t, database);
      const sandbox = await startTestSandbox(t);
      const links = store.paymentLinksOf(await store.ledgers.open(sandbox.ledger.genesisHash, false, Date.now()));
      const { key, record } = await store.create({ name: 'shop', expiresAt: null });
      const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * hourMs);
      const add = async (settledHoursAgo: number, isPaid: boolean): Promise<string> => {
        const link = linkWith({
          ownerId: record.rootId,
          keyId: record.id,
          createdAt: hoursAgo(settledHoursAgo + 2),
          expiresAt: hoursAgo(settledHoursAgo + 1),
        });
        await links.insert(link);
        const settledAt = hoursAgo(settledHoursAgo);
        const payments = isPaid ? [paymentWith({ commitment: 'finalized' })] : [];
        await links.saveCheck(link.id, checkWith({ payments, checkedAt: settledAt, settledAt }));
        return link.id;
      };
      const gone = [await add(25, false), await add(49, true)];
      const kept = [
        { id: await add(23, false), state: 'expired' },
        { id: await add(47, true), state: 'paid' },
      ];
      const days = { LINK_RETENTION_DAYS: '1', PAID_LINK_RETENTION_DAYS: '2' };
      const network = { SOLANA_RPC_URLS: sandbox.rpcUrl, PUBLIC_URL: 'https://pay.example' };
      const service = await startTestService(t, { DATABASE_URL: databaseUrl, ...network, ...days });
      const client = new LinkClient(service.url, key);
      // They are deleted when the service starts.
      for (const id of gone) await waitUntil(async () => (await links.find(id)) === undefined);

      const askers: readonly ((id: string) => Promise<Response>)[] = [
        (id) => client.send('GET', `${linksPath}/${id}`),
        (id) => client.send('POST', `${linksPath}/${id}/cancel`),
        (id) => fetch(`${service.url}/pay/${id}`),
        (id) => fetch(`${service.url}/pay/${id}/state`),
        (id) => fetch(`${service.url}/pay/${id}/qr.svg`),
        (id) => client.askToPay(id, alice),
      ];
      for (const ask of askers) {
        const { request_id: _, ...none } = await readProblem(await ask(never));
        for (const id of gone) {
          const { request_id: __, ...problem } = await readProblem(await ask(id));
          assert.deepEqual([problem.status, problem.code], [404, 'payment_link_not_found']);
          assert.deepEqual(problem, none);
        }
      }
      for (const { id, state } of kept) assert.equal((await client.read(id)).state, state);
      const listed = (await client.list()).data.map(({ id }) => id);
      assert.deepEqual(listed.toSorted(), kept.map(({ id }) => id).toSorted());
    });
  });
}
