import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { decodeTransaction } from '../../src/ledger/transaction-decoding.ts';
import { memo, sendMemo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

describe("the sandbox's WebSocket", () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox({ slotsToFinalize: 32 });
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

  it('notifies of a signature once, when it has landed', async () => {
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

  it('notifies of slots until the subscription ends', async () => {
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

  it('notifies at finalized only 32 slots later, with the state of then', async () => {
    const { call, next, close } = await connect();
    const { address } = wallet('alice');
    const { result: logs } = await call('logsSubscribe', { mentions: [address] }, { commitment: 'finalized' });
    const { result: account } = await call('accountSubscribe', address, { encoding: 'base64' });
    const signature = sendMemo(sandbox, 'final later');
    const lamports = Number(sandbox.ledger.getAccount(address)?.lamports);
    sandbox.ledger.advanceSlots(16);
    sendMemo(sandbox, 'final much later');
    assert.equal((await call('nothing')).error.code, -32601);
    sandbox.ledger.advanceSlots(16);
    const [first, second] = [await next(), await next()];
    assert.equal(first.params.subscription, logs);
    assert.equal(first.params.result.value.signature, signature);
    assert.equal(second.params.subscription, account);
    assert.equal(second.params.result.value.lamports, lamports);
    close();
  });

  it('notifies of the receipt of a transaction, and then of its outcome', async () => {
    const { call, next, close } = await connect();
    const bytes = signed(sandbox, [memo('received')], wallet('alice'));
    const { signature } = decodeTransaction(bytes);
    await call('signatureSubscribe', signature, { commitment: 'confirmed', enableReceivedNotification: true });
    sandbox.ledger.sendTransaction(bytes);
    assert.equal((await next()).params.result.value, 'receivedSignature');
    assert.deepEqual((await next()).params.result.value, { err: null });
    close();
  });

  it('refuses logs of two addresses at once, and addresses that are none', async () => {
    const { call, close } = await connect();
    const { address } = wallet('alice');
    const messageOf = async (...parameters: Parameters<typeof call>) => (await call(...parameters)).error.message;
    assert.equal(
      await messageOf('logsSubscribe', { mentions: [address, address] }),
      'Invalid Request: Only 1 address supported',
    );
    assert.equal(await messageOf('accountSubscribe', 'abc'), 'Invalid Request: Invalid pubkey provided');
    close();
  });

  it('takes no client while it closes, which it would wait for without end', async () => {
    const closing = await startTestSandbox();
    const slow = new WebSocket(closing.webSocketUrl);
    await once(slow, 'open');
    slow.pause();
    const closed = closing.close();
    const late = new WebSocket(closing.webSocketUrl);
    const outcome = await once(late, 'open').then(() => 'it is connected', String);
    late.terminate();
    slow.resume();
    await closed;
    assert.match(outcome, /426/);
  });
});
