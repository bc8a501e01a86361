import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Address } from 'splwright-core';
import { type UpstreamFault, unavailable } from '../../src/chain/upstream-faults.ts';
import { type AccountScan, AccountScanner, type ScannedAccount } from '../../src/incoming/account-scanner.ts';
import type { FoundCredit } from '../../src/incoming/credit-records.ts';
import type { CreditRow } from '../../src/store/schema/tables.ts';
import { addressNumber } from '../outcomes/busy-node.ts';
import {
  AccountLedger,
  AccountNode,
  type AccountNodeFaults,
  accountNumber,
  giver,
  historyOf,
} from './account-ledger.ts';

const account = accountNumber(1);

describe('a scan of a token account', () => {
  it('finds what arrived since it is watched, once, with what is known of it, and then that it is final', async () => {
    const { ledger, look } = open();
    ledger.land(account);
    const since = { floorSlot: ++ledger.slot };
    const reference = addressNumber(9);
    const signature = ledger.land(account, { amount: 7n, memo: 'order 7', references: [reference] });
    ledger.land(account, { amount: 0n });
    ledger.land(account, { error: { InstructionError: [0, 'Custom'] } });
    const watch = look.of(since);
    const first = await watch();
    const credit: FoundCredit = {
      token_account: account.tokenAccount,
      signature,
      slot: Number(ledger.slot),
      block_time: 1_700_000_000,
      amount: '7',
      payer: giver,
      memo: 'order 7',
      reference_addresses: JSON.stringify([reference]),
      commitment: 'confirmed',
    };
    assert.deepEqual([first.credits, first.fault], [[credit], null]);
    assert.deepEqual((await watch()).credits, []);
    ledger.finalize();
    assert.deepEqual((await watch()).credits, [{ ...credit, seen_at: 0, commitment: 'finalized' }]);
    assert.deepEqual((await watch()).credits, []);
  });

  it('is one call while nothing happens, also where two nodes must agree, and one more for each transaction', async () => {
    const { ledger, nodes, look } = open({ nodes: [{}, {}], quorum: 2 });
    const watch = look.of();
    for (let scan = 0; scan < 10; scan++) await watch();
    assert.deepEqual(callsOf(nodes), { readSignatures: 10 });
    ledger.land(account);
    await watch();
    assert.deepEqual(callsOf(nodes), { readSignatures: 11, readTransaction: 2 });
  });

  it('lists again what is a minute old only until there are twenty, and then proves once that nothing else is there', async () => {
    const { ledger, nodes, look, clock } = open();
    const watch = look.of();
    ledger.landMany(account, 19);
    ledger.finalize();
    await watch();
    clock.now += 60_000;
    assert.equal((await watch()).position.floorSlot, 1_000n);
    ledger.landMany(account, 10);
    ledger.finalize();
    await watch();
    clock.now += 60_000;
    const { position } = await watch();
    assert.equal(position.floorSlot, ledger.slot - 33n);
    nodes[0]?.calls.clear();
    assert.deepEqual((await watch()).credits, []);
    assert.deepEqual(callsOf(nodes), { readSignatures: 1 });
  });

  it('reads everything again after a restart above where it was known, and nothing twice that is stored', async () => {
    const { ledger, look, restart } = open();
    const watch = look.of();
    const landed = ledger.landMany(account, 30);
    assert.equal((await watch()).credits.length, 30);
    restart();
    ledger.land(account);
    assert.equal((await watch()).credits.length, 31);
    assert.equal(look.stored.size, landed.length + 1);
  });

  it('catches up with 11,111 transactions in steps, the oldest first, saying so, and skips none of those that land meanwhile', async () => {
    const { ledger, look, clock, restart } = open();
    const watch = look.of();
    const landed = [...ledger.landMany(account, 11_111)];
    ledger.finalize();
    const order: string[] = [];
    for (let scan = 0; look.stored.size < landed.length; scan++) {
      assert.ok(scan < 1_000, 'it ends');
      const { credits, fault } = await watch();
      order.push(...credits.filter(({ commitment }) => commitment === 'finalized').map(({ signature }) => signature));
      if (order.length < 4_000) assert.match(String(fault), /caught up/);
      clock.now += 30_000;
      if (scan === 3) restart();
      if (scan % 20 === 0 && scan < 100) landed.push(ledger.land(account));
    }
    assert.deepEqual([...look.stored.keys()].sort(), landed.toSorted());
    assert.deepEqual(order.slice(0, 200).sort(), landed.slice(0, 200).sort());
  });
});

