import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readByHand } from '../../store/change-by-hand.ts';
import { author, commandLine, onlyJson, startTime } from './command-line.ts';

const mint = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
const by = { user: author.user, sudo_user: author.sudoUser, host: author.host };

describe(`keys history`, () => {
  it('has one line of each command that changed something, with what it changed', async (t) => {
    const { keys, clock } = commandLine(t);
    const { id } = onlyJson(await keys('create', '--name', 'acme', '--expires', '90d', '--json'));
    const expires = '2027-02-19T12:00:00.000Z';
    const changes = { name: { from: null, to: 'acme' }, expires_at: { from: null, to: expires } };
    const expected: object[] = [{ at: startTime, action: 'created', id, name: 'acme', changes, ...by }];

    const steps: readonly [args: readonly string[], changes: Record<string, { from: unknown; to: unknown }>][] = [
      [['--new-name', 'app'], { name: { from: 'acme', to: 'app' } }],
      [['--expires', 'never'], { expires_at: { from: expires, to: null } }],
      [['--rate-limit', '60'], { rate_limit_per_minute: { from: null, to: 60 } }],
      [['--rate-limit', 'none'], { rate_limit_per_minute: { from: 60, to: 0 } }],
      [['--allow-operation', 'batch,transfer'], { allowed_operations: { from: null, to: ['batch', 'transfer'] } }],
      [['--allow-mint', mint], { allowed_mints: { from: null, to: [mint] } }],
      [['--allow-from', mint], { allowed_from_addresses: { from: null, to: [mint] } }],
      [['--allow-to', mint], { allowed_to_addresses: { from: null, to: [mint] } }],
      [['--daily-limit', `${mint}=5`], { amount_limits: { from: null, to: { [mint]: { per_day: '5' } } } }],
      [
        ['--allow-to', 'any', '--allow-from', 'any'],
        {
          allowed_from_addresses: { from: [mint], to: null },
          allowed_to_addresses: { from: [mint], to: null },
        },
      ],
      [['--rate-limit', 'none'], {}],
    ];
    for (const [index, [args, changed]] of steps.entries()) {
      const name = index === 0 ? 'acme' : 'app';
      clock.now = new Date(clock.now.getTime() + 60_000);
      assert.equal((await keys('update', id, ...args)).status, 0);
      expected.push({ at: clock.now.toISOString(), action: 'updated', id, name, changes: changed, ...by });
    }
    const { id: newId } = onlyJson(await keys('rotate', id, '--overlap', '1h', '--json'));
    await keys('revoke', newId);
    const rotated = { from: null, to: new Date(clock.now.getTime() + 3_600_000).toISOString() };
    const revoked = { from: null, to: clock.now.toISOString() };
    const last = { at: clock.now.toISOString(), name: 'app', ...by };
    expected.push({ ...last, action: 'rotated', id, new_id: newId, changes: { expires_at: rotated } });
    expected.push({ ...last, action: 'revoked', id: newId, changes: { revoked_at: revoked } });
    assert.deepEqual(onlyJson(await keys('history', '--json')), expected);
    const { stdout } = await keys('history', '--limit', '2');
    assert.match(stdout, /^AT .*\n.* ann as root at ops-1 +rotated to key_.*: expires_at none -> .*\n.* revoked: /);
    assert.equal(stdout.trim().split('\n').length, 3);
  });

  it('has no line of a command that failed, or that changes nothing', async (t) => {
    const { keys, clock } = commandLine(t);
    const { id } = onlyJson(await keys('create', '--name', 'acme', '--expires', '1h', '--json'));
    const { id: revoked } = onlyJson(await keys('create', '--name', 'old', '--json'));
    await keys('revoke', revoked);
    const failing = [
      ['create'],
      ['create', '--name', 'bad\u0007name'],
      ['create', '--name', 'late', '--expires', '2020-01-01T00:00:00Z'],
      ['update', id],
      ['update', id, '--allow-mint', 'nonsense'],
      ['update', revoked, '--rate-limit', '1'],
      ['update', 'none', '--rate-limit', '1'],
      ['revoke', revoked],
      ['rotate', revoked],
      ['rotate', id, '--overlap', 'soon'],
    ];
    for (const args of failing) assert.notEqual((await keys(...args)).status, 0, args.join(' '));
    clock.now = new Date(clock.now.getTime() + 2 * 3_600_000);
    assert.notEqual((await keys('rotate', id)).status, 0, 'it has expired');
    for (const args of [['list'], ['show', id], ['usage'], ['history']]) assert.equal((await keys(...args)).status, 0);
    const actions = onlyJson(await keys('history', '--json')).map(({ action }: { action: string }) => action);
    assert.deepEqual(actions, ['created', 'created', 'revoked']);
  });

  it('finds the changes of a key by its id, its names, those it replaced, and its text', async (t) => {
    const { keys, input } = commandLine(t);
    const { id, key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    await keys('create', '--name', 'other');
    await keys('update', id, '--new-name', 'app');
    const { id: newId } = onlyJson(await keys('rotate', id, '--json'));
    const count = async (...args: string[]) => onlyJson(await keys('history', ...args, '--json')).length;
    assert.deepEqual([await count(), await count(id), await count('app'), await count('acme')], [4, 3, 3, 2]);
    assert.deepEqual([await count('--id', newId), await count('--name', 'other')], [1, 1]);
    input.text = key;
    assert.equal(await count('-'), 3);
    input.text = undefined;
    assert.deepEqual(
      [(await keys('history', 'nobody')).status, (await keys('history', '--limit', '0')).status],
      [1, 2],
    );
  });

  it('holds no key, and no hash of one', async (t) => {
    const { keys, databaseUrl } = commandLine(t);
    const { key, id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const { key: newKey } = onlyJson(await keys('rotate', id, '--json'));
    const rows = JSON.stringify(await readByHand(await databaseUrl, 'select * from key_history'));
    const hashes = await readByHand(await databaseUrl, 'select hash from api_keys');
    assert.equal(hashes.length, 2);
    for (const secret of [key, newKey, ...hashes.map(({ hash }) => String(hash))]) {
      assert.ok(!rows.includes(secret) && !rows.includes(secret.slice(4, 14)), rows);
    }
  });
});
