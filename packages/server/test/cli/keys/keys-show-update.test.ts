import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { commandLine, onlyJson, startTime } from './command-line.ts';

describe(`keys show`, () => {
  it('prints all details of a key as text', async (test) => {
    const { keys, databaseUrl } = commandLine(test);
    const { id, prefix } = onlyJson(await keys('create', '--name', 'acme', '--rate-limit', '7', '--json'));
    const store = await openKeyStore(await databaseUrl);
    await store.addUsage({
      writer: 'w',
      number: 1,
      usage: [],
      lastUsedAt: new Map([[id, Date.parse(startTime) + 1000]]),
    });
    await store.close();
    const { status, stdout, stderr } = await keys('show', 'acme');
    assert.deepEqual([status, stderr], [0, '']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(lines, [
      ['id', id],
      ['name', 'acme'],
      ['key', `${prefix}…`],
      ['status', 'active'],
      ['created', startTime],
      ['expires', 'never'],
      ['last used', '2026-11-21T12:00:01.000Z'],
      ['requests per minute', '7'],
    ]);
  });

  it('takes the active one of several of a name, and otherwise asks which', async (test) => {
    const { keys, clock } = commandLine(test);
    const old = onlyJson(await keys('create', '--name', 'acme', '--json'));
    clock.now = new Date(clock.now.getTime() + 1);
    const { id } = onlyJson(await keys('rotate', 'acme', '--json'));
    assert.equal(onlyJson(await keys('show', 'acme', '--json')).id, id);
    await keys('revoke', 'acme');
    const { status, stderr } = await keys('show', 'acme');
    assert.equal(status, 1);
    assert.ok(stderr.includes(id) && stderr.includes(old.id) && stderr.includes('2 keys'));
    assert.equal(onlyJson(await keys('show', old.id, '--json')).status, 'revoked');
  });
});

describe('a name that two active keys have', () => {
  it('is refused by show and update, which list the ids, and change neither', async (test) => {
    const { keys } = commandLine(test);
    const ids = [];
    for (const _ of [1, 2]) ids.push(onlyJson(await keys('create', '--name', 'acme', '--json')).id);
    const before = await keys('list', '--json');
    for (const command of [['show'], ['update', '--rate-limit', '5']]) {
      for (const named of [['acme'], ['--name', 'acme']]) {
        const { status, stdout, stderr } = await keys(...command, ...named);
        assert.deepEqual([status, stdout, ids.filter((id) => !stderr.includes(id))], [1, '', []]);
        assert.match(stderr, /2 active keys; say which one with --id/);
      }
    }
    assert.deepEqual(await keys('list', '--json'), before);
  });

  it('means both for history, each change with its id', async (test) => {
    const { keys } = commandLine(test);
    const ids = [];
    for (const _ of [1, 2]) ids.push(onlyJson(await keys('create', '--name', 'acme', '--json')).id);
    const changes = onlyJson(await keys('history', 'acme', '--json'));
    assert.deepEqual(changes.map(({ id }: { id: string }) => id).sort(), ids.sort());
    assert.equal(onlyJson(await keys('history', ids[0], '--json')).length, 1);
  });
});

describe(`keys update`, () => {
  it('changes the name and the expiry, and warns when the expiry is removed', async (test) => {
    const { keys } = commandLine(test);
    const { id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const renamed = onlyJson(await keys('update', 'acme', '--new-name', 'Acme two', '--expires', '12h', '--json'));
    assert.deepEqual([renamed.id, renamed.name, renamed.expires_at], [id, 'Acme two', '2026-11-22T00:00:00.000Z']);
    const { status, stdout, stderr } = await keys('update', id, '--expires', 'never');
    assert.equal(status, 0);
    assert.match(stdout, /^expires +never$/m);
    assert.match(stdout, /within 5 seconds/);
    assert.match(stderr, /never expires/);
    assert.equal((await keys('update', id, '--new-name', 'a')).stderr, '');
  });

  it('refuses an expiry that has passed and a name that cannot be seen, and changes nothing', async (test) => {
    const { keys } = commandLine(test);
    onlyJson(await keys('create', '--name', 'acme', '--json'));
    const before = await keys('list', '--json');
    assert.equal((await keys('update', 'acme', '--expires', startTime)).status, 1);
    assert.equal((await keys('update', 'acme', '--new-name', ' ')).status, 2);
    assert.equal((await keys('update', 'nobody', '--rate-limit', '5')).status, 1);
    assert.deepEqual(await keys('list', '--json'), before);
  });
});

describe(`keys rotate --overlap`, () => {
  it('lets the old key work until the overlap is over', async (test) => {
    const { keys, isAccepted, clock } = commandLine(test);
    const old = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const rotated = onlyJson(await keys('rotate', 'acme', '--overlap', '1h', '--json'));
    assert.deepEqual(
      [rotated.replaces, rotated.replaced_expires_at, rotated.expires_at],
      [old.id, '2026-11-21T13:00:00.000Z', null],
    );
    clock.now = new Date('2026-11-21T12:59:59.999Z');
    assert.deepEqual([await isAccepted(old.key), await isAccepted(rotated.key)], [true, true]);
    clock.now = new Date('2026-11-21T13:00:00Z');
    assert.deepEqual([await isAccepted(old.key), await isAccepted(rotated.key)], [false, true]);
  });

  it('prints until when as text, and warns that the new one never expires', async (test) => {
    const { keys } = commandLine(test);
    const old = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const { stdout, stderr } = await keys('rotate', 'acme', '--overlap', '30m');
    assert.match(stdout, new RegExp(`replaces ${old.id}, which works until 2026-11-21T12:30:00.000Z`));
    assert.match(stderr, /never expires/);
  });
});

describe('a key on the command line', () => {
  it('is never repeated where it does not belong', async (test) => {
    const { keys } = commandLine(test);
    const { key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    await keys('revoke', 'acme');
    const mistyped = `${key.slice(0, -1)}${key.at(-1) === '0' ? '1' : '0'}`;
    const lines = [
      ['create', '--name', key],
      ['create', '--name', `key ${key}`],
      ['list', key],
      [key],
      ['revoke', key],
      ['revoke', '--name', key],
      ['revoke', mistyped],
      ['rotate', key, key],
      ['usage', mistyped],
      ['show', `--${key}`],
      ['create', '--name', 'x', '--expires', key],
      ['update', 'acme', '--rate-limit', key],
    ];
    for (const line of lines) {
      const { status, stdout, stderr } = await keys(...line);
      assert.notEqual(status, 0, line.join(' '));
      assert.ok(!(stdout + stderr).includes(key.slice(10, 20)), stderr);
    }
  });

  it('is revoked by its own text, as when it was found where it should not be', async (test) => {
    const { keys, isAccepted } = commandLine(test);
    const { id, key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    onlyJson(await keys('create', '--name', 'acme', '--json'));
    const { stdout } = await keys('revoke', key);
    assert.match(stdout, new RegExp(`Revoked ${id}`));
    assert.equal(await isAccepted(key), false);
  });
});
