import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeByHand, readByHand } from '../../store/change-by-hand.ts';
import { startStoreProcess } from '../../store/child-process.ts';
import { keyDatabases } from '../../store/databases.ts';
import { returnToStep } from '../../store/schema/older-schema.ts';
import { author, commandLine, onlyJson, startTime } from './command-line.ts';

const mint = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
const by = { user: author.user, sudo_user: author.sudoUser, host: author.host };

for (const database of keyDatabases) {
  describe(`keys history: ${database.name}`, () => {
    it('has one line of each command that changed something, with what it changed', async (t) => {
      const { keys, clock } = commandLine(t, database);
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
      const { keys, clock } = commandLine(t, database);
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
      for (const args of [['list'], ['show', id], ['usage'], ['history']])
        assert.equal((await keys(...args)).status, 0);
      const actions = onlyJson(await keys('history', '--json')).map(({ action }: { action: string }) => action);
      assert.deepEqual(actions, ['created', 'created', 'revoked']);
    });

    it('finds the changes of a key by its id, its names, those it replaced, and its text', async (t) => {
      const { keys, input } = commandLine(t, database);
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

    it('says which keys are older than the history', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      assert.equal((await keys('history')).stdout, 'No changes are recorded.\n');
      const { id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const url = await databaseUrl;
      await returnToStep(url, 7);
      const before = await keys('history', 'acme');
      const note = `Key ${id} (acme) was made before changes were recorded: only later changes of it are here.\n`;
      assert.deepEqual([before.status, before.stdout, before.stderr], [0, 'No changes are recorded.\n', note]);
      await keys('update', 'acme', '--rate-limit', '60');
      const after = await keys('history', 'acme');
      assert.match(after.stdout, /updated: rate_limit_per_minute none -> 60\n$/);
      assert.equal(after.stderr, note);
      const { id: newId } = onlyJson(await keys('rotate', 'acme', '--json'));
      assert.equal((await keys('history', newId)).stderr, '');
    });

    it('keeps what a key was, whatever two command lines do at once', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      const { id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const script = `await go();
        for (let round = 1; round <= 20; round += 1) await store.update('${id}', { rateLimitPerMinute: BASE + round });`;
      const url = await databaseUrl;
      const processes = [100, 200].map((base) => startStoreProcess(url, script.replace('BASE', String(base))));
      for (const { ready } of processes) await ready;
      for (const { go } of processes) go();
      for (const { ended } of processes) assert.deepEqual(await ended, { status: 0, output: '' });
      const changes = onlyJson(await keys('history', 'acme', '--json')).slice(1);
      assert.equal(changes.length, 40);
      let last: unknown = null;
      for (const change of changes) {
        assert.equal(change.changes.rate_limit_per_minute.from, last);
        last = change.changes.rate_limit_per_minute.to;
      }
      assert.equal(onlyJson(await keys('show', id, '--json')).rate_limit_per_minute, last);
    });

    it('holds no key, and no hash of one', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      const { key, id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const { key: newKey } = onlyJson(await keys('rotate', id, '--json'));
      const rows = JSON.stringify(await readByHand(await databaseUrl, 'select * from key_history'));
      const hashes = await readByHand(await databaseUrl, 'select hash from api_keys');
      assert.equal(hashes.length, 2);
      for (const secret of [key, newKey, ...hashes.map(({ hash }) => String(hash))]) {
        assert.ok(!rows.includes(secret) && !rows.includes(secret.slice(4, 14)), rows);
      }
    });

    it('is neither changed nor deleted, by any statement', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      await keys('create', '--name', 'acme');
      const url = await databaseUrl;
      const before = await readByHand(url, 'select * from key_history');
      const columns = 'id, at, action, key_id, name, changes';
      const row = "1, 1, 'created', 'key_1', 'forged', '{}'";
      const isSqlite = url.startsWith('sqlite:');
      const statements = [
        "update key_history set name = 'forged'",
        'delete from key_history',
        'delete from key_history where id = 1',
        isSqlite ? `replace into key_history (${columns}) values (${row})` : 'truncate key_history',
        isSqlite
          ? `insert or replace into key_history (${columns}) values (${row})`
          : `insert into key_history (${columns}) values (${row}) on conflict (id) do update set name = 'forged'`,
      ];
      for (const statement of statements) {
        await assert.rejects(changeByHand(url, statement), /key_history is append-only/, statement);
      }
      assert.deepEqual(await readByHand(url, 'select * from key_history'), before);
    });

    it('and its key are written together, or neither', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      const { id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const url = await databaseUrl;
      const state = async () => [
        onlyJson(await keys('list', '--json')),
        (await readByHand(url, 'select count(*) as count from key_history'))[0],
      ];
      const before = await state();
      await changeByHand(url, 'alter table key_history rename to hidden');
      for (const args of [
        ['create', '--name', 'b'],
        ['update', id, '--rate-limit', '1'],
        ['revoke', id],
        ['rotate', id],
      ]) {
        assert.equal((await keys(...args)).status, 1, args.join(' '));
      }
      await changeByHand(url, 'alter table hidden rename to key_history');
      assert.deepEqual(await state(), before);
    });

    it('and its key are both there, or neither, after a process was killed', async (t) => {
      const { keys, databaseUrl } = commandLine(t, database);
      const url = await databaseUrl;
      await keys('create', '--name', 'first');
      const script = `
        for (;;) { await store.create({ name: 'acme', expiresAt: null }); console.log('made'); }`;
      for (let round = 0; round < 3; round += 1) {
        const process = startStoreProcess(url, script);
        await process.printed('made\n'.repeat(5));
        process.kill();
        await process.ended;
      }
      const ids = (await readByHand(url, 'select id from api_keys order by id')).map(({ id }) => id);
      const recorded = (await readByHand(url, 'select key_id from key_history order by key_id')).map(
        (row) => row.key_id,
      );
      assert.ok(ids.length > 15);
      assert.deepEqual(recorded, ids);
    });
  });
}
