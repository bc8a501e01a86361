import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { startTestSandbox } from './fixtures.ts';

describe('a sandbox that listens on every address', () => {
  it('names one that can be connected to, and answers at the others', async (t) => {
    const sandbox = await startTestSandbox({ host: '0.0.0.0' });
    t.after(() => sandbox.close());
    assert.match(sandbox.rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(sandbox.webSocketUrl, /^ws:\/\/127\.0\.0\.1:\d+$/);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const { port } = new URL(sandbox.rpcUrl);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
      const response = await fetch(`http://${address}:${port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.match(await response.text(), /"result":"ok"/, address);
    }
  });
});
