import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import type { Consensus } from '../../src/chain/chain-reader.ts';
import { alpenglowCertificate, ConsensusWatch } from '../../src/chain/consensus.ts';
import { unavailable } from '../../src/chain/upstream-faults.ts';

const accountWith = (...data: readonly number[]): Account => ({
  owner: systemProgram,
  lamports: 1n,
  data: Uint8Array.from(data),
  executable: false,
});

/** A watch over a node that answers with these accounts, or fails. */
function start() {
  const node = { account: null as Account | null, fails: false, asked: [] as (readonly string[])[] };
  const clock = { now: 0 };
  const watch = new ConsensusWatch({
    readAccounts: async (addresses) => {
      node.asked.push(addresses);
      if (node.fails) throw unavailable('connection', 'the connection failed');
      return { slot: 1n, accounts: [node.account] };
    },
    now: () => clock.now,
  });
  return { node, clock, watch };
}

test('The consensus is Alpenglow once the account of its certificate has something, and is then not asked for again', async () => {
  const { node, clock, watch } = start();
  const told: (Consensus | undefined)[] = [watch.known];
  for (const account of [null, accountWith(), accountWith(1)]) {
    node.account = account;
    told.push(await watch.read());
    clock.now += 3_600_000;
  }
  node.account = null;
  told.push(await watch.read(), watch.known);
  assert.deepEqual(told, [undefined, 'tower_bft', 'tower_bft', 'alpenglow', 'alpenglow', 'alpenglow']);
  assert.deepEqual(node.asked, Array(3).fill([alpenglowCertificate]));
});

test('It is asked for once an hour before that, by one call for all who ask', async () => {
  const { node, clock, watch } = start();
  await Promise.all([watch.read(), watch.read()]);
  clock.now += 3_599_999;
  await watch.read();
  assert.equal(node.asked.length, 1);
  clock.now += 1;
  await watch.read();
  assert.equal(node.asked.length, 2);
});

test('It is not known while nodes fail, which are asked again after ten seconds; what was known stays', async () => {
  const { node, clock, watch } = start();
  node.fails = true;
  assert.equal(await watch.read(), undefined);
  node.fails = false;
  clock.now += 9_999;
  assert.equal(await watch.read(), undefined);
  clock.now += 1;
  assert.equal(await watch.read(), 'tower_bft');
  node.fails = true;
  clock.now += 3_600_000;
  assert.equal(await watch.read(), 'tower_bft');
});
