import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bob } from '../../../packages/server/test/app/sample-bodies.ts';
import { keyDatabases } from '../../../packages/server/test/store/databases.ts';
import type { Json } from '../../setup/json.ts';
import { land, slotsUntilDead } from '../idempotency/keyed-client.ts';
import {
  assertContract,
  batchOf,
  freshTransfers,
  path,
  startBatchService,
  transactionsOf,
  untilLanded,
  untilStatus,
} from './batch-service.ts';

for (const { name, newUrl } of keyDatabases) {
  describe(`a batch under an Idempotency-Key in ${name}`, () => {
    it('is the same to a retry while all of its transactions can land, and then names what landed and what still can', async (t) => {
      const { sandbox, post } = await startBatchService(t, newUrl);
      const body = batchOf(freshTransfers(40));
      const built = await post(path, body, 'payroll');
      const [first = '', ...others] = transactionsOf(built);
      assert.ok(others.length > 1);
      assert.equal((await post(path, batchOf(freshTransfers(2)), 'payroll')).json.code, 'idempotency_key_reused');
      const replayed = await post(path, body, 'payroll');
      assert.deepEqual([replayed.isReplay, replayed.json], [true, built.json]);
      await land(sandbox, first);
      sandbox.ledger.advanceSlots(2);
      const again = await untilLanded(1, () => post(path, body, 'payroll'));
      const { landed_transactions: landedFirst, pending_transactions: pending, transactions } = again.json.data;
      assertContract(again, 'application/json');
      assert.deepEqual([again.isReplay, transactions, landedFirst.length], [false, [], 1]);
      assert.deepEqual(
        pending.map(({ transaction }: Json) => transaction),
        others,
      );
      for (const transaction of others) await land(sandbox, transaction);
      sandbox.ledger.advanceSlots(2);
      const landed = await untilStatus(409, () => post(path, body, 'payroll'));
      assert.deepEqual([landed.status, landed.json.code], [409, 'already_landed']);
      const named = landed.json.landed_transactions;
      assert.deepEqual(
        named.map(({ transfers }: Json) => transfers),
        built.json.data.transactions.map(({ transfers }: Json) => transfers),
      );
      assert.equal(landed.json.landed.signature, named[0].signature);
      assert.equal(new Set(named.map(({ signature }: Json) => signature)).size, named.length);
    });

    it('is built again when none of it has landed and none can', async (t) => {
      const { sandbox, post } = await startBatchService(t, newUrl);
      const body = batchOf(freshTransfers(20));
      const built = await post(path, body, 'payroll');
      sandbox.ledger.advanceSlots(200);
      assert.equal(
        (await post(path, body, 'payroll')).json.code,
        'previous_may_land',
        'a wallet may have replaced its blockhash',
      );
      sandbox.ledger.advanceSlots(slotsUntilDead);
      const rebuilt = await untilStatus(200, () => post(path, body, 'payroll'));
      assert.notDeepEqual(rebuilt.json, built.json);
      for (const transaction of transactionsOf(rebuilt)) await land(sandbox, transaction);
    });

    it('is given to no API key that may not make all of its payments any more', async (t) => {
      const { post, limitTo } = await startBatchService(t, newUrl);
      const body = batchOf([{ to_address: bob, amount: '1' }, ...freshTransfers(1)]);
      assert.equal((await post(path, body, 'payroll')).status, 200);
      await limitTo(bob);
      const refused = await untilStatus(403, () => post(path, body, 'payroll'));
      assert.deepEqual(
        refused.json.errors.map(({ pointer }: Json) => pointer),
        ['/transfers/1/to_address'],
      );
    });
  });
}
