import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../../test/setup/free-port.ts';
import { startSandbox } from '../../src/index.ts';
import { startTestSandbox, type TestSandbox } from '../fixtures.ts';

describe('a sandbox that listens on every address', () => {
  it('names one that can be connected to, and answers at the others', async (t) => {
    const sandbox = await startTestSandbox({ host: '0.0.0.0' });
    t.after(() => sandbox.close());
    assert.match(sandbox.rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(sandbox.webSocketUrl, /^ws:\/\/127\.0\.0\.1:\d+$/);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const { port } = new URL(sandbox.rpcUrl);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
      const health = await fetch(`http://${address}:${port}/health`);
      assert.equal(await health.text(), 'ok', address);
    }
  });
});

describe("the sandbox's server", () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  it('answers faults of JSON-RPC with status 200 and the code', async () => {
    const code = async (body: string) => {
      const { status, json } = await sandbox.post(body);
      assert.equal(status, 200);
      return json.error.code;
    };
    assert.equal(await code('{"jsonrpc":"2.0","id":[],"method":"getSlot"}'), -32600);
    assert.equal(await code('{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}'), -32602);
    const { json } = await sandbox.call('toString');
    assert.deepEqual(json, { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 1 });
  });

  it('refuses a body over 50 KB, other types and other methods', async () => {
    assert.equal((await sandbox.post(' '.repeat(50 * 1024 + 1))).status, 413);
    assert.equal((await sandbox.post('{}', { 'Content-Type': 'text/plain' })).status, 415);
    assert.equal((await fetch(sandbox.rpcUrl)).status, 405);
  });

  it('allows browsers, and reports its health', async () => {
    const preflight = await fetch(sandbox.rpcUrl, { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    const health = await fetch(`${sandbox.rpcUrl}/health`);
    assert.equal(health.headers.get('access-control-allow-origin'), '*');
    assert.equal(await health.text(), 'ok');
  });

  it('names the port that is in use', async () => {
    const rpcPort = Number(new URL(sandbox.rpcUrl).port);
    await assert.rejects(startSandbox({ rpcPort }), { code: 'EADDRINUSE', port: rpcPort });
    const free = await freePort();
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(free + 1, '127.0.0.1', resolve));
    await assert.rejects(startSandbox({ rpcPort: free }), { code: 'EADDRINUSE', port: free + 1 });
    await new Promise((resolve) => blocker.close(resolve));
  });

  it('frees its ports when it is closed, also when it is closed twice', async () => {
    const rpcPort = await freePort();
    const first = await startSandbox({ rpcPort });
    await first.close();
    await first.close();
    const second = await startSandbox({ rpcPort });
    await second.close();
  });
});
