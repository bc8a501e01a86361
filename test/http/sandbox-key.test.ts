import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthenticator } from '../../src/keys/authenticator.ts';
import { openKeyStore } from '../../src/keys/open-key-store.ts';
import { sandboxApiKey } from '../../src/keys/sandbox-key.ts';

const loopback = ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1'];
const elsewhere = [
  '10.0.0.1',
  '192.168.1.2',
  '8.8.8.8',
  '::',
  '::2',
  '::ffff:10.0.0.1',
  'fe80::1',
  '1127.0.0.1',
  undefined,
];

test('The sandbox key', async (t) => {
  const store = await openKeyStore('sqlite::memory:');
  t.after(() => store.close());
  const now = (): Date => new Date();

  await t.test('is valid in a sandbox for a peer on the machine itself', async () => {
    const { authenticate } = createAuthenticator({ store, now, acceptsSandboxKey: true });
    for (const address of loopback) assert.equal(await authenticate(sandboxApiKey, address), 'valid', address);
  });

  await t.test('is like an unknown key for every other peer', async () => {
    const { authenticate } = createAuthenticator({ store, now, acceptsSandboxKey: true });
    for (const address of elsewhere) assert.equal(await authenticate(sandboxApiKey, address), 'invalid', address);
  });

  await t.test('is like an unknown key where there is no sandbox', async () => {
    const { authenticate } = createAuthenticator({ store, now, acceptsSandboxKey: false });
    for (const address of loopback) assert.equal(await authenticate(sandboxApiKey, address), 'invalid', address);
  });

  await t.test('is in the format of every key, so that secret scanners find it', () => {
    assert.match(sandboxApiKey, /^swk_[0-9A-Za-z]{39}$/);
  });
});

test('A stored key is valid for any peer until the moment at which it expires', async (t) => {
  const store = await openKeyStore('sqlite::memory:');
  t.after(() => store.close());
  const expiresAt = new Date('2030-01-01T00:00:00Z');
  const { key } = await store.create({ name: 'acme', expiresAt });
  let now = new Date(expiresAt.getTime() - 1);
  const { authenticate } = createAuthenticator({ store, now: () => now, acceptsSandboxKey: false });
  for (const address of [...loopback, ...elsewhere]) assert.equal(await authenticate(key, address), 'valid');
  now = expiresAt;
  assert.equal(await authenticate(key, '127.0.0.1'), 'invalid');
});
