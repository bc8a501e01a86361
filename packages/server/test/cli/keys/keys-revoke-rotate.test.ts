import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkWith } from '../../links/records/links.ts';
import { openPatiently } from '../../store/databases.ts';
import { commandLine, onlyJson, startTime } from './command-line.ts';

const in90Days = '2027-02-19T12:00:00.000Z';

for (const command of ['revoke', 'rotate']) {
  describe(`keys ${command}`, () => {
    it('stops the key that is named, by its name or its id', async (test) => {
      const { keys, isAccepted } = commandLine(test);
      for (const choose of [
        () => ['acme'],
        () => ['--name', 'acme'],
        (id: string) => [id],
        (id: string) => ['--id', id],
      ]) {
        const { id, key } = onlyJson(await keys('create', '--name', 'acme', '--json'));
        const { status, stdout } = await keys(command, ...choose(id));
        assert.equal(status, 0);
        assert.match(stdout, new RegExp(`${id}.*within 5 seconds`));
        assert.equal(await isAccepted(key), false);
        if (command === 'rotate') await keys('revoke', 'acme');
      }
    });

    it('refuses a name that active keys share, lists their ids, and stops none', async (test) => {
      const { keys, isAccepted } = commandLine(test);
      const first = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const second = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const { status, stdout, stderr } = await keys(command, 'acme', '--json');
      assert.deepEqual([status, stdout], [1, '']);
      assert.ok(stderr.includes(first.id) && stderr.includes(second.id) && stderr.includes('--id'));
      assert.deepEqual([await isAccepted(first.key), await isAccepted(second.key)], [true, true]);
      await keys('revoke', first.id);
      assert.equal((await keys(command, 'acme')).status, 0);
      assert.equal(await isAccepted(second.key), false);
    });

    it('tells an id from a name that is the same text', async (test) => {
      const { keys, isAccepted } = commandLine(test);
      const first = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const second = onlyJson(await keys('create', '--name', first.id, '--json'));
      assert.equal((await keys(command, first.id)).status, 1);
      assert.equal((await keys(command, '--name', first.id)).status, 0);
      assert.deepEqual([await isAccepted(first.key), await isAccepted(second.key)], [true, false]);
    });

    it('refuses an unknown, a revoked and an expired key, each in its words', async (test) => {
      const { keys, clock } = commandLine(test);
      await keys('create', '--name', 'revoked', '--json');
      await keys('create', '--name', 'expired', '--expires', '30m', '--json');
      await keys('revoke', 'revoked');
      clock.now = new Date('2026-11-21T12:30:00Z');
      const expectations: [string, RegExp][] = [
        ['nobody', /No key has the id or name "nobody"/],
        ['revoked', /was revoked at 2026-11-21T12:00:00.000Z/],
        ['expired', /expired at 2026-11-21T12:30:00.000Z/],
      ];
      for (const [name, message] of expectations) {
        const { status, stdout, stderr } = await keys(command, name, '--json');
        assert.deepEqual([status, stdout], [1, ''], name);
        assert.match(stderr, message);
      }
    });
  });
}

describe(`keys revoke and keys rotate with --close-links`, () => {
  for (const command of ['revoke', 'rotate']) {
    it(`cancel the links that the key has made with ${command}, and say how many`, async (test) => {
      const { keys, databaseUrl, clock } = commandLine(test);
      const { id } = onlyJson(await keys('create', '--name', 'acme', '--json'));
      const store = await openPatiently(await databaseUrl);
      test.after(() => store.close());
      const links = store.links;
      const times = { createdAt: clock.now, expiresAt: new Date(clock.now.getTime() + 60_000) };
      const link = linkWith({ ownerId: id, keyId: id, ...times });
      await links.insert(link);
      const { status, stdout } = await keys(command, 'acme', '--close-links');
      assert.equal(status, 0);
      assert.match(stdout, /Canceled 1 open payment link that it made\.\n$/);
      assert.deepEqual((await links.find(link.id))?.link.cancelledAt, clock.now);
      const { id: other } = onlyJson(await keys('create', '--name', 'other', '--json'));
      await links.insert(linkWith({ ownerId: other, keyId: other, ...times }));
      assert.equal(onlyJson(await keys(command, 'other', '--close-links', '--json')).closed_links, 1);
    });
  }

  it('refuse an overlap, in which the old key could make links again', async (test) => {
    const { keys } = commandLine(test);
    const { status, stderr } = await keys('rotate', 'acme', '--overlap', '7d', '--close-links');
    assert.deepEqual([status, /'--overlap <time>' cannot be used with option '--close-links'/.test(stderr)], [2, true]);
  });
});

describe(`keys revoke --json`, () => {
  it('prints the revoked key, without its text', async (test) => {
    const { keys } = commandLine(test);
    const { key, ...created } = onlyJson(await keys('create', '--name', 'acme', '--json'));
    const revoked = onlyJson(await keys('revoke', 'acme', '--json'));
    assert.deepEqual(revoked, { ...created, revoked_at: startTime, status: 'revoked' });
  });
});

describe(`keys rotate --json`, () => {
  it('prints the new key, with the name and the expiry of the old one', async (test) => {
    const { keys, isAccepted, clock } = commandLine(test);
    const old = onlyJson(await keys('create', '--name', 'acme', '--expires', '90d', '--json'));
    clock.now = new Date('2026-11-22T12:00:00.000Z');
    const rotated = onlyJson(await keys('rotate', 'acme', '--json'));
    const { id, key, prefix } = rotated;
    const createdAt = clock.now.toISOString();
    assert.deepEqual(rotated, {
      id,
      name: 'acme',
      key,
      prefix,
      created_at: createdAt,
      expires_at: in90Days,
      replaces: old.id,
    });
    assert.deepEqual([await isAccepted(old.key), await isAccepted(key)], [false, true]);
  });
});
