import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../src/chain/cluster.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';

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
