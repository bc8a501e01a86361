import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startCli } from './cli-process.ts';

// Says at the end what has been loaded.
const listing = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  process.on('exit', () => console.error(JSON.stringify(loaded)));
`;

it('a service that runs has not loaded what only its pages and the description of the API need', async (t) => {
  const service = startCli(t, ['serve'], {
    ...{ PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0', DATABASE_URL: 'sqlite::memory:' },
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(listing)}`,
  });
  await service.waitFor(/listens on/);
  service.kill('SIGTERM');
  const { status, stderr } = await service.ended;
  assert.equal(status, 0, stderr);
  const list = stderr.split('\n').find((line) => line.startsWith('['));
  const loaded: readonly string[] = JSON.parse(list ?? '[]');
  const countOf = (pattern: RegExp): number => loaded.filter((name) => pattern.test(name)).length;
  assert.ok(countOf(/\/packages\/server\/src\//) > 100, 'the list is that of the service');
  const late =
    /\/src\/(?:pages\/(?!page-routes)|app\/pages\/(?:html|page-shell|problem-page\.)|app\/openapi\/document)/;
  assert.deepEqual(
    loaded.filter((name) => late.test(name)),
    [],
  );
});
