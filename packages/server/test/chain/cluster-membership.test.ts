import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster, ClusterMembership } from '../../src/chain/cluster.ts';
import { unavailable } from '../../src/chain/upstream-faults.ts';

const fault = unavailable('other_cluster', 'it is of another cluster');

test('An upstream with no other to compare it with always serves the same ledger, and is never checked', () => {
  const membership = new ClusterMembership(undefined);
  assert.deepEqual([membership.isJoined, membership.cluster, membership.fault], [true, undefined, undefined]);
  assert.equal(membership.takeCheck(1e12), false);
  membership.leave();
  assert.equal(membership.isJoined, true);
});

test('One of several upstreams is joined once it was seen to serve the same ledger', () => {
  const cluster = new Cluster();
  const membership = new ClusterMembership(cluster);
  assert.equal(membership.cluster, cluster);
  assert.equal(membership.isJoined, false);
  assert.equal(membership.takeCheck(1e12), false, 'it is checked before it is used anyway');
  membership.join(0);
  assert.equal(membership.isJoined, true);
});

test('One that is joined is checked again once after each 30 seconds', () => {
  const membership = new ClusterMembership(new Cluster());
  membership.join(5_000);
  assert.equal(membership.takeCheck(35_000), false);
  assert.equal(membership.takeCheck(35_001), true);
  assert.equal(membership.isJoined, true);
  assert.equal(membership.takeCheck(35_001), false);
  assert.equal(membership.takeCheck(65_001), false);
  assert.equal(membership.takeCheck(65_002), true);
});

test('One that serves another ledger is not joined, and has its fault until it serves the same one again', () => {
  const membership = new ClusterMembership(new Cluster());
  membership.join(0);
  membership.reject(fault);
  assert.deepEqual([membership.isJoined, membership.fault], [false, fault]);
  membership.join(1);
  assert.deepEqual([membership.isJoined, membership.fault], [true, undefined]);
});

test('One that may serve another ledger when it answers again is not joined, without a fault', () => {
  const membership = new ClusterMembership(new Cluster());
  membership.join(0);
  membership.leave();
  assert.deepEqual([membership.isJoined, membership.fault], [false, undefined]);
});
