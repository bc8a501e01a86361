import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf, startFakeUpstream } from '../../../../test/setup/fake-upstream.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { named } from '../../../../test/setup/wallets.ts';
import type { KeyRestrictions } from '../../src/keys/authenticated-key.ts';
import { assertFaults, assertNotAllowed } from '../app/problem.ts';
import { createBody, createPath, memoBody, memoPath, usdc, yidBody } from '../app/sample-bodies.ts';
import { createLimitedKey } from '../keys/limited-key.ts';
import { newKeyStore } from '../store/databases.ts';

const elsewhere = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';

test('A key that is limited', async (t) => {
  const { databaseUrl, store } = await newKeyStore(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl });

  const asKey = async (restrictions: Partial<KeyRestrictions>) => {
    const { headers } = await createLimitedKey(store, restrictions);
    return (path: string, body: unknown): Promise<Response> => service.post(path, body, headers);
  };

  await t.test('to operations builds those, and no other', async () => {
    const bodies = [
      ['memo_transfer', memoPath, memoBody],
      ['yid_transfer', memoPath, yidBody],
      ['create_transfer', createPath, createBody],
    ] as const;
    for (const [operation] of bodies) {
      const post = await asKey({ operations: new Set([operation]) });
      for (const [other, path, body] of bodies) {
        const response = await post(path, body);
        if (other === operation) assert.equal(response.status, 200);
        else await assertNotAllowed(response, [['', `use the operation ${other}`]]);
      }
    }
  });

  await t.test('to mints moves those, and no other', async () => {
    const post = await asKey({ mints: new Set([memoBody.token_mint_address]) });
    assert.equal((await post(memoPath, memoBody)).status, 200);
    const other = named(service.sandbox.world.mints, 'PYUSD').address;
    await assertNotAllowed(await post(memoPath, { ...memoBody, token_mint_address: other }), [
      ['/token_mint_address', `move the mint ${other}`],
    ]);
  });

  await t.test('to wallets builds what those sign, and nothing that another wallet must sign', async () => {
    const post = await asKey({ fromAddresses: new Set([memoBody.from_address]) });
    assert.equal((await post(memoPath, memoBody)).status, 200);
    assert.equal((await post(memoPath, { ...memoBody, fee_payer: memoBody.from_address })).status, 200);
    const [from, to] = [memoBody.to_address, memoBody.from_address];
    await assertNotAllowed(await post(memoPath, { ...memoBody, from_address: from, to_address: to }), [
      ['/from_address', `send from ${from}`],
    ]);
    await assertNotAllowed(await post(memoPath, { ...memoBody, fee_payer: from }), [
      ['/fee_payer', `use the fee payer ${from}`],
    ]);
  });

  await t.test('to nothing builds nothing, and learns every reason at once', async () => {
    const post = await asKey({ operations: new Set(), mints: new Set(), fromAddresses: new Set() });
    await assertNotAllowed(await post(memoPath, { ...memoBody, fee_payer: memoBody.to_address }), [
      ['', 'use the operation memo_transfer'],
      ['/token_mint_address', `move the mint ${memoBody.token_mint_address}`],
      ['/from_address', `send from ${memoBody.from_address}`],
      ['/fee_payer', `use the fee payer ${memoBody.to_address}`],
    ]);
  });

  await t.test('learns the errors of the request itself first', async () => {
    const post = await asKey({ mints: new Set() });
    await assertFaults(await post(memoPath, { ...memoBody, amount: '1.5' }), [['/amount', 'invalid_amount', /\./]]);
  });
});

test('A key that is limited is refused without a call to the Solana node', async (t) => {
  const upstream = await startFakeUpstream(
    t,
    // The start asks which ledger it serves.
    resultOf(({ method }) => (method === 'getGenesisHash' ? elsewhere : assert.fail('called'))),
  );
  const { databaseUrl, store } = await newKeyStore(t);
  const service = await startTestService(t, { DATABASE_URL: databaseUrl, SOLANA_RPC_URLS: upstream.url });
  const before = upstream.calls.length;
  for (const limits of [
    { fromAddresses: new Set([elsewhere]) },
    { toAddresses: new Set([elsewhere]) },
    { amounts: new Map([[usdc, { perTransfer: 1n, perDay: null }]]) },
    { amounts: new Map([[usdc, { perTransfer: null, perDay: 1n }]]) },
  ]) {
    const { headers } = await createLimitedKey(store, limits);
    assert.equal((await service.post(memoPath, memoBody, headers)).status, 403);
  }
  assert.equal(upstream.calls.length, before);
});
