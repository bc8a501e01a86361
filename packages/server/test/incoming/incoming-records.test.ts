import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AccountScan } from '../../src/incoming/account-scanner.ts';
import { maxRecipients } from '../../src/incoming/recipient-records.ts';
import type { TakenAccount } from '../../src/incoming/watched-accounts.ts';
import type { PaymentLink } from '../../src/links/records/payment-link.ts';
import type { CreditRow } from '../../src/store/schema/tables.ts';
import { anyAddress, anySignature, linkWith } from '../links/records/links.ts';
import { type KeyDatabase, keyDatabases, newKeyStore } from '../store/databases.ts';
import { accountNumber } from './account-ledger.ts';

const start = Date.parse('2026-11-27T12:00:00Z');
const intervalMs = 2_000;
const account = accountNumber(1);

for (const database of keyDatabases) {
  describe(`incoming payments in ${database.name}`, () => {
    it('are told to each owner that watches, with its own link, as received and final, once', async (t) => {
      const { store, ownerId, other, watch, endpoint, save, told, link } = await open(t, database);
      for (const owner of [ownerId, other]) {
        await watch(owner);
        await endpoint(owner);
      }
      const { id, reference } = await link();
      const credit = creditWith({ reference_addresses: JSON.stringify([anyAddress(), reference]) });
      await Promise.all([save({ credits: [credit] }), save({ credits: [credit] })]);
      await save({ credits: [{ ...credit, commitment: 'finalized' }] });
      await save({ credits: [credit], dropped: [credit] });
      assert.deepEqual(await told(ownerId), ['payment.received 5 confirmed', 'payment.final 5 finalized']);
      assert.deepEqual(await told(other), await told(ownerId));
      const [mine] = await store.incoming.credits.list(ownerId, { limit: 10 });
      const [theirs] = await store.incoming.credits.list(other, { limit: 10 });
      assert.deepEqual([mine?.payment_link_id, theirs?.payment_link_id], [id, null]);
      assert.deepEqual(
        [mine?.state, mine?.recipient, mine?.seen_at],
        ['finalized', account.wallet, new Date(start).toISOString()],
      );
    });

    it('are told of each account that one transaction pays at the same moment', async (t) => {
      const { store, ownerId, endpoint, told } = await open(t, database);
      await endpoint();
      const accounts = Array.from({ length: 5 }, (_, index) => accountNumber(index));
      for (const { wallet, ...token } of accounts) {
        await store.incoming.recipients.put(ownerId, { wallet, tokens: [token], slot: 1n }, new Date(start));
      }
      await store.incoming.accounts.update(start);
      const signature = anySignature();
      const position = { floorSlot: 1n, until: null };
      await Promise.all(
        accounts.map(({ tokenAccount }) => {
          const credits = [creditWith({ signature, token_account: tokenAccount })];
          const scan = { position, fault: null, credits, dropped: [], isMore: false, done: [] };
          return store.incoming.accounts.save(tokenAccount, scan, start);
        }),
      );
      assert.equal((await told(ownerId)).length, 5);
    });

    it('are deleted when they are old, final and below what is still listed', async (t) => {
      const { store, ownerId, watch, save } = await open(t, database);
      await watch();
      const final = (slot: number) => creditWith({ slot, signature: anySignature(), commitment: 'finalized' });
      const [below, above, other] = [final(1_100), final(1_200), final(1_050)];
      const unfinished = creditWith({ slot: 1_060, signature: anySignature() });
      await save({ credits: [below, above, unfinished], position: { floorSlot: 1_200n, until: null } });
      await save({ credits: [other], position: { floorSlot: 1_200n, until: null } }, start + 1);
      assert.equal(await store.incoming.credits.prune(new Date(start + 1)), 1);
      const kept = await store.incoming.credits.list(ownerId, { limit: 10 });
      const signatures = [above, unfinished, other].map(({ signature }) => signature);
      assert.deepEqual(kept.map(({ signature }) => signature).sort(), signatures.sort());
    });

    it('are told as dropped, and again when they land again', async (t) => {
      const { ownerId, watch, endpoint, save, told } = await open(t, database);
      await watch();
      await endpoint();
      const credit = creditWith();
      await save({ credits: [credit] });
      await save({ dropped: [credit] });
      await save({ dropped: [credit] });
      await save({ credits: [{ ...credit, slot: 1_007, amount: '6', commitment: 'finalized' }] });
      assert.deepEqual(await told(ownerId), [
        'payment.received 5 confirmed',
        'payment.dropped 5 confirmed',
        'payment.received 6 finalized',
        'payment.final 6 finalized',
      ]);
    });

    it('are told to nobody who began to watch later, and to nobody who ended it', async (t) => {
      const { store, ownerId, other, watch, endpoint, save, told } = await open(t, database);
      await watch(ownerId, 1_001n);
      await watch(other);
      for (const owner of [ownerId, other]) await endpoint(owner);
      await save({ credits: [creditWith({ slot: 1_000 })] });
      await store.incoming.recipients.put(other, { wallet: account.wallet, tokens: [], slot: 0n }, new Date(start));
      await save({ credits: [creditWith({ slot: 1_001 })] });
      assert.deepEqual([(await told(ownerId)).length, (await told(other)).length], [1, 1]);
      assert.equal((await store.incoming.credits.list(ownerId, { limit: 9 })).length, 1);
      assert.deepEqual(await store.incoming.credits.list(other, { limit: 9 }), []);
    });

    it('are lost with the transaction that stores them, and found again by the position that stays', async (t) => {
      const { ownerId, watch, endpoint, save, told, take } = await open(t, database);
      await watch();
      await endpoint();
      const moved = { floorSlot: 1_200n, until: 'known' };
      const credits = [creditWith(), creditWith()];
      const end = () => assert.fail('the process ends');
      await assert.rejects(save({ credits: Object.defineProperty(credits, 1, { get: end }), position: moved }));
      assert.deepEqual(await told(ownerId), []);
      const [taken] = await take(start + intervalMs);
      assert.deepEqual([taken?.floorSlot, taken?.until], [1_000n, null]);
    });

    it('are listed above what was listed before, also those of a scan that took longer', async (t) => {
      const { store, ownerId, watch, save } = await open(t, database);
      await watch();
      const [slow, quick] = [creditWith({ seen_at: start }), creditWith({ seen_at: start + 1 })];
      await save({ credits: [quick] }, start + 2);
      await save({ credits: [slow] }, start + 3);
      const listed = await store.incoming.credits.list(ownerId, { limit: 9 });
      assert.deepEqual(
        listed.map(({ signature }) => signature),
        [slow.signature, quick.signature],
      );
    });

    it('are listed what was seen last first, page by page, by recipient, mint and memo', async (t) => {
      const { store, ownerId, watch, save } = await open(t, database);
      await watch();
      const { credits } = store.incoming;
      const memos = ['a', 'b', 'a', null];
      for (const [index, memo] of memos.entries()) {
        await save({ credits: [creditWith({ memo })] }, start + Math.floor(index / 2));
      }
      const all = await credits.list(ownerId, { limit: 10 });
      const seen: string[] = [];
      let before: { createdAt: Date; id: string } | undefined;
      for (;;) {
        const [next] = await credits.list(ownerId, { limit: 1, before });
        if (!next) break;
        seen.push(next.signature);
        before = { createdAt: new Date(next.seen_at), id: next.id };
      }
      assert.deepEqual(
        seen,
        all.map(({ signature }) => signature),
      );
      assert.equal(seen.length, 4);
      const count = async (filter: object) => (await credits.list(ownerId, { ...filter, limit: 10 })).length;
      assert.equal(await count({ memo: 'a' }), 2);
      assert.equal(await count({ recipient: account.wallet, mint: account.mint }), 4);
      assert.equal(await count({ recipient: anyAddress() }), 0);
      assert.equal(await count({ mint: anyAddress() }), 0);
    });
  });

  describe(`watched accounts in ${database.name}`, () => {
    it('are taken by one of several processes, once an interval, with what is not final', async (t) => {
      const { store, watch, other, take, save } = await open(t, database);
      await watch();
      await watch(other);
      const takers = await Promise.all([take(), take(), take()]);
      assert.equal(takers.flat().length, 1, 'two owners watch one account');
      const credit = creditWith();
      await save({ credits: [credit, creditWith({ commitment: 'finalized' })] });
      assert.deepEqual(await take(start + intervalMs - 1), []);
      const [taken] = await take(start + intervalMs);
      assert.deepEqual(
        taken?.unfinished.map((row) => ({ ...row })),
        [credit],
      );
      await save({ isMore: true, fault: 'behind' });
      assert.equal((await take(start + intervalMs + 1)).length, 1, 'there is more to read');
      const [recipient] = await store.incoming.recipients.list(other);
      assert.equal(recipient?.problem, 'behind');
    });

    it('are taken again soon after a clock that was far ahead was set back', async (t) => {
      const { watch, take } = await open(t, database);
      await watch();
      const ahead = start + 3_600_000;
      assert.deepEqual([(await take(ahead)).length, (await take()).length, (await take()).length], [1, 1, 0]);
    });

    it('are those of recipients, from the first slot of any, until nobody watches them', async (t) => {
      const { store, ownerId, other, put, take } = await open(t, database);
      const { accounts, recipients } = store.incoming;
      await put(ownerId, 1_000n);
      await put(other, 900n);
      await accounts.update(start);
      const [taken, ...others] = await take();
      assert.deepEqual([taken?.tokenAccount, taken?.floorSlot, others], [account.tokenAccount, 900n, []]);
      const ended = { wallet: account.wallet, tokens: [], slot: 0n };
      for (const owner of [ownerId, other]) await recipients.put(owner, ended, new Date(start));
      await accounts.update(start);
      assert.deepEqual(await take(start + intervalMs), []);
    });

    it('are those of links that are not settled, while their owners have an endpoint', async (t) => {
      const { store, watch, endpoint, take, link, ownerId, other, save } = await open(t, database);
      const { accounts } = store.incoming;
      const first = await link({ createdSlot: 900n });
      await link({ createdSlot: 800n });
      await accounts.update(start);
      assert.deepEqual(await take(), []);
      const { id } = await endpoint();
      await accounts.update(start);
      await accounts.update(start);
      const [taken, ...others] = await take();
      assert.deepEqual(others, []);
      assert.deepEqual(
        [taken?.tokenAccount, taken?.wallet, taken?.floorSlot],
        [account.tokenAccount, account.wallet, 800n],
      );
      assert.deepEqual(await accounts.linksOf([anyAddress(), first.reference]), [first.id]);
      await save({ credits: [creditWith()] });
      await store.webhooks.endpoints.delete(ownerId, id);
      await accounts.update(start);
      assert.deepEqual(await take(start + intervalMs), []);
      assert.deepEqual(await store.database.db.selectFrom('credits').selectAll().execute(), []);
      await watch(other);
      await accounts.update(start);
      assert.equal((await take(start + intervalMs)).length, 1);
    });

    it('are one for each token that a link accepts', async (t) => {
      const { store, endpoint, take, link } = await open(t, database);
      await endpoint();
      const other = linkWith();
      const { recipient, mint, destination } = await link({ otherTokens: [other] });
      await store.incoming.accounts.update(start);
      const taken = (await take()).map((each) => [each.tokenAccount, each.mint, each.wallet, each.floorSlot]);
      const expected = [
        [destination, mint, recipient, 900n],
        [other.destination, other.mint, recipient, 900n],
      ];
      assert.deepEqual(taken.toSorted(), expected.toSorted());
    });

    it('name links that have ended and are not settled, to be checked until they are', async (t) => {
      const { store, endpoint, link } = await open(t, database);
      await endpoint();
      const { accounts } = store.incoming;
      const ended = await link({ expiresAt: new Date(start - 1) });
      await link({ expiresAt: new Date(start) });
      const times = { endedBefore: start, checkedBefore: start + 1, limit: 9 };
      assert.deepEqual(await accounts.endedLinks(times), [ended.id]);
      const check = { payments: [], dropped: [], checkedAt: new Date(start + 1), settledAt: null };
      await store.links.saveCheck(ended.id, check);
      assert.deepEqual(await accounts.endedLinks(times), []);
      assert.deepEqual(await accounts.endedLinks({ ...times, checkedBefore: start + 2 }), [ended.id]);
      await store.links.saveCheck(ended.id, { ...check, settledAt: new Date(start + 1) });
      assert.deepEqual(await accounts.endedLinks({ ...times, checkedBefore: start + 2 }), []);
    });
  });

  describe(`recipients in ${database.name}`, () => {
    it('are replaced wallet by wallet, and keep since when they are watched', async (t) => {
      const { store, ownerId, watch } = await open(t, database);
      const { recipients } = store.incoming;
      const { wallet, mint, tokenAccount } = account;
      const another = { mint: anyAddress(), tokenAccount: anyAddress() };
      await watch(ownerId, 1_000n);
      const tokens = [{ mint, tokenAccount }, another];
      await recipients.put(ownerId, { wallet, tokens, slot: 2_000n }, new Date(start + 5));
      const listed = await recipients.list(ownerId);
      assert.deepEqual(
        listed.map((each) => [each.token_mint_address, each.created_at]),
        [
          [mint, new Date(start).toISOString()],
          [another.mint, new Date(start + 5).toISOString()],
        ],
      );
      await recipients.put(ownerId, { wallet, tokens: [another], slot: 3_000n }, new Date(start + 6));
      assert.deepEqual(
        (await recipients.list(ownerId, wallet)).map((each) => each.token_account),
        [another.tokenAccount],
      );
      assert.deepEqual(await recipients.list(ownerId, anyAddress()), []);
    });

    it('are at most 100 wallets of an owner', async (t) => {
      const { store, ownerId, other } = await open(t, database);
      const { recipients } = store.incoming;
      const put = (owner: string, wallet = anyAddress()) => {
        const tokens = [{ mint: anyAddress(), tokenAccount: anyAddress() }];
        return recipients.put(owner, { wallet, tokens, slot: 1n }, new Date(start));
      };
      const first = anyAddress();
      assert.equal(await put(ownerId, first), true);
      for (let count = 1; count < maxRecipients; count++) assert.equal(await put(ownerId), true);
      assert.equal(await put(ownerId), false);
      assert.equal(await put(ownerId, first), true, 'one that is watched can be changed');
      assert.equal(await put(other), true);
      assert.equal((await recipients.list(ownerId)).length, maxRecipients);
      assert.equal(
        await recipients.put(ownerId, { wallet: anyAddress(), tokens: [], slot: 1n }, new Date(start)),
        true,
      );
    });
  });
}

