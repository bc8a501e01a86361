import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { Cluster, ClusterFact, clusterNamesOf, consensusOf } from '../../src/chain/cluster.ts';
import { UpstreamFault, unavailable } from '../../src/chain/upstream-faults.ts';

test('The ledger of the first upstream that answers is the one that all others must serve', () => {
  const cluster = new Cluster();
  cluster.admit('one');
  for (let time = 0; time < 2; time++) {
    cluster.admit('one');
    assert.throws(
      () => cluster.admit('another'),
      (error) => {
        assert.ok(error instanceof UpstreamFault);
        assert.equal(error.kind, 'other_cluster');
        assert.match(error.reason, /genesis hash another, and not one /);
        return true;
      },
    );
  }
});

test('A cluster has the names that wallets know it by', () => {
  assert.deepEqual(clusterNamesOf('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY'), {
    blockchainId: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
    chain: 'solana:testnet',
  });
  assert.equal(clusterNamesOf('1'.repeat(32)).chain, 'solana:localnet');
});

test('The consensus is Alpenglow once the account of its certificate has something', () => {
  const accountWith = (...data: readonly number[]): Account => ({
    owner: systemProgram,
    lamports: 1n,
    data: Uint8Array.from(data),
    executable: false,
  });
  const accounts = [null, accountWith(), accountWith(1)];
  assert.deepEqual(
    accounts.map((account) => consensusOf([account])),
    ['tower_bft', 'tower_bft', 'alpenglow'],
  );
});

/** A fact that holds for a minute, or for good once it is `last`, and is asked for again after ten seconds. */
function startFact() {
  const node = { value: 'first' as string | undefined, fails: false, asked: 0 };
  const clock = { now: 0 };
  const fact = new ClusterFact({
    read: async () => {
      node.asked += 1;
      if (node.fails) throw unavailable('connection', 'the connection failed');
      return node.value;
    },
    keepMs: (value) => (value === 'last' ? Number.POSITIVE_INFINITY : 60_000),
    retryMs: 10_000,
    now: () => clock.now,
  });
  return { node, clock, fact };
}

test('A fact is asked for when it is needed, by one call for all who ask, and again once it does not hold', async () => {
  const { node, clock, fact } = startFact();
  assert.equal(fact.known, undefined);
  assert.deepEqual(await Promise.all([fact.read(), fact.read()]), ['first', 'first']);
  node.value = 'last';
  clock.now += 59_999;
  assert.deepEqual([await fact.read(), node.asked], ['first', 1]);
  clock.now += 1;
  assert.deepEqual([await fact.read(), fact.known, node.asked], ['last', 'last', 2]);
  clock.now += 1e12;
  assert.deepEqual([await fact.read(), node.asked], ['last', 2]);
});

test('A fact is not known while nodes fail, which are asked again after its pause; what was known stays', async () => {
  const { node, clock, fact } = startFact();
  node.fails = true;
  assert.equal(await fact.read(), undefined);
  node.fails = false;
  clock.now += 9_999;
  assert.equal(await fact.read(), undefined);
  clock.now += 1;
  assert.equal(await fact.read(), 'first');
  node.fails = true;
  clock.now += 60_000;
  assert.equal(await fact.read(), 'first');
});
