import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../../test/setup/free-port.ts';
import type { Environment } from '../../src/config/variables.ts';
import { runCaptured } from './run-captured.ts';

function ping(commandLine: readonly string[], environment: Environment) {
  return runCaptured(['ping', ...commandLine], { environment });
}

describe('the ping command', () => {
  // A service that is alive and not ready.
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/livez' ? 200 : 503;
    response.end(request.url);
  });
  let environment: Environment = {};
  before(async () => {
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    environment = { HOST: '127.0.0.1', PORT: String(port) };
  });
  after(() => server.close());

  it('succeeds when the service is alive', async () => {
    assert.deepEqual(await ping([], environment), { status: 0, stdout: '200 /livez\n', stderr: '' });
  });

  it('asks a service that listens on every address by the loopback one', async () => {
    assert.equal((await ping([], { ...environment, HOST: '0.0.0.0' })).status, 0);
  });

  it('with --ready fails while the service is not ready', async () => {
    assert.deepEqual(await ping(['--ready'], environment), { status: 1, stdout: '503 /readyz\n', stderr: '' });
  });

  it('fails with the reason when nothing listens', async () => {
    const port = String(await freePort());
    const { status, stderr } = await ping([], { ...environment, PORT: port });
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`^http://127\\.0\\.0\\.1:${port}/livez: connect ECONNREFUSED`));
  });

  it('refuses a configuration that it does not understand', async () => {
    assert.equal((await ping([], { ...environment, PORT: 'x' })).status, 78);
  });
});