describe('a node that is not sound', () => {
  it('leaves a transaction out: the next one lists it, and no node steps over it', async () => {
    const { ledger, nodes, look, clock } = open({ nodes: [{}, {}] });
    const watch = look.of();
    const landed = ledger.landMany(account, 50);
    ledger.finalize();
    assert.ok(nodes[0]);
    nodes[0].faults.unlisted = new Set(landed.slice(20, 22));
    nodes[1]?.calls.clear();
    for (let scan = 0; scan < 40; scan++) {
      await watch();
      clock.now += 2_000;
    }
    assert.equal(look.stored.size, 50);
    assert.ok(look.position.floorSlot > 1_000n);
  });

  it('leaves a transaction out for half a minute: it is told late', async () => {
    const { ledger, nodes, look, clock } = open();
    const watch = look.of();
    const landed = ledger.landMany(account, 50);
    ledger.finalize();
    assert.ok(nodes[0]);
    nodes[0].faults.unlisted = new Set(landed.slice(20, 22));
    for (let scan = 0; scan < 40; scan++) {
      if (scan === 15) nodes[0].faults.unlisted = new Set();
      await watch();
      clock.now += 2_000;
    }
    assert.equal(look.stored.size, 50);
  });

  it('does not list what is known, or not what its list goes on from: nothing is stepped over, and it is said', async () => {
    const { ledger, nodes, look, clock } = open();
    const watch = look.of();
    ledger.landMany(account, 100);
    ledger.finalize();
    await watch();
    clock.now += 60_000;
    const { position } = await watch();
    assert.ok(position.until);
    assert.ok(nodes[0]);
    nodes[0].faults.changePage = () => [];
    assert.match(String((await watch()).fault), /something may be missing/);
    ledger.landMany(account, 3_000);
    ledger.finalize();
    nodes[0].faults.changePage = (entries, { before }) => (before === undefined ? entries : []);
    assert.match(String((await watch()).fault), /contradicts itself/);
    clock.now += 60_000;
    assert.deepEqual((await watch()).position, position);
  });

  it('lists nothing of what is known, for longer than a minute: nothing is stepped over', async () => {
    const { ledger, nodes, look, clock } = open();
    const watch = look.of();
    const known = new Set(ledger.landMany(account, 100));
    ledger.finalize();
    await watch();
    clock.now += 60_000;
    const { position } = await watch();
    ledger.landMany(account, 30);
    ledger.finalize();
    assert.ok(nodes[0]);
    nodes[0].faults.unlisted = known;
    assert.equal((await watch()).credits.length, 30);
    clock.now += 60_000;
    assert.deepEqual((await watch()).position, position);
  });

  it('lists less in a page than it is asked for: it is asked on, whether something is known or not', async () => {
    const { ledger, nodes, look, clock } = open();
    assert.ok(nodes[0]);
    nodes[0].faults.changePage = (entries) => entries.slice(0, 25);
    const watch = look.of();
    ledger.landMany(account, 60);
    ledger.finalize();
    assert.equal((await watch()).credits.length, 60);
    clock.now += 60_000;
    assert.ok((await watch()).position.until);
    nodes[0].faults.changePage = (entries) => entries.slice(0, 10);
    ledger.landMany(account, 15);
    assert.equal((await watch()).credits.length, 15);
  });

  it('lists a transaction in another slot than the one that it shows: that is not told', async () => {
    const { ledger, nodes, look } = open();
    const watch = look.of();
    ledger.land(account);
    assert.ok(nodes[0]);
    nodes[0].faults.changePage = (entries) => entries.map((each) => ({ ...each, slot: each.slot + 1n }));
    const { credits, fault } = await watch();
    assert.deepEqual(credits, []);
    assert.match(String(fault), /not shown/);
  });

  it('returns a page twice: nothing is skipped, and nothing told twice', async () => {
    const { ledger, nodes, look, clock } = open();
    const watch = look.of();
    const landed = ledger.landMany(account, 2_500);
    ledger.finalize();
    assert.ok(nodes[0]);
    let isRepeating = true;
    let first: Parameters<AccountNodeFaults['changePage']>[0] = [];
    nodes[0].faults.changePage = (entries, { before }) => {
      if (before === undefined) first = entries;
      return isRepeating ? first : entries;
    };
    for (let scan = 0; scan < 40; scan++) {
      await watch();
      clock.now += 2_000;
    }
    isRepeating = false;
    for (let scan = 0; scan < 40; scan++) {
      await watch();
      clock.now += 2_000;
    }
    assert.equal(look.stored.size, landed.length);
  });

  it('keeps no history, or is away: another one is asked, and where there is none why is said, until it answers', async () => {
    const { ledger, nodes, look } = open({ nodes: [{}, { hasNoHistory: true }] });
    const watch = look.of();
    for (let scan = 0; scan < 20; scan++) assert.equal((await watch()).fault, null);
    ledger.land(account);
    assert.ok(nodes[0]);
    nodes[0].faults.hasNoHistory = true;
    assert.match(String((await watch()).fault), /-32601/);
    nodes[0].faults.hasNoHistory = false;
    nodes[0].faults.isAway = true;
    assert.match(String((await watch()).fault), /connection failed|-32601/);
    nodes[0].faults.isAway = false;
    const { fault, credits } = await watch();
    assert.deepEqual([fault, credits.length], [null, 1]);
  });

  it('lists a transaction that it cannot show: the others are told, and the next node may show it', async () => {
    const { ledger, nodes, look } = open({ nodes: [{}, {}] });
    const watch = look.of();
    const [lost = ''] = ledger.landMany(account, 3);
    for (const node of nodes) node.faults.lost = new Set([lost]);
    assert.match(String((await watch()).fault), new RegExp(`${lost} is not shown`));
    assert.equal(look.stored.size, 2);
    assert.ok(nodes[0]);
    nodes[0].faults.lost = new Set();
    for (let scan = 0; scan < 40; scan++) await watch();
    assert.equal(look.stored.size, 3);
  });

  it('goes back by some slots: nothing is dropped and nothing told again', async () => {
    const { ledger, nodes, look } = open();
    const watch = look.of();
    ledger.slot += 5n;
    ledger.land(account);
    await watch();
    assert.ok(nodes[0]);
    nodes[0].faults.lagSlots = 3n;
    ledger.slot += 2n;
    const behind = await watch();
    assert.deepEqual([behind.credits, behind.dropped, behind.fault], [[], [], null]);
    ledger.finalize();
    assert.equal((await watch()).credits[0]?.commitment, 'finalized');
  });

  it('is not believed alone where two must show a payment, or say that it is final', async () => {
    const { ledger, nodes, look } = open({ nodes: [{}, {}], quorum: 2 });
    const watch = look.of();
    const signature = ledger.land(account);
    assert.ok(nodes[0] && nodes[1]);
    nodes[1].faults.without = new Set([signature]);
    for (let scan = 0; scan < 20; scan++) assert.deepEqual((await watch()).credits, []);
    nodes[1].faults.without = new Set();
    nodes[1].faults.lagSlots = 33n;
    ledger.finalize();
    await watch();
    await watch();
    assert.equal(look.stored.get(signature)?.commitment, 'confirmed');
    nodes[1].faults.lagSlots = 0n;
    await watch();
    assert.equal(look.stored.get(signature)?.commitment, 'finalized');
    const other = ledger.land(account);
    ledger.finalize();
    nodes[1].faults.lagSlots = 33n;
    for (let scan = 0; scan < 20; scan++) await watch();
    assert.equal(look.stored.get(other)?.commitment, 'confirmed');
  });
});

