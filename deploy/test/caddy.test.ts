import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { freePort } from '../../test/setup/free-port.ts';
import { assertInstalled } from '../../test/setup/not-installed.ts';
import { startTestService } from '../../test/setup/service.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';
import { readUntil } from '../../test/setup/wait-until.ts';

test('Caddy with the configuration of operators hands requests to a service that is ready', async (t) => {
  assertInstalled('caddy', 'caddy');
  const service = await startTestService(t, { TRUST_PROXY: '1' });
  const [url, folder] = [`http://127.0.0.1:${await freePort()}`, temporaryFolder(t)];
  const file = new URL('../caddy/Caddyfile', import.meta.url).pathname;
  // Without a certificate, which needs a domain; what it keeps is gone with the test.
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      DOMAIN: url,
      SPLWRIGHT: new URL(service.url).host,
    },
    stdio: 'ignore',
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
  const status = (path: string): Promise<number> =>
    fetch(url + path).then(
      (response) => response.status,
      () => 0,
    );
  await readUntil(
    () => status('/livez'),
    (code) => code === 200,
  );
  assert.equal(await status('/v1/key'), 401, 'as the service itself answers without a key');
});
