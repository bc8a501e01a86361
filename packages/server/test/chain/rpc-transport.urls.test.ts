import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { resultOf, rpcError, startFakeUpstream } from '../../../../test/setup/fake-upstream.ts';
import { type RpcRequest, RpcTransport } from '../../src/chain/rpc-transport.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';

const getHealth: RpcRequest<unknown> = {
  method: 'getHealth',
  params: [],
  read: (result) => result,
  maxAnswerBytes: 10_000,
};

/** The message that a node's error keeps, where the node is reached by a URL that ends in `path`. */
async function messageKept(t: TestContext, path: string, message: string): Promise<unknown> {
  const upstream = await startFakeUpstream(t, rpcError(-32000, message));
  const transport = new RpcTransport({ url: new URL(path, upstream.url).href, timeoutMs: 5_000 });
  t.after(() => transport.close());
  const error = await transport.call(getHealth, 5_000).catch((reason: unknown) => reason);
  assert.ok(error instanceof UpstreamFault && error.cause instanceof Object && 'message' in error.cause);
  return error.cause.message;
}

test('A user name or a password alone is sent to the node', async (t) => {
  for (const [credentials, sent] of [
    ['key', 'key:'],
    [':key', ':key'],
  ]) {
    const seen: unknown[] = [];
    const upstream = await startFakeUpstream(t, (call, response) => {
      seen.push(response.req.headers.authorization);
      resultOf(() => 'ok')(call, response);
    });
    const url = upstream.url.replace('http://', `http://${credentials}@`);
    const transport = new RpcTransport({ url, timeoutMs: 5_000 });
    t.after(() => transport.close());
    await transport.call(getHealth, 5_000);
    assert.deepEqual(seen, [`Basic ${Buffer.from(`${sent}`).toString('base64')}`]);
  }
});

test('A part of the URL with 8 characters counts as a secret, and a shorter one as a word', async (t) => {
  assert.equal(await messageKept(t, '/mainnet/abcdefgh', 'mainnet abcdefgh'), 'mainnet …');
});

test('A part of the URL that is not text in percent encoding is a secret as it stands', async (t) => {
  assert.equal(await messageKept(t, '/%ff-key-1', 'no %ff-key-1'), 'no …');
});

test("A node's message is kept up to 200 characters", async (t) => {
  assert.equal(await messageKept(t, '/', 'x'.repeat(301)), `${'x'.repeat(199)}…`);
});
