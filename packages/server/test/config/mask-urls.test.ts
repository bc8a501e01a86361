import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskUrls } from '../../src/config/mask-urls.ts';

test('Of a URL', async (t) => {
  await t.test('only scheme, host and port are shown, where a provider puts its token in the rest', () => {
    const masked = 'https://***@rpc.example:8443/***?***';
    assert.equal(maskUrls('https://user:SECRET@rpc.example:8443/v2/SECRET?api-key=SECRET#SECRET'), masked);
    assert.equal(maskUrls('https://rpc.example/v2/SECRET'), 'https://rpc.example/***');
    assert.equal(maskUrls('http://127.0.0.1:8899'), 'http://127.0.0.1:8899/');
  });

  await t.test('the database is shown, never its password', () => {
    assert.equal(maskUrls('postgres://app:SECRET@db/keys?password=SECRET'), 'postgres://***@db/keys?***');
    assert.equal(maskUrls('redis://:SECRET@cache:6379/2'), 'redis://***@cache:6379/2');
    assert.equal(maskUrls('sqlite:.splwright/keys.db'), 'sqlite:.splwright/keys.db');
    assert.equal(maskUrls('sqlite::memory:'), 'sqlite::memory:');
  });

  await t.test('each of a list is shown in its place', () => {
    assert.equal(maskUrls('https://a.example/SECRET , http://b.example'), 'https://a.example/***,http://b.example/');
  });

  await t.test('nothing is shown of a text that is not a URL or has an unknown scheme', () => {
    for (const text of ['SECRET', 'user:SECRET@host', 'htps://x.example/SECRET', 'sqlite://user:SECRET@host', '']) {
      assert.equal(maskUrls(text), '***', text);
    }
  });

  await t.test('no user, password, path or query of a provider ever shows', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/).map((text) => `zq${text}`);
    fc.assert(
      fc.property(secret, fc.constantFrom('https', 'http'), fc.constantFrom('', ':8080'), (text, scheme, port) => {
        const urls = [`//${text}@h${port}`, `//u:${text}@h${port}`, `//h${port}/${text}`, `//h${port}/?k=${text}`];
        for (const url of urls) assert.ok(!maskUrls(`${scheme}:${url}`).includes(text), url);
      }),
    );
  });
});
