import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { startTestService } from '../../../../test/setup/service.ts';
import { freshWallet } from '../../../core/test/fixtures.ts';
import type { KeyRestrictions } from '../../src/keys/authenticated-key.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { readProblem } from '../app/problem.ts';
import { alice, batchBody, bob, usdc } from '../app/sample-bodies.ts';
import { createLimitedKey } from '../keys/limited-key.ts';
import { newKeyStore } from '../store/databases.ts';

const service = await startTestService({ after });
const post = (body: unknown, headers = {}): Promise<Response> => service.post(paths.batch, body, headers);
const batchOf = (transfers: unknown, more = {}): object => ({ ...batchBody, transfers, ...more });
const manyOf = (count: number, transfer: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => transfer(index));

async function refused(
  body: unknown,
): Promise<{ status: number; code: string; errors: [string, string][]; detail: string }> {
  const response = await post(body);
  const { status, code, errors = [], detail } = await readProblem(response);
  return { status, code, errors: errors.map((error) => [error.pointer, error.code]), detail };
}

describe('a batch that is refused', () => {
  it('says of each transfer what is wrong with it, and where', async () => {
    const transfers = [
      { to_address: bob, amount: '1' },
      { to_address: 'x', amount: '1' },
      { to_address: bob, amount: 1 },
      { to_address: bob },
      { to_address: bob, amount: '1', amount_decimal: '1' },
      { to_address: bob, amount: '0', memo: '' },
      { to_address: bob, amount: '1', references: [bob, bob] },
      { to_address: bob, amount: '1', yid: 'x' },
      { to_address: alice, amount: '1' },
      null,
    ];
    const { status, code, errors } = await refused(batchOf(transfers));
    assert.deepEqual([status, code], [400, 'invalid_request']);
    assert.deepEqual(
      errors.sort(),
      [
        ['/transfers/1/to_address', 'invalid_address'],
        ['/transfers/2/amount', 'wrong_type'],
        ['/transfers/3', 'amount_or_amount_decimal_required'],
        ['/transfers/4/amount_decimal', 'amount_and_amount_decimal'],
        ['/transfers/5/amount', 'invalid_amount'],
        ['/transfers/5/memo', 'invalid_memo'],
        ['/transfers/6/references/1', 'invalid_value'],
        ['/transfers/7', 'unknown_field'],
        ['/transfers/8/to_address', 'same_wallet'],
        ['/transfers/9', 'wrong_type'],
      ].sort(),
    );
  });

  it('names the first unknown field of each transfer, and the fields that a transfer has once', async () => {
    const transfers = [
      { to_address: bob, amount: '1', yid: 'x', note: 'y', 3: 'z' },
      { to_address: bob, amount: '1', yid: 'x' },
      { to_address: bob, ammount: '1' },
    ];
    const { errors = [] } = await readProblem(await post(batchOf(transfers)));
    assert.deepEqual(
      errors.filter(({ code }) => code === 'unknown_field').map(({ detail }) => detail),
      [
        'transfers/0: "3" is not a field of transfers/0. The required field is to_address; the others are token_mint_address, amount_decimal, ' +
          'amount, memo, references. Nor are 2 more.',
        'transfers/1: "yid" is not a field of transfers/1.',
        'transfers/2: "ammount" is not a field of transfers/2. Did you mean amount?',
      ],
    );
  });

  it('is refused for a number of transfers that none may have', async () => {
    const recipient = { to_address: bob, amount: '1' };
    for (const transfers of [[], manyOf(1_001, () => recipient)]) {
      assert.deepEqual((await refused(batchOf(transfers))).errors, [['/transfers', 'invalid_value']]);
    }
    assert.deepEqual((await refused(batchOf({}))).errors, [['/transfers', 'wrong_type']]);
    const { transfers: _, ...without } = batchBody;
    assert.deepEqual((await refused(without)).errors, [['/transfers', 'missing_field']]);
  });

  it('takes no field of a single transfer', async () => {
    for (const name of ['to_address', 'amount', 'memo', 'yid', 'splits', 'layout', 'simulate', 'summary', 'encoding']) {
      assert.deepEqual((await refused({ ...batchBody, [name]: 'x' })).errors, [[`/${name}`, 'unknown_field']], name);
    }
  });

  it('lists 100 errors of a thousand transfers, whatever kind they are', async () => {
    const malformed = await refused(batchOf(manyOf(1_000, () => ({ to_address: 'x', amount: '-1' }))));
    assert.deepEqual([malformed.status, malformed.errors.length], [400, 100]);
    assert.match(malformed.detail, /^The request has more than 100 faults, the first: /);
    const notPayable = await refused(batchOf(manyOf(1_000, () => ({ to_address: usdc, amount: '1' }))));
    assert.deepEqual([notPayable.status, notPayable.errors.length], [422, 100]);
    assert.match(notPayable.detail, /and 999 more, 99 of them in errors/);
  });

  it('is told of the sum against the balance once, and of decimals where they are', async () => {
    const half = String(2n ** 63n);
    const sum = await refused(batchOf(manyOf(3, () => ({ to_address: bob, amount: half }))));
    assert.deepEqual(sum.errors, [['/transfers', 'insufficient_token_balance']]);
    const transfers = [
      { to_address: bob, amount_decimal: '1.5' },
      { to_address: bob, amount_decimal: '0.0000001' },
    ];
    assert.deepEqual((await refused(batchOf(transfers))).errors, [
      ['/transfers/1/amount_decimal', 'amount_not_representable'],
    ]);
  });

  it('is told in one round of a fault of its text, of too many decimals and of a mint as a recipient, whatever their rows', async () => {
    const transfers = manyOf(1_000, () => ({ to_address: bob, amount: '1' }));
    transfers[3] = { to_address: 'x', amount: '1' };
    transfers[5] = { to_address: bob };
    transfers[900] = { to_address: bob, amount_decimal: '0.0000001' };
    transfers[901] = { to_address: usdc, amount: '1' };
    const { status, code, errors } = await refused(batchOf(transfers));
    assert.deepEqual([status, code], [400, 'invalid_request']);
    assert.deepEqual(errors, [
      ['/transfers/5', 'amount_or_amount_decimal_required'],
      ['/transfers/3/to_address', 'invalid_address'],
      ['/transfers/900/amount_decimal', 'amount_not_representable'],
      ['/transfers/901/to_address', 'recipient_is_mint'],
    ]);
    const nowhere = await refused({ ...batchOf(transfers.slice(0, 4)), token_mint_address: freshWallet() });
    assert.deepEqual(nowhere.errors, [
      ['/transfers/3/to_address', 'invalid_address'],
      ['/token_mint_address', 'mint_not_found'],
    ]);
  });

  it('may not publish an API key in a memo, nor use a nonce for several transactions', async () => {
    const leak = await refused(
      batchOf([
        batchBody.transfers[0],
        { to_address: bob, amount: '1', memo: 'swk_SplwrightSandboxLoopbackOnly000000qSPrF' },
      ]),
    );
    assert.deepEqual(leak.errors, [['/transfers/1/memo', 'memo_holds_api_key']]);
    const [nonce] = service.sandbox.world.nonce_accounts;
    const transfers = manyOf(60, () => ({ to_address: freshWallet(), amount: '1' }));
    const several = await refused(batchOf(transfers, { nonce_account: nonce?.address }));
    assert.deepEqual(several.errors, [['/nonce_account', 'nonce_for_several_transactions']]);
    const one = await post(batchOf(batchBody.transfers, { nonce_account: nonce?.address }));
    assert.equal(one.status, 200);
    assert.equal(one.headers.get('solana-last-valid-block-height'), null);
  });

  it('takes a body of 2 MiB and no larger one', async () => {
    const pad = (length: number): string => `${JSON.stringify(batchBody)}${' '.repeat(length)}`.slice(0, length);
    assert.equal((await post(pad(2_097_152))).status, 200);
    assert.equal((await post(pad(2_097_153))).status, 413);
  });

  it('never fails with a 5xx, whatever one or a thousand transfers are', async () => {
    const text = fc.oneof(fc.constantFrom(alice, bob, usdc, '1', '0', '1.5', '18446744073709551615', ''), fc.string());
    const value = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() });
    const transfer = fc.oneof(
      { weight: 4, arbitrary: fc.record({ to_address: fc.constantFrom(bob, usdc, alice), amount: text }) },
      {
        weight: 3,
        arbitrary: fc.dictionary(
          fc.constantFrom('to_address', 'amount', 'amount_decimal', 'memo', 'references', '__proto__'),
          fc.oneof(value, fc.array(text)),
        ),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    const transfers = fc.oneof(
      { weight: 6, arbitrary: fc.array(transfer, { maxLength: 5 }) },
      { weight: 1, arbitrary: transfer.map((each) => manyOf(1_000, () => each)) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    await fc.assert(
      fc.asyncProperty(
        transfers,
        fc.constantFrom({}, { transaction_version: 1 }, { checks: 'none' }),
        async (drawn, more) => {
          const body = batchOf(drawn, more);
          const response = await post(body);
          assert.ok(response.status < 500, String(response.status));
          if (response.status === 200) return;
          const { errors = [] } = await readProblem(response);
          assert.ok(errors.length <= 100);
          for (const { pointer } of errors) assert.match(pointer, /^(?:\/transfers(?:\/\d+(?:\/\w+(?:\/\d+)?)?)?)?$/);
        },
      ),
      { numRuns: propertyRuns(120) },
    );
  });
});

describe('a key that is limited', () => {
  it('builds batches of what it may pay, transfer by transfer and day by day', async (t) => {
    const { databaseUrl, store } = await newKeyStore(t);
    const limited = await startTestService(t, { DATABASE_URL: databaseUrl });
    const asKey = async (restrictions: Partial<KeyRestrictions>): Promise<(transfers: unknown) => Promise<string>> => {
      const { headers } = await createLimitedKey(store, restrictions);
      return async (transfers) => {
        const response = await limited.post(paths.batch, batchOf(transfers), headers);
        if (response.status === 200) return 'built';
        const { code, errors = [] } = await readProblem(response);
        return [code, ...errors.map(({ pointer }) => pointer)].join(' ');
      };
    };
    const pay = (...amounts: string[]): object[] => amounts.map((amount) => ({ to_address: bob, amount }));

    assert.equal(await (await asKey({ operations: new Set(['transfer']) }))(pay('1')), 'key_not_allowed ');
    assert.equal(await (await asKey({ operations: new Set(['batch']) }))(pay('1')), 'built');
    // What the key may not pay is not asked of the chain either.
    const faulty = [
      { to_address: usdc, amount: '1' },
      { to_address: 'x', amount: '1' },
    ];
    assert.equal(await (await asKey({}))(faulty), 'invalid_request /transfers/1/to_address /transfers/0/to_address');
    assert.equal(await (await asKey({ mints: new Set([alice]) }))(faulty), 'invalid_request /transfers/1/to_address');
    const toBob = await asKey({ toAddresses: new Set([bob]) });
    const other = { to_address: freshWallet(), amount: '1' };
    assert.equal(await toBob([...pay('1'), other]), 'key_not_allowed /transfers/1/to_address');
    const amounts = new Map([[usdc, { perTransfer: 10n, perDay: 25n }]]);
    const byAmount = await asKey({ amounts });
    assert.equal(await byAmount(pay('10', '11')), 'key_not_allowed /transfers/1/amount');
    assert.equal(
      await byAmount([{ to_address: bob, amount_decimal: '0.000011' }]),
      'key_not_allowed /transfers/0/amount_decimal',
    );
    assert.equal(await byAmount(pay('9', '9', '9')), 'key_not_allowed /transfers');
    assert.equal(await byAmount(pay('10', '10')), 'built');
    assert.match(await byAmount(pay('3', '3')), /^daily_limit_reached \/transfers$/);
    assert.equal(await byAmount(pay('3', '2')), 'built');
  });

  it('has one request counted for each 10 transfers, begun', async (t) => {
    const counted = await startTestService(t, { RATE_LIMIT_PER_MINUTE: '104' });
    const left = async (count: number): Promise<[number, string | undefined]> => {
      const transfers = manyOf(count, (index) => ({ to_address: bob, amount: String(index + 1) }));
      const { status, headers } = await counted.post(paths.batch, batchOf(transfers));
      return [status, /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]];
    };
    assert.deepEqual(await left(10), [200, '103']);
    assert.deepEqual(await left(11), [200, '101']);
    assert.deepEqual(await left(0), [400, '100']);
    assert.deepEqual(await left(1_000), [200, '0']);
    assert.deepEqual(await left(1), [429, '0']);
  });
});
