import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sandboxApiKey } from '../../src/keys/authenticated-key.ts';
import { Authenticator } from '../../src/keys/authentication/authenticator.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';

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

// One clock for both, or the time that a slow machine takes would pass beyond a moment that a test has set.
async function startAuthenticator(t: TestContext, acceptsSandboxKey: boolean, now: () => number = Date.now) {
  const store = await openKeyStore('sqlite::memory:');
  t.after(() => store.close());
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey,
    now,
    elapsed: now,
    onOutage: (error) => assert.fail(String(error)),
    onRecovery: () => undefined,
  });
  const kindFrom = async (key: string, remoteAddress: string | undefined): Promise<string> => {
    // Behind a trusted proxy the client's own address is another one, which must not count here.
    const caller = { ip: '127.0.0.1', socket: { remoteAddress } };
    return (await authenticator.authenticate(key, caller)).kind;
  };
  return { store, kindFrom };
}

test('The sandbox key', async (t) => {
  await t.test('is valid in a sandbox for a peer on the machine itself', async (t) => {
    const { kindFrom } = await startAuthenticator(t, true);
    for (const address of loopback) assert.equal(await kindFrom(sandboxApiKey, address), 'valid', address);
  });

  await t.test('is like an unknown key for every other peer', async (t) => {
    const { kindFrom } = await startAuthenticator(t, true);
    for (const address of elsewhere) assert.equal(await kindFrom(sandboxApiKey, address), 'invalid', address);
  });

  await t.test('is like an unknown key where there is no sandbox', async (t) => {
    const { kindFrom } = await startAuthenticator(t, false);
    for (const address of loopback) assert.equal(await kindFrom(sandboxApiKey, address), 'invalid', address);
  });

  await t.test('is in the format of every key, so that secret scanners find it', () => {
    assert.match(sandboxApiKey, /^swk_[0-9A-Za-z]{39}$/);
  });
});

test('A stored key is valid for any peer until the moment at which it expires', async (t) => {
  const expiresAt = new Date('2030-01-01T00:00:00Z');
  let now = expiresAt.getTime() - 1;
  const { store, kindFrom } = await startAuthenticator(t, false, () => now);
  const { key } = await store.create({ name: 'acme', expiresAt });
  // After the creation: an answer of the same moment is not remembered.
  now += 0.5;
  for (const address of [...loopback, ...elsewhere]) assert.equal(await kindFrom(key, address), 'valid');
  now = expiresAt.getTime();
  assert.equal(await kindFrom(key, '127.0.0.1'), 'invalid');
});
