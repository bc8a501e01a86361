import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { BuiltTransfer } from '../../../core/src/index.ts';
import { type AskedTransaction, IssuedTransactions } from '../../src/links/build-payment.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

const asked: AskedTransaction = { linkId: 'link1', payer: 'alice', amount: 5n, paymentsBefore: 0 };
const sample = await builderOf(new FakeChain()).build(sampleRequest, Number.POSITIVE_INFINITY);

describe('what a payer was handed out', () => {
  let height = 0n;
  let handedOut = new IssuedTransactions();
  beforeEach(() => {
    height = 1_000n;
    handedOut = new IssuedTransactions();
  });

  /** Asks for a transaction; a new one has a number of its own as the units that it consumed. */
  let built = 0;
  async function ask(changes: Partial<AskedTransaction> = {}): Promise<number> {
    const given = await handedOut.get({ ...asked, ...changes }, height, async (): Promise<BuiltTransfer> => {
      built += 1;
      return { ...sample, unitsConsumed: built };
    });
    return given.unitsConsumed ?? assert.fail();
  }

  it('is handed out again for 50 blocks from when it was asked for, however often it is asked for', async () => {
    const first = await ask();
    height += 25n;
    assert.equal(await ask(), first);
    height += 24n;
    assert.equal(await ask(), first);
    height += 1n;
    const second = await ask();
    assert.notEqual(second, first);
    height += 49n;
    assert.equal(await ask(), second);
  });

  it('is handed out again by a node that is a little behind', async () => {
    const first = await ask();
    height -= 3n;
    assert.equal(await ask(), first);
  });

  it('is one transaction for two who ask while it is built, and its blocks count from the first question', async () => {
    const answer = Promise.withResolvers<BuiltTransfer>();
    const first = handedOut.get(asked, height, () => answer.promise);
    height += 49n;
    const second = handedOut.get(asked, height, () => assert.fail('it is being built'));
    answer.resolve(sample);
    assert.equal(await first, await second);
    height += 1n;
    assert.notEqual(await ask(), (await first).unitsConsumed);
  });

  it('is of this link, this payer, this amount and so many payments alone', async () => {
    const changes = [{}, { linkId: 'link2' }, { payer: 'bob' }, { amount: 6n }, { paymentsBefore: 1 }];
    const given: number[] = [];
    for (const each of changes) given.push(await ask(each));
    assert.equal(new Set(given).size, changes.length);
    for (const [index, each] of changes.entries()) assert.equal(await ask(each), given[index]);
  });

  it('is forgotten when it could not be built, and one that was built since is not', async () => {
    const fault = new Error('no answer');
    await assert.rejects(
      handedOut.get(asked, height, () => Promise.reject(fault)),
      fault,
    );
    assert.equal(await ask(), await ask());
    const late = Promise.withResolvers<BuiltTransfer>();
    height += 50n;
    const failing = handedOut.get(asked, height, () => late.promise);
    height += 50n;
    const newer = await ask();
    late.reject(fault);
    await assert.rejects(failing, fault);
    assert.equal(await ask(), newer);
  });

  it('is kept of the last thousand', async () => {
    const first = await ask({ paymentsBefore: 1 });
    const second = await ask({ paymentsBefore: 2 });
    for (let paymentsBefore = 3; paymentsBefore <= 1_000; paymentsBefore += 1) await ask({ paymentsBefore });
    assert.equal(await ask({ paymentsBefore: 1 }), first);
    await ask({ paymentsBefore: 1_001 });
    assert.equal(await ask({ paymentsBefore: 1 }), first);
    assert.notEqual(await ask({ paymentsBefore: 2 }), second);
  });
});
