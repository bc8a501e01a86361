import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { addressFromBytes } from '../../../packages/core/src/index.ts';
import { newLinkId } from '../../../packages/server/src/links/make-link.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { startFaultProxy } from '../../setup/fault-proxy.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { LinkClient } from './link-service.ts';

const networks = 30;
const linksOfAttacker = 2 * networks;

/** A service on one node that counts calls, a shop with two links, one of them paid since its last check, and an attacker with many. */
async function start() {
  const t = { after };
  const sandbox = await startTestSandbox(t);
  const { world, ledger } = sandbox;
  const node = await startFaultProxy(t, { ledger, name: 'counted' });
  const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(databaseUrl, { use: 'service' });
  t.after(() => store.close());
  const [shopKey, attackerKey] = await Promise.all(
    ['shop', 'attacker'].map((name) => store.create({ name, expiresAt: null })),
  );
  assert.ok(shopKey && attackerKey);
  const { url } = await startTestService(t, {
    SOLANA_RPC_URLS: node.url,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'https://pay.example',
    TRUST_PROXY: 'true',
    PAYMENT_CHECKS_PER_SECOND: '5',
  });
  const [shop, attacker] = [new LinkClient(url, shopKey.key), new LinkClient(url, attackerKey.key)];
  const body = {
    to_address: named(world.wallets, 'bob').address,
    token_mint_address: named(world.mints, 'USDC').address,
    amount: '1500000',
    label: 'Tea house',
  };
  const [paid, open, bad] = [await shop.create(body), await shop.create(body), await attacker.create(body)];
  const links = store.paymentLinksOf(await store.ledgers.open(ledger.genesisHash, false, Date.now()));
  const { link } = (await links.find(bad.id)) ?? assert.fail();
  const ids = Array.from({ length: linksOfAttacker }, newLinkId);
  await Promise.all(
    ids.map((id) => links.insert({ ...link, id, reference: addressFromBytes(randomBytes(32)), checkedAt: null })),
  );
  const alice = named(world.wallets, 'alice');
  const { transaction } = await shop.pay(paid.id, alice.address);
  const outcome = ledger.sendTransaction(await signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]));
  assert.deepEqual([outcome.landed, outcome.error], [true, null]);

  /** Asks for the transaction of a link, from one of the networks of the attacker. */
  const attack = (id: string, index: number): Promise<Response> =>
    fetch(`${url}/pay/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${index % networks}` },
      body: JSON.stringify({ account: alice.address }),
    });
  const checks = (): number => node.callsByMethod.get('getSignaturesForAddress') ?? 0;
  return { store, attackerId: attackerKey.record.id, shop, paid, open, ids, payer: alice.address, attack, checks };
}

describe('links that thirty networks ask for, each within its limit', async () => {
  const { store, attackerId, shop, paid, open, payer, ids, attack, checks } = await start();

  it('take no turn of another key while theirs is valid: its payment is shown, and its links are paid', async () => {
    let unanswered = ids.length;
    const replies = ids.map(async (id, index) => {
      const reply = await attack(id, index);
      unanswered -= 1;
      return reply;
    });
    // As many wait as may.
    const { code, detail } = await readProblem(await Promise.race(replies.slice(networks)));
    assert.deepEqual([code, detail], ['overloaded', 'Too many payment links are being checked. Try again.']);
    assert.equal((await shop.askToPay(open.id, payer)).status, 200);
    await shop.readUntil(paid.id, ({ state }) => state === 'paid');
    assert.ok(unanswered > 0, 'others still wait for their turns');
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assert.ok(statuses.includes(200), 'the rest of the turns is theirs');
  });

  it('cost no call to a node when their key is revoked, expired or gone', async () => {
    await store.revoke(attackerId);
    const statuses = async () => new Set((await Promise.all(ids.map(attack))).map(({ status }) => status));
    // Not counted: a check that began before may outlive the request that asked for it.
    assert.deepEqual([...(await statuses())], [410]);
    const before = checks();
    assert.deepEqual([...(await statuses())], [410]);
    const shown = await Promise.all(ids.slice(0, networks).map((id) => fetch(`${shop.url}/pay/${id}/state`)));
    assert.deepEqual([...new Set(shown.map(({ status }) => status))], [200]);
    assert.equal(checks() - before, 0);
  });
});