describe('a fork', () => {
  it('drops a payment: that is said once its slot is final for all who must deny it, and not before', async () => {
    const { ledger, nodes, look } = open({ nodes: [{}, {}] });
    const watch = look.of();
    const signature = ledger.land(account);
    await watch();
    for (const node of nodes) node.faults.without = new Set([signature]);
    assert.deepEqual((await watch()).dropped, []);
    ledger.finalize();
    assert.ok(nodes[0]);
    nodes[0].faults.without = new Set();
    for (let scan = 0; scan < 40; scan++) assert.deepEqual((await watch()).dropped, []);
    assert.equal(look.stored.get(signature)?.commitment, 'finalized');
    const other = ledger.land(account);
    await watch();
    for (const node of nodes) node.faults.without = new Set([other]);
    ledger.finalize();
    assert.deepEqual(
      (await watch()).dropped.map((each) => each.signature),
      [other],
    );
    assert.equal(look.stored.has(other), false);
  });

  it('drops a payment that lands again, in the same slot or in another: it is told again', async () => {
    const { ledger, nodes, look } = open();
    const watch = look.of();
    const signature = ledger.land(account);
    await watch();
    assert.ok(nodes[0]);
    nodes[0].faults.without = new Set([signature]);
    ledger.finalize();
    assert.equal((await watch()).dropped.length, 1);
    nodes[0].faults.without = new Set();
    assert.equal((await watch()).credits.length, 1, 'in the same slot, where the node was wrong');
    nodes[0].faults.without = new Set([signature]);
    look.stored.clear();
    await watch();
    nodes[0].faults.without = new Set();
    ledger.land(account, { signature });
    const [again] = (await watch()).credits;
    assert.deepEqual([again?.signature, again?.slot], [signature, Number(ledger.slot)]);
  });

  it('lets a payment fail: it is dropped', async () => {
    const { ledger, look } = open();
    const watch = look.of();
    const signature = ledger.land(account);
    await watch();
    ledger.land(account, { signature, error: { InstructionError: [0, 'Custom'] } });
    assert.deepEqual((await watch()).dropped, []);
    ledger.finalize();
    assert.deepEqual(
      (await watch()).dropped.map((each) => each.signature),
      [signature],
    );
  });

  it('moves a payment to another slot, and changes what it brings: the new one is stored', async () => {
    const { ledger, look } = open();
    const watch = look.of();
    const signature = ledger.land(account);
    await watch();
    ledger.slot += 2n;
    ledger.land(account, { signature, amount: 6n });
    await watch();
    assert.deepEqual(
      [look.stored.get(signature)?.amount, look.stored.get(signature)?.slot],
      ['6', Number(ledger.slot)],
    );
    ledger.finalize();
    await watch();
    assert.equal(look.stored.get(signature)?.commitment, 'finalized');
  });
});

