import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from 'splwright-core';
import { amountOutOfBounds, LinkClosed, tokenChanged } from '../../src/links/link-problems.ts';
import { RecentRefusals } from '../../src/links/recent-refusals.ts';
import { AppError } from '../../src/problems.ts';
import { SimulationFailed, TransferRefused } from '../../src/transfers/transfer-refused.ts';
import { alice } from '../app/sample-bodies.ts';
import { linkWith } from './records/links.ts';

const wallet = toAddress(alice);
const link = linkWith({ tokenSymbol: 'USDC' });
const noTokens = new TransferRefused([{ code: 'same_wallet', field: 'from', context: { wallet } }]);

test('The last refusal of a payment is remembered of its link, with the ends of the address', () => {
  const refusals = new RecentRefusals();
  const reasonOf = (error: unknown): string | undefined => {
    refusals.note(link, wallet, error);
    return refusals.find(link.id)?.reason;
  };
  assert.equal(reasonOf(noTokens), 'This is the wallet being paid. Pay from another one.');
  assert.equal(refusals.find(link.id)?.wallet, `${alice.slice(0, 4)}…${alice.slice(-4)}`);
  assert.match(reasonOf(amountOutOfBounds(link, 1n)) ?? '', /^This payment is 10\.00 USDC\.$/);
  assert.match(reasonOf(tokenChanged(link)) ?? '', /has changed/);
  const failed = new SimulationFailed({ error: null, logs: [], instructions: [] });
  assert.match(reasonOf(failed) ?? '', /would fail now/);
  assert.match(reasonOf(new AppError('sponsor_refused', '')) ?? '', /^The network fee .* will not be paid for you/);
  assert.match(reasonOf(new AppError('sponsor_timeout', '')) ?? '', /^The network fee cannot be paid for you now/);
  assert.equal(refusals.find('another'), undefined);
});

test('What says nothing of the wallet is no refusal of it: a closed link, a busy service, a node that is away', () => {
  const refusals = new RecentRefusals();
  for (const error of [new LinkClosed('paid'), new AppError('overloaded', ''), new Error('any')]) {
    refusals.note(link, wallet, error);
  }
  assert.equal(refusals.find(link.id), undefined);
});
