import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { keyDatabases, newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { additiveStep, migrateAsLaterVersion } from '../../../packages/server/test/store/schema/newer-schema.ts';
import { startTestService, type TestService } from '../../setup/service.ts';

for (const database of keyDatabases) {
  describe(`a rolling restart past an added step of the schema: ${database.name}`, () => {
    it('answers every request of the version before, and the version before starts again', async (t) => {
      const { databaseUrl: url, store } = await newKeyStore(t, database);
      const { key } = await store.create({ name: 'acme', expiresAt: null });
      const { sandbox } = await startTestService(t);
      const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: url };
      const old = await startTestService(t, environment);
      const { wallets, mints } = sandbox.world;
      const [from, to] = wallets.map(({ address }) => address);
      const body = { from_address: from, to_address: to, token_mint_address: mints[0]?.address, amount: '1' };
      const send = async (to: TestService, name: string) => {
        const headers = { authorization: `Bearer ${key}`, 'idempotency-key': name };
        const response = await to.post('/v1/transfers', { ...body, memo: name }, headers);
        assert.equal(response.status, 200, `${name} ${response.status}`);
        return createHash('sha256')
          .update(await response.text())
          .digest('hex');
      };
      const first = await send(old, 'before');
      let sent = 0;
      let isMigrated = false;
      const load = (async () => {
        for (let left = 20; left > 0; left -= Number(isMigrated)) {
          sent += 1;
          await send(old, `order-${sent}`);
        }
      })();
      await migrateAsLaterVersion(url, additiveStep);
      isMigrated = true;
      await load;
      assert.ok(sent >= 20);
      const restarted = await startTestService(t, environment);
      for (const service of [old, restarted]) assert.equal(await send(service, 'before'), first);
    });
  });
}
