import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { named } from '../../../../test/setup/wallets.ts';
import type { KeyRestrictions } from '../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { assertNotAllowed, assertProblem, readProblem } from '../app/problem.ts';
import { alice, bob, createBody, createPath, memoBody, memoPath, usdc } from '../app/sample-bodies.ts';
import { createLimitedKey } from '../keys/limited-key.ts';

const carol = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
const maximum = 2n ** 64n - 1n;

const today = '2026-11-21';

const perTransfer = (amount: bigint) => new Map([[usdc, { perTransfer: amount, perDay: null }]]);
const perDay = (amount: bigint) => new Map([[usdc, { perTransfer: null, perDay: amount }]]);

test('A key that is limited', async (t) => {
  // It is noon until a test says otherwise.
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(`${today}T12:00:00Z`) });
  const path = `${temporaryFolder(t)}/keys.db`;
  const service = await startTestService(t, { DATABASE_URL: `sqlite:${path}` });
  const store = await openKeyStore(`sqlite:${path}`);
  t.after(() => store.close());

  const asKey = async (restrictions: Partial<KeyRestrictions>) => {
    const { id, headers } = await createLimitedKey(store, restrictions);
    const post = (where: string, body: unknown): Promise<Response> => service.post(where, body, headers);
    const pay = (amount: bigint, more: object = {}): Promise<Response> =>
      post(memoPath, { ...memoBody, amount: amount.toString(), ...more });
    const builtToday = async () => (await store.findDailyAmounts(id, today)).get(usdc) ?? 0n;
    return { post, pay, builtToday };
  };

  await t.test('to recipients pays those, by every operation, and no other, and does not say whom', async () => {
    const { post } = await asKey({ toAddresses: new Set([bob]) });
    assert.equal((await post(memoPath, memoBody)).status, 200);
    assert.equal((await post(createPath, createBody)).status, 200);
    for (const [where, body] of [
      [memoPath, memoBody],
      [createPath, createBody],
      [
        createPath,
        { ...createBody, references: [bob], fee_payer: bob, checks: 'none', allow_off_curve_recipient: true },
      ],
    ] as const) {
      const response = await post(where, { ...body, to_address: carol });
      assert.ok(!(await response.clone().text()).includes(bob));
      await assertNotAllowed(response, [['/to_address', `pay ${carol}`]]);
    }
  });

  await t.test(
    'to an amount in one transfer moves that much, as often as it likes, and not one unit more',
    async () => {
      const { pay, builtToday } = await asKey({ amounts: perTransfer(100n) });
      for (let count = 0; count < 3; count += 1) assert.equal((await pay(100n)).status, 200);
      const what = 'move the amount 101: it may move at most 100 base units of this mint in one transfer';
      await assertNotAllowed(await pay(101n), [['/amount', what]]);
      assert.equal((await pay(maximum)).status, 403);
      // Nothing is counted where nothing is limited by day.
      assert.equal(await builtToday(), 0n);
    },
  );

  await t.test('in what it may move of one mint moves none of another', async () => {
    const { pay } = await asKey({ amounts: perTransfer(maximum) });
    assert.equal((await pay(1n)).status, 200);
    const other = named(service.sandbox.world.mints, 'PYUSD').address;
    await assertNotAllowed(await pay(1n, { token_mint_address: other }), [
      ['/token_mint_address', `move the mint ${other}`],
    ]);
  });

  await t.test('learns everything that is not allowed at once', async () => {
    const nothing = { operations: new Set<never>(), mints: new Set<never>(), fromAddresses: new Set<never>() };
    const { pay } = await asKey({ ...nothing, toAddresses: new Set(), amounts: perDay(1n) });
    await assertNotAllowed(await pay(2n, { fee_payer: carol }), [
      ['', 'use the operation memo_transfer'],
      ['/token_mint_address', `move the mint ${usdc}`],
      ['/from_address', `send from ${alice}`],
      ['/fee_payer', `use the fee payer ${carol}`],
      ['/to_address', `pay ${bob}`],
      ['/amount', 'move the amount 2: it may move at most 1 base units of this mint in a day'],
    ]);
  });

  await t.test('to an amount in a day builds up to it, and says what is left and until when', async () => {
    const { post, pay, builtToday } = await asKey({ amounts: perDay(100n) });
    assert.equal((await pay(70n)).status, 200);
    const refused = await pay(31n);
    assert.deepEqual([refused.headers.get('solana-blockhash'), refused.headers.get('retry-after')], [null, null]);
    const { status, code, detail, errors } = await readProblem(refused);
    assert.deepEqual([status, code], [403, 'daily_limit_reached']);
    assert.equal(
      detail,
      `This API key may build transfers of 100 base units of ${usdc} a day and has built 70 today: 30 are left, and the ` +
        'amount is 31. The next day begins at 2026-11-22T00:00:00.000Z. Send a smaller amount, or the transfer then, or use another key.',
    );
    assert.deepEqual(errors, [{ pointer: '/amount', code: 'daily_limit_reached', detail }]);
    const { amount: _, ...others } = memoBody;
    const decimal = await readProblem(await post('/v1/transfers', { ...others, amount_decimal: '0.000031' }));
    assert.deepEqual(
      decimal.errors?.map(({ pointer }) => pointer),
      ['/amount_decimal'],
    );
    assert.equal((await pay(30n)).status, 200);
    assert.match((await readProblem(await pay(1n))).detail, /: 0 are left.*Send the transfer then, or use/);
    assert.equal(await builtToday(), 100n);
    t.mock.timers.setTime(Date.parse('2026-11-22T00:00:00Z'));
    assert.deepEqual([(await pay(100n)).status, (await pay(1n)).status], [200, 403]);
    t.mock.timers.setTime(Date.parse(`${today}T12:00:00Z`));
  });

  await t.test('to an amount in a day is not charged for what is refused', async () => {
    const { pay, post, builtToday } = await asKey({ amounts: perDay(maximum), toAddresses: new Set([bob, carol]) });
    assert.equal((await pay(maximum)).status, 422);
    assert.equal((await post(memoPath, { ...memoBody, to_address: alice })).status, 400);
    assert.equal((await pay(1n, { to_address: alice, from_address: bob })).status, 403);
    assert.equal(await builtToday(), 0n);
    assert.equal((await pay(1n)).status, 200);
    assert.equal(await builtToday(), 1n);
  });

  await t.test('to an amount in a day never builds more, though requests race for the last of it', async () => {
    const { pay, builtToday } = await asKey({ amounts: perDay(10n) });
    const replies = await Promise.all(Array.from({ length: 40 }, () => pay(3n)));
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual([statuses.filter((status) => status === 200).length, await builtToday()], [3, 9n]);
    assert.ok(statuses.every((status) => status === 200 || status === 403));
  });

  await t.test('to an amount in a day gets 503 while it cannot be counted, and other keys work on', async () => {
    const [daily, other] = [await asKey({ amounts: perDay(100n) }), await asKey({ amounts: perTransfer(100n) })];
    for (const { pay } of [daily, other]) assert.equal((await pay(1n)).status, 200);
    const writer = new DatabaseSync(path);
    writer.exec('begin immediate');
    const refused = await daily.pay(1n);
    assert.deepEqual([refused.headers.get('retry-after'), refused.headers.get('solana-blockhash')], ['1', null]);
    await assertProblem(
      refused,
      'key_store_unavailable',
      'This API key has a daily limit, and what it built today cannot be counted now. Nothing was built. Try again soon.',
    );
    assert.equal((await other.pay(1n)).status, 200);
    writer.exec('rollback');
    writer.close();
    assert.equal((await daily.pay(1n)).status, 200);
    assert.equal(await daily.builtToday(), 2n);
  });
});
