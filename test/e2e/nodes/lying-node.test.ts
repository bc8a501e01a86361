import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rentSysvar } from '../../../packages/core/src/accounts/sysvars.ts';
import { token2022Program } from '../../../packages/core/src/addresses/programs.ts';
import { createPath } from '../../../packages/server/test/http/sample-bodies.ts';
import { type Edit, type Fault, healthy, startFaultProxy } from '../../setup/fault-proxy.ts';
import { onlyFor } from '../../setup/faults.ts';
import { lieAbout } from '../../setup/lies.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { named } from '../../setup/wallets.ts';
import { startServiceOn } from './upstream-service.ts';

function rent(years: number): Fault {
  return lieAbout(rentSysvar, (data) => {
    const changed = Buffer.from(data);
    changed.writeDoubleLE(years, 8);
    return { data: changed };
  });
}

/** A mint that begins as the true one does, with one extension of so many bytes. */
function mintWith(mint: string, type: number, length: number): Fault {
  return lieAbout(mint, (data) => {
    const changed = Buffer.alloc(166 + 4 + length, 1);
    changed.fill(0, 82, 165);
    data.copy(changed, 0, 0, 82);
    changed.writeUInt16LE(type, 166);
    changed.writeUInt16LE(length, 168);
    return { data: changed, owner: token2022Program };
  });
}

const deep = '['.repeat(5_000) + ']'.repeat(5_000);

const deepError: Fault = onlyFor('simulateTransaction', ({ response, answer }) => {
  const edit: Edit = (reply) => ({ ...reply, result: { context: { slot: 1 }, value: { err: 'deep' } } });
  response.writeHead(200).end(answer({ edit }).replace('"deep"', deep));
});

test('A node that says what no ledger holds fails no request while another one is well', async (t) => {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const { ledger, world } = sandbox;
  const liar = await startFaultProxy(t, { ledger, name: 'liar' });
  const honest = await startFaultProxy(t, { ledger, name: 'honest' });
  const service = await startServiceOn(t, `${liar.url},${honest.url}`, {
    BLOCKHASH_MAX_AGE_MS: '20000',
    RPC_TIMEOUT_MS: '20000',
    REQUEST_DEADLINE_MS: '60000',
  });
  const mint = named(world.mints, 'PYUSD').address;
  const body = {
    from_address: named(world.wallets, 'alice').address,
    to_address: named(world.wallets, 'bob').address,
    token_mint_address: mint,
    amount: '1',
    simulate: true,
  };
  const lies: readonly [name: string, fault: Fault][] = [
    ['a rent of NaN years', rent(Number.NaN)],
    ['a rent of infinitely many years', rent(Number.POSITIVE_INFINITY)],
    ['a rent of 1e308 years', rent(1e308)],
    ['a rent of -1 years', rent(-1)],
    ['a short transfer fee', mintWith(mint, 1, 107)],
    ['a transfer fee of more than everything', mintWith(mint, 1, 108)],
    ['a short close authority', mintWith(mint, 3, 5)],
    ['a short permanent delegate', mintWith(mint, 12, 31)],
    ['a short transfer hook', mintWith(mint, 14, 33)],
    ['a deep simulation error', deepError],
  ];
  for (const [name, fault] of lies) {
    await t.test(name, async () => {
      liar.fault = fault;
      for (let count = 0; count < 6; count++) {
        const response = await service.post(createPath, { ...body, amount: String(count + 1) });
        assert.equal(response.status, 200, await response.text());
      }
      const asked = [...liar.callsByMethod.values()].reduce((sum, calls) => sum + calls, 0);
      assert.ok(asked > 0, 'the liar was asked');
      liar.fault = healthy;
      // Until it is preferred again, so that the next lie is heard.
      for (;;) {
        const before = liar.callsByMethod.get('getMultipleAccounts') ?? 0;
        const honestBefore = honest.callsByMethod.get('getMultipleAccounts') ?? 0;
        await service.post(createPath, body);
        const isUsed = (liar.callsByMethod.get('getMultipleAccounts') ?? 0) > before;
        if (isUsed && (honest.callsByMethod.get('getMultipleAccounts') ?? 0) === honestBefore) break;
      }
    });
  }
});
