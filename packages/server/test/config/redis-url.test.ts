import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedisClient } from '../../src/app/limits/redis-counter.ts';
import { readRedisUrl } from '../../src/config/read-values.ts';

describe('REDIS_URL', () => {
  it('is one server, with a user, a database and an IP version, as the client reads it', () => {
    const text = 'rediss://us%3Aer:p%40ss%2F@[::1]:7000/12?family=6';
    const faults: string[] = [];
    assert.equal(readRedisUrl(text, faults), text);
    for (const other of ['', 'redis://cache', 'redis://cache/', 'redis://:password@cache:6380/0'])
      readRedisUrl(other, faults);
    assert.deepEqual(faults, []);
    assert.equal(readRedisUrl('', faults), undefined);
    const { host, port, username, password, db, family, tls } = createRedisClient(text).options;
    assert.deepEqual([host, port, username, password, db, family], ['::1', 7000, 'us:er', 'p@ss/', 12, 6]);
    assert.ok(tls);
  });

  it('is refused in every other form, without a word of it', () => {
    for (const text of [
      'SECRET',
      'http://SECRET',
      'redis:',
      'redis://',
      'redis://:SECRET/x@host',
      'redis://a,rediss://SECRET',
      'redis+sentinel://SECRET/b',
      'redis+cluster://SECRET',
      'redis://a/SECRET',
      'redis://a/1/SECRET',
      'redis://a?SECRET',
      'redis://a?family=6&enableOfflineQueue=SECRET',
      'rediss://a?ssl_ca_certs=SECRET',
      'redis://a#SECRET',
      'redis://%zz:SECRET@a',
    ]) {
      const faults: string[] = [];
      readRedisUrl(text, faults);
      assert.match(faults.join(), /^REDIS_URL must be/, text);
      assert.doesNotMatch(faults.join(), /SECRET/, text);
    }
  });
});
