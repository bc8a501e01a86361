import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { IncomingWatcher } from '../../src/incoming/incoming-watcher.ts';
import type { PaymentLink } from '../../src/links/records/payment-link.ts';
import { linkToRow } from '../../src/links/records/payment-link-rows.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { inParts } from '../../src/store/sql-database.ts';
import { linkWith } from '../links/records/links.ts';
import { AccountLedger, AccountNode, accountNumber, historyOf } from './account-ledger.ts';

const away = unavailable('connection', 'the connection failed');
const lookMs = 250;
const looksPerInterval = 8;
const start = Date.parse('2026-11-27T12:00:00Z');

describe('a watcher of incoming payments', () => {
  it('reads 10,000 open links of 20 recipients, who are watched, too, by one call an interval, and histories as they change', async (t) => {
    const { addLinks, addRecipient, addEndpoint, run, node, ledger } = await open(t);
    await addEndpoint();
    const accounts = Array.from({ length: 20 }, (_, index) => accountNumber(index));
    await addLinks(
      Array.from({ length: 10_000 }, (_, index) => ofAccount(accounts[index % accounts.length] ?? assert.fail())),
    );
    for (const account of accounts) await addRecipient(account);
    await run(looksPerInterval);
    const countOf = async (intervals: number) => {
      node.calls.clear();
      ledger.accountCalls = 0;
      await run(intervals * looksPerInterval);
      return [ledger.accountCalls, node.calls.get('readSignatures') ?? 0];
    };
    assert.deepEqual(await countOf(3), [3, 60], 'another node may list late what changed');
    await run(2 * looksPerInterval);
    assert.deepEqual(await countOf(30), [30, 0]);
    for (const account of accounts) ledger.land(account);
    assert.deepEqual(await countOf(1), [1, 20]);
    t.mock.method(Math, 'random', () => 0);
    assert.deepEqual(await countOf(1), [1, 20], 'all are swept');
  });

  it('makes one call an interval for an account that two keys watch, beside a link', async (t) => {
    const { addLinks, addRecipient, addEndpoint, run, node } = await open(t);
    await addEndpoint();
    await addLinks([ofAccount(accountNumber(1))]);
    await addRecipient(accountNumber(1));
    await addRecipient(accountNumber(1), 'other');
    await run(looksPerInterval);
    node.calls.clear();
    await run(3 * looksPerInterval);
    assert.deepEqual(Object.fromEntries(node.calls), { readSignatures: 3 });
  });

  it('reads histories all the same while accounts cannot be read', async (t) => {
    const { addRecipient, run, node, ledger } = await open(t);
    await addRecipient(accountNumber(1));
    ledger.readAccounts = () => Promise.reject(away);
    await run(looksPerInterval);
    node.calls.clear();
    await run(20 * looksPerInterval);
    assert.equal(node.calls.get('readSignatures'), 20);
  });

  it('makes no call for links whose owners have no endpoint', async (t) => {
    const { addLinks, run, node } = await open(t);
    await addLinks([ofAccount(accountNumber(1))]);
    await run(3 * looksPerInterval);
    assert.deepEqual([...node.calls], []);
  });

  it('tells a payment within one interval, and when it is final, and has its link checked each time', async (t) => {
    const { addLinks, addRecipient, addEndpoint, run, ledger, checked, told } = await open(t);
    await addEndpoint();
    const link = linkWith(ofAccount(accountNumber(1)));
    await addLinks([link]);
    await addRecipient(accountNumber(1));
    await run(looksPerInterval);
    ledger.land(accountNumber(1), { references: [link.reference] });
    await run(looksPerInterval);
    assert.deepEqual([checked, await told()], [[link.id], ['payment.received']]);
    ledger.finalize();
    await run(2 * looksPerInterval);
    assert.deepEqual(
      [checked, await told()],
      [
        [link.id, link.id],
        ['payment.received', 'payment.final'],
      ],
    );
  });

  it('goes on after a restart where it was: what arrived meanwhile is told, and nothing again', async (t) => {
    const { addRecipient, addEndpoint, run, restart, ledger, told } = await open(t);
    await addEndpoint();
    await addRecipient(accountNumber(1));
    ledger.land(accountNumber(1));
    await run(looksPerInterval);
    await restart(() => ledger.land(accountNumber(1)));
    await run(looksPerInterval);
    assert.deepEqual(await told(), ['payment.received', 'payment.received']);
  });

  it('ends with the scans that are under way, without those that wait for them', async (t) => {
    const { addLinks, addEndpoint, run, close, node } = await open(t);
    await addEndpoint();
    await addLinks(Array.from({ length: 40 }, (_, index) => ofAccount(accountNumber(index))));
    const gate = Promise.withResolvers<readonly []>();
    const { mock } = t.mock.method(node, 'readSignatures', () => gate.promise);
    await run(looksPerInterval);
    const closed = close();
    gate.resolve([]);
    await closed;
    assert.equal(mock.callCount(), 32);
  });

  it('ends without the accounts that it has not taken or read', async (t) => {
    const { addLinks, addEndpoint, run, close, node, ledger } = await open(t);
    await addEndpoint();
    await addLinks(Array.from({ length: 101 }, (_, index) => ofAccount(accountNumber(index))));
    const gate = Promise.withResolvers<void>();
    const { mock } = t.mock.method(ledger, 'readAccounts', () => gate.promise.then(() => Promise.reject(away)));
    await run(looksPerInterval);
    const closed = close();
    gate.resolve();
    await closed;
    assert.deepEqual([mock.callCount(), [...node.calls]], [1, []]);
  });

  it('says why a history cannot be read, until it can', async (t) => {
    const { addRecipient, run, node, problem } = await open(t);
    await addRecipient(accountNumber(1));
    node.faults.hasNoHistory = true;
    await run(looksPerInterval);
    assert.match(String(await problem()), /-32601/);
    node.faults.hasNoHistory = false;
    await run(looksPerInterval);
    assert.equal(await problem(), null);
  });

  it('has links that ended five minutes ago checked, a few at a time, also after checks that failed', async (t) => {
    const { addLinks, addEndpoint, run, checked } = await open(t);
    await addEndpoint();
    const ended = Array.from({ length: 12 }, () => linkWith({ expiresAt: new Date(start - 301_000) }));
    await addLinks([...ended, linkWith({ expiresAt: new Date(start - 200_000) })]);
    await run(4);
    assert.equal(checked.length, 10);
    await run(20 * looksPerInterval);
    assert.deepEqual([...new Set(checked)].sort(), ended.map(({ id }) => id).sort());
  });
});

