import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCommand, startServer } from '../../setup/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'splwright-links-'));
const server = await startServer('npm start', {
  PORT: '0',
  SANDBOX_RPC_PORT: '0',
  DATABASE_URL: `sqlite:${folder}/keys.db`,
  METRICS_PORT: '0',
  SOLANA_RPC_URLS: '',
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface World {
  wallets: { name: string; address: string }[];
  mints: { name: string; address: string }[];
}
const world = (await (await fetch(`${server.url}/sandbox/world`)).json()) as World;
const addressOf = (named: World['wallets'], name: string): string =>
  named.find((each) => each.name === name)?.address ?? assert.fail(name);
const bob = addressOf(world.wallets, 'bob');
const usdc = addressOf(world.mints, 'USDC');

const links = (args: string) => runCommand(`npm run --silent links -- ${args}`, { SPLWRIGHT_URL: server.url });
const create = `create --to ${bob} --mint ${usdc} --amount-decimal 1.5`;

describe('payment links on the command line', () => {
  it('are made, shown, listed and canceled in a running service', async () => {
    const made = await links(`${create} --label 'a\u202eb' --memo "order 7" --expires-in 1h`);
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, /^label +a⟨U\+202E⟩b$/m);
    assert.match(made.stdout, /^amount +1\.5\b/m);
    assert.doesNotMatch(made.stdout, /[█▀▄]/, 'no terminal reads it');
    const url =
      new RegExp(`^URL +(${server.url}/pay/\\w{16})$`, 'm').exec(made.stdout)?.[1] ?? assert.fail(made.stdout);
    const id = url.slice(-16);

    const shown = await links(`show ${url} --json`);
    const link: Record<string, unknown> = JSON.parse(shown.stdout);
    assert.deepEqual([link.id, link.state, link.label, link.memo], [id, 'open', 'a\u202eb', 'order 7']);
    assert.doesNotMatch(shown.stdout, /\u202e/);

    const listed = await links('list');
    assert.match(listed.stdout, new RegExp(`^${id} {2}open +1\\.5`, 'm'));

    const cancelled = await links(`cancel ${id}`);
    assert.match(cancelled.stdout, /^state +cancelled$/m);
    assert.doesNotMatch(cancelled.stdout, /█/);
  });

  it('are made once by a retry with the same key', async () => {
    const retry = () => links(`${create} --label Tea --idempotency-key order-8 --json`);
    const [first, second] = [await retry(), await retry()];
    assert.equal(first.status, 0, first.stderr);
    assert.equal(JSON.parse(first.stdout).id, JSON.parse(second.stdout).id);
  });

  it('are refused with the words of the service, and exit status 1', async () => {
    const refused = await links(`create --to ${usdc} --mint ${usdc} --amount 0 --label Tea --icon javascript:x --json`);
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, /amount/);
    assert.match(refused.stderr, /icon/);
    const unknown = await links('show 1111111111111111');
    assert.deepEqual([unknown.status, unknown.stdout], [1, '']);
    assert.equal((await links('show x')).status, 2);
  });
});
