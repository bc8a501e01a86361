import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandLine, onlyJson, startTime } from './command-line.ts';

const in90Days = '2027-02-19T12:00:00.000Z';
const keyLine = /^swk_[0-9A-Za-z]{39}$/m;

describe(`keys create`, () => {
  it('shows the key alone on a line, once, and says how to use it', async (test) => {
    const { keys, isAccepted } = commandLine(test);
    const { status, stdout, stderr } = await keys('create', '--name', 'acme', '--expires', '90d');
    assert.equal(status, 0);
    const key = stdout.match(keyLine)?.[0] ?? '';
    assert.equal(stdout.split(key).length, 2);
    assert.match(stdout, /only this once/);
    assert.match(stdout, /Authorization: Bearer/);
    assert.match(stdout, new RegExp(in90Days));
    assert.equal(stderr, '');
    assert.ok(await isAccepted(key));
  });

  it('prints one line of JSON and nothing else with --json', async (test) => {
    const { keys, isAccepted } = commandLine(test);
    const created = onlyJson(await keys('create', '--name', 'acme', '--expires', '90d', '--json'));
    const { id, key, prefix } = created;
    assert.deepEqual(created, { id, name: 'acme', key, prefix, created_at: startTime, expires_at: in90Days });
    assert.match(key, keyLine);
    assert.ok(key.startsWith(prefix));
    assert.ok(await isAccepted(key));
    assert.equal(onlyJson(await keys('create', '--name', 'acme', '--json')).expires_at, null);
  });

  it('warns of a name that another active key has, with the option that tells them apart', async (test) => {
    const { keys } = commandLine(test);
    const create = ['create', '--name', 'acme', '--expires', '90d', '--json'];
    const first = await keys(...create);
    assert.equal(first.stderr, '');
    const second = await keys(...create);
    const [{ id: firstId }, { id: secondId }] = [JSON.parse(first.stdout), JSON.parse(second.stdout)];
    const warning = `Warning: Key ${firstId} is called "acme" too. Name this one by its id: --id ${secondId}\n`;
    assert.equal(second.stderr, warning);
    assert.match((await keys('revoke', 'acme')).stderr, /2 active keys; say which one with --id/);
    const third = await keys('create', '--name', 'other', '--expires', '90d', '--json');
    const renamed = await keys('update', '--id', JSON.parse(third.stdout).id, '--new-name', 'acme');
    assert.match(renamed.stderr, /^Warning: 2 other active keys are called "acme" too\./);
    await keys('revoke', '--id', firstId);
    await keys('revoke', '--id', secondId);
    assert.equal((await keys('update', 'acme', '--new-name', 'acme')).stderr, '');
  });

  it('takes names of people and programs, and refuses what cannot be seen', async (test) => {
    const { keys } = commandLine(test);
    for (const name of ['a', 'Acme staging', 'Müller & Søn', '東京', '💸'.repeat(64)]) {
      assert.equal(onlyJson(await keys('create', '--name', name, '--json')).name, name);
    }
    const names = ['', ' ', ' acme', 'acme ', 'a  b', 'a\tb', 'a\nb', '\u001b[31mred', 'a\u202eb', 'x'.repeat(65)];
    for (const name of names) {
      const { status, stdout, stderr } = await keys('create', `--name=${name}`);
      assert.deepEqual([status, stdout], [2, ''], JSON.stringify(name));
      assert.match(stderr, /1 to 64 visible characters/);
    }
  });

  it('makes no key that has expired already', async (test) => {
    const { keys } = commandLine(test);
    const { status, stdout, stderr } = await keys('create', '--name', 'acme', '--expires', startTime);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /has passed/);
    assert.deepEqual(onlyJson(await keys('list', '--json')), []);
  });
});

describe(`keys list`, () => {
  it('shows what each key is limited to, in short', async (test) => {
    const { keys } = commandLine(test);
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const limits = ['--rate-limit', '60', '--allow-operation', 'transfer,batch', '--allow-mint', mint, '--daily-limit'];
    await keys('create', '--name', 'app', ...limits, `${mint}=5`);
    await keys('create', '--name', 'free', '--rate-limit', 'none');
    const rows = (await keys('list')).stdout.trimEnd().split('\n').slice(1);
    assert.deepEqual(rows.map((row) => row.split(/ {2,}/)[6]).sort(), [
      '60 a minute, batch transfer, 1 mint, 1 amount limit',
      'any rate',
    ]);
  });

  it('shows the state of every key, and no key', async (test) => {
    const { keys, clock } = commandLine(test);
    const active = onlyJson(await keys('create', '--name', 'active', '--json'));
    const revoked = onlyJson(await keys('create', '--name', 'revoked one', '--json'));
    const expired = onlyJson(await keys('create', '--name', 'expired', '--expires', '30m', '--json'));
    await keys('revoke', 'revoked one');
    clock.now = new Date('2026-11-21T12:30:00Z');

    const { stdout } = await keys('list');
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    assert.match(heading ?? '', /^ID +NAME +PREFIX +CREATED +EXPIRES +STATUS +LIMITS$/);
    const row = (key: { id: string }) => rows.find((line) => line.startsWith(key.id))?.split(/ {2,}/);
    assert.deepEqual(row(active), [active.id, 'active', `${active.prefix}…`, startTime, 'never', 'active']);
    assert.deepEqual(row(revoked)?.slice(4), ['never', 'revoked']);
    assert.deepEqual(row(expired)?.slice(4), ['2026-11-21T12:30:00.000Z', 'expired']);

    const listed: { id: string; name: string; status: string; revoked_at: string | null }[] = onlyJson(
      await keys('list', '--json'),
    );
    const states = new Map(listed.map((key) => [key.id, [key.name, key.status, key.revoked_at]]));
    assert.deepEqual(states.get(active.id), ['active', 'active', null]);
    assert.deepEqual(states.get(revoked.id), ['revoked one', 'revoked', startTime]);
    assert.deepEqual(states.get(expired.id), ['expired', 'expired', null]);
    assert.doesNotMatch(stdout + JSON.stringify(listed), /swk_[0-9A-Za-z]{10}/);
  });
});