/** A confirmed credit of the account. */
function creditWith(changes: Partial<CreditRow> = {}): CreditRow {
  return {
    token_account: account.tokenAccount,
    signature: anySignature(),
    slot: 1_005,
    block_time: null,
    amount: '5',
    payer: null,
    memo: null,
    reference_addresses: '[]',
    commitment: 'confirmed',
    seen_at: start,
    ...changes,
  };
}

/** A store with two owners, and what watches the account for them. */
async function open(t: TestContext, database: KeyDatabase) {
  const { store } = await newKeyStore(t, database);
  const [ownerId, other] = await Promise.all(
    ['shop', 'other'].map(async (name) => (await store.create({ name, expiresAt: null })).record.rootId),
  );
  assert.ok(ownerId && other);
  const put = (owner = ownerId, slot = 1_000n) => {
    const { wallet, mint, tokenAccount } = account;
    return store.incoming.recipients.put(owner, { wallet, tokens: [{ mint, tokenAccount }], slot }, new Date(start));
  };
  const watch = async (...asked: Parameters<typeof put>) => {
    await put(...asked);
    await store.incoming.accounts.update(start);
  };
  const endpoint = async (owner = ownerId) => {
    const asked = { owner_id: owner, url: 'https://shop.example/hook', types: null, description: null };
    const made = await store.webhooks.endpoints.insert(asked, new Date(start));
    assert.ok(made);
    return made;
  };
  const link = async (changes: Partial<PaymentLink> = {}) => {
    const { wallet: recipient, mint, tokenAccount: destination } = account;
    const expiresAt = new Date(start + 3_600_000);
    const made = linkWith({ ownerId, recipient, mint, destination, expiresAt, ...changes });
    await store.links.insert(made);
    return made;
  };
  const take = (now = start): Promise<readonly TakenAccount[]> =>
    store.incoming.accounts.take({ now, dueAt: now + intervalMs, limit: 100 });
  const save = (scan: Partial<AccountScan>, at = start) => {
    const position = { floorSlot: 1_000n, until: null };
    const found = { position, fault: null, credits: [], dropped: [], isMore: false, done: [], ...scan };
    return store.incoming.accounts.save(account.tokenAccount, found, at);
  };
  const told = async (owner: string): Promise<readonly string[]> => {
    const events = await store.webhooks.events.list(owner, { limit: 100 });
    const payloads = events.map(({ body }) => JSON.parse(body)).sort((one, two) => one.sequence - two.sequence);
    return payloads.map(({ type, data }) => `${type} ${Object(data).amount} ${Object(data).state}`);
  };
  return { store, ownerId, other, put, watch, endpoint, link, take, save, told };
}
