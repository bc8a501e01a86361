import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendMemo, startTestSandbox, type TestSandbox } from '../fixtures.ts';

const confirmed = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

describe("the sandbox's blocks", () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  const call = async (method: string, ...parameters: unknown[]) => (await sandbox.call(method, parameters)).json;

  it('hold what landed in a slot, in its order, in each detail', async () => {
    sandbox.ledger.advanceSlots(1);
    const slot = Number(sandbox.ledger.slot());
    const signatures = [sendMemo(sandbox, 'first'), sendMemo(sandbox, 'second')];
    const block = async (config: object) => (await call('getBlock', slot, { ...confirmed, ...config })).result;
    const full = await block({});
    assert.deepEqual(
      full.transactions.map((each: { transaction: { signatures: string[] } }) => each.transaction.signatures[0]),
      signatures,
    );
    assert.equal(full.blockhash, sandbox.ledger.latestBlockhash().blockhash);
    assert.equal(full.previousBlockhash, sandbox.ledger.block(BigInt(slot) - 1n)?.blockhash);
    assert.deepEqual((await block({ transactionDetails: 'signatures' })).signatures, signatures);
    assert.equal((await block({ transactionDetails: 'none' })).transactions, undefined);
    const { transactions } = await block({ transactionDetails: 'accounts', rewards: false });
    assert.deepEqual(Object.keys(transactions[0].transaction), ['signatures', 'accountKeys']);
    const second = await call('getTransaction', signatures[1], confirmed);
    assert.equal(second.result.transactionIndex, 1);
  });

  it('are refused with the reason when they are not available', async () => {
    const { ledger } = sandbox;
    const future = await call('getBlock', Number(ledger.slot()) + 1, confirmed);
    assert.deepEqual(future.error, {
      code: -32004,
      message: `Block not available for slot ${Number(ledger.slot()) + 1}`,
    });
    const past = await call('getBlockTime', Number(ledger.firstSlot) - 1);
    assert.equal(past.error.code, -32001);
    assert.match(past.error.message, new RegExp(`First available block: ${ledger.firstSlot}$`));
  });

  it('are listed by their slots', async () => {
    const newest = Number(sandbox.ledger.slot());
    assert.deepEqual((await call('getBlocks', newest - 2, confirmed)).result, [newest - 2, newest - 1, newest]);
    assert.deepEqual((await call('getBlocks', newest - 2, newest - 1, confirmed)).result, [newest - 2, newest - 1]);
    assert.deepEqual((await call('getBlocksWithLimit', newest - 2, 1, confirmed)).result, [newest - 2]);
  });
});