/** What a link is to be like that is paid into an account. */
function ofAccount({ tokenAccount, wallet, mint }: ReturnType<typeof accountNumber>): PaymentLink {
  return linkWith({ destination: tokenAccount, recipient: wallet, mint, expiresAt: new Date(start + 3_600_000) });
}

/** A watcher of which every look is made by hand, over a database and a ledger. */
async function open(t: TestContext) {
  // No sweep, unless a test wants one.
  t.mock.method(Math, 'random', () => 0.5);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = await openKeyStore('sqlite::memory:');
  const ledger = new AccountLedger();
  const node = new AccountNode(ledger);
  const clock = { now: start };
  const checked: string[] = [];
  const make = () =>
    new IncomingWatcher({
      accounts: store.incoming.accounts,
      reader: { readAccounts: (addresses) => ledger.readAccounts(addresses) },
      history: historyOf([node]),
      confirmCluster: async () => undefined,
      checkLink: async (id) => {
        checked.push(id);
      },
      now: () => clock.now,
      onFailure: (error) => assert.fail(String(error)),
    });
  let watcher = make();
  t.after(async () => {
    await watcher.close();
    await store.close();
  });
  const look = async () => {
    for (let turn = 0; turn < 30; turn++) await setImmediate();
  };
  await look();
  const run = async (looks: number) => {
    for (let count = 0; count < looks; count++) {
      clock.now += lookMs;
      t.mock.timers.tick(lookMs);
      await look();
    }
  };
  const restart = async (meanwhile: () => void) => {
    await watcher.close();
    meanwhile();
    watcher = make();
  };
  const addLinks = async (links: readonly PaymentLink[]) => {
    const rows = links.map((link) => ({ ...linkToRow({ ...link, ownerId: 'shop' }), is_paid: 0 }));
    for (const some of inParts(rows)) await store.database.db.insertInto('payment_links').values(some).execute();
  };
  const addRecipient = ({ wallet, ...token }: ReturnType<typeof accountNumber>, owner = 'shop') =>
    store.incoming.recipients.put(owner, { wallet, tokens: [token], slot: ledger.slot }, new Date(start));
  const addEndpoint = () =>
    store.webhooks.endpoints.insert(
      { owner_id: 'shop', url: 'https://a.example', types: null, description: null },
      new Date(start),
    );
  const told = async () => (await store.webhooks.events.list('shop', { limit: 100 })).map(({ type }) => type).reverse();
  const problem = async () => (await store.incoming.recipients.list('shop'))[0]?.problem;
  const close = () => watcher.close();
  return { ledger, node, checked, run, restart, close, addLinks, addRecipient, addEndpoint, told, problem };
}
