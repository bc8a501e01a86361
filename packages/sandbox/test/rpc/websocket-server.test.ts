import assert from 'node:assert/strict';
import { on } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { memo, sendMemo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

describe("the sandbox's WebSocket", () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  /** Connects, and gives what sends a call and what takes the next message. */
  async function connect() {
    const socket = new WebSocket(sandbox.webSocketUrl);
    const messages = on(socket, 'message');
    await new Promise((resolve) => socket.once('open', resolve));
    const next = async () => JSON.parse(String((await messages.next()).value?.[0]));
    const call = async (method: string, ...params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      return next();
    };
    return { call, next, close: () => socket.close() };
  }

  it('tells of a signature when it lands, and once', async () => {
    const { call, next, close } = await connect();
    const bytes = signed(sandbox, [memo('subscribed')], wallet('alice'));
    const { signature } = sandbox.ledger.sendTransaction(bytes);
    const { result: final } = await call('signatureSubscribe', signature, { commitment: 'finalized' });
    const { result: subscription } = await call('signatureSubscribe', signature, { commitment: 'confirmed' });
    assert.deepEqual(await next(), {
      jsonrpc: '2.0',
      method: 'signatureNotification',
      params: {
        result: { context: { slot: Number(sandbox.ledger.slot()) }, value: { err: null } },
        subscription,
      },
    });
    sandbox.ledger.advanceSlots(32);
    assert.equal((await next()).params.subscription, final);
    sandbox.ledger.advanceSlots(1);
    assert.equal((await call('signatureUnsubscribe', final)).error.code, -32602);
    close();
  });

  it('tells of slots until it is asked no more', async () => {
    const { call, next, close } = await connect();
    const { result: subscription } = await call('slotSubscribe');
    sandbox.ledger.advanceSlots(1);
    const slot = Number(sandbox.ledger.slot());
    assert.deepEqual((await next()).params.result, { slot, parent: slot - 1, root: slot - 32 });
    assert.equal((await call('slotUnsubscribe', subscription)).result, true);
    sandbox.ledger.advanceSlots(1);
    assert.equal((await call('nothing')).error.code, -32601);
    close();
  });

  it('tells of an account that a transaction mentions', async () => {
    const { call, next, close } = await connect();
    const { address } = wallet('alice');
    await call('accountSubscribe', address, { commitment: 'confirmed', encoding: 'base64' });
    sendMemo(sandbox, 'the fee changes the balance');
    const { result } = (await next()).params;
    assert.equal(result.value.lamports, Number(sandbox.ledger.getAccount(address)?.lamports));
    close();
  });
});