describe('a payment link', () => {
  it('is checked as of its payment before that is told, final or dropped; while that fails the payment waits, and no other', async () => {
    const checked: (Address | bigint)[][] = [];
    let fault: UpstreamFault | undefined;
    const { ledger, nodes, look } = open({
      checkLinks: async (references, slot) => {
        if (references.length > 0) checked.push([...references, slot]);
        if (references.length > 0 && fault) throw fault;
      },
    });
    const watch = look.of();
    const references = [addressNumber(5)];
    fault = unavailable('connection', 'the connection failed');
    const signature = ledger.land(account, { references });
    const asked = [...references, ledger.slot];
    const other = ledger.land(account);
    const first = await watch();
    assert.deepEqual(
      first.credits.map((each) => each.signature),
      [other],
    );
    assert.match(String(first.fault), /connection failed/);
    fault = undefined;
    await watch();
    assert.ok(look.stored.has(signature));
    ledger.finalize();
    await watch();
    assert.deepEqual(checked, [asked, asked, asked]);
    const dropped = ledger.land(account, { references });
    await watch();
    assert.ok(nodes[0]);
    nodes[0].faults.without = new Set([dropped]);
    ledger.finalize();
    await watch();
    assert.equal(checked.length, 5);
  });
});

interface SceneOptions {
  nodes?: readonly Partial<AccountNodeFaults>[];
  quorum?: number;
  checkLinks?: (references: readonly Address[], slot: bigint) => Promise<void>;
}

/** A ledger, its nodes, and a watch that stores what each scan of the account finds, as the records do. */
function open({ nodes: faults = [{}], quorum = 1, checkLinks = async () => undefined }: SceneOptions = {}) {
  const ledger = new AccountLedger();
  const clock = { now: 0 };
  const nodes = faults.map((each, index) => new AccountNode(ledger, `upstream_${index + 1}`, each));
  const make = () => new AccountScanner({ history: historyOf(nodes, { quorum }), checkLinks, now: () => clock.now });
  let scanner = make();
  const stored = new Map<string, CreditRow>();
  const look = {
    stored,
    position: { floorSlot: ledger.slot, until: null } as ScannedAccount,
    of(position: { floorSlot: bigint } = { floorSlot: ledger.slot }): () => Promise<AccountScan> {
      look.position = { ...account, until: null, unfinished: [], ...position };
      return async () => {
        const unfinished = [...stored.values()].filter(({ commitment }) => commitment === 'confirmed');
        const scanned = { ...look.position, unfinished };
        const scan = await scanner.scan(scanned);
        for (const credit of scan.credits) stored.set(credit.signature, { seen_at: 0, ...credit });
        for (const { signature } of scan.dropped) stored.delete(signature);
        const { floorSlot, until } = scan.position;
        look.position = { ...scanned, floorSlot, until };
        scanner.keep(scanned, scan);
        return { ...scan, position: { floorSlot, until } };
      };
    },
  };
  const restart = () => {
    scanner = make();
  };
  return { ledger, nodes, clock, look, restart };
}

/** The calls of all nodes together, by method. */
function callsOf(nodes: readonly AccountNode[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [method, count] of nodes.flatMap(({ calls }) => [...calls]))
    sums.set(method, (sums.get(method) ?? 0) + count);
  return Object.fromEntries(sums);
}
