import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startCli } from './cli-process.ts';

// Asks Node as well for everything that the command's hook resolves, and says at the end what differs.
const comparing = `
  import module from 'node:module';
  const { registerHooks } = module;
  const differences = [];
  let compared = 0;
  module.registerHooks = ({ resolve }) => registerHooks({
    resolve(specifier, context, next) {
      const found = resolve(specifier, context, next);
      const { url, format } = next(specifier, context);
      const isSame = found.url === url && (found.format ?? format) === format;
      if (!isSame) differences.push([specifier, context.parentURL, found]);
      compared += 1;
      return found;
    },
  });
  process.on('exit', () => console.error(JSON.stringify({ compared, differences })));
`;

it('whatever the service loads is resolved to what Node resolves it to', async (t) => {
  const service = startCli(t, ['serve'], {
    ...{ PORT: '0', SANDBOX_RPC_PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0', DATABASE_URL: 'sqlite::memory:' },
    ...{ SOLANA_RPC_URLS: '', NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(comparing)}` },
  });
  await service.waitFor(/listens on/);
  service.kill('SIGTERM');
  const { status, stderr } = await service.ended;
  assert.equal(status, 0, stderr);
  const { compared, differences } = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '{}');
  assert.ok(compared > 1500, `${compared} were compared`);
  assert.deepEqual(differences, []);
});
