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

  it('name what landed in a slot, in its order, or have no transactions', async () => {
    sandbox.ledger.advanceSlots(1);
    const slot = Number(sandbox.ledger.slot());
    const signatures = [sendMemo(sandbox, 'first'), sendMemo(sandbox, 'second')];
    const block = (transactionDetails: string) => call('getBlock', slot, { ...confirmed, transactionDetails });
    const { result } = await block('signatures');
    assert.deepEqual(result.signatures, signatures);
    assert.equal(result.blockhash, sandbox.ledger.latestBlockhash().blockhash);
    assert.equal(result.previousBlockhash, sandbox.ledger.block(BigInt(slot) - 1n)?.blockhash);
    const { signatures: _, ...rest } = result;
    assert.deepEqual((await block('none')).result, rest);
    const full = await call('getBlock', slot, confirmed);
    assert.equal(full.error.code, -32602);
    assert.match(full.error.message, /unknown variant `full`, expected one of `signatures`, `none`/);
    const second = await call('getTransaction', signatures[1], confirmed);
    assert.equal(second.result.transactionIndex, 1);
  });

  it('are refused with the reason when they are not available', async () => {
    const { ledger } = sandbox;
    const at = (slot: number) => call('getBlock', slot, { ...confirmed, transactionDetails: 'none' });
    const future = Number(ledger.slot()) + 1;
    assert.deepEqual((await at(future)).error, { code: -32004, message: `Block not available for slot ${future}` });
    const past = await at(Number(ledger.firstSlot) - 1);
    assert.equal(past.error.code, -32001);
    assert.match(past.error.message, new RegExp(`First available block: ${ledger.firstSlot}$`));
  });
});
