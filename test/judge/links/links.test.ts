import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Judge } from '../judge.ts';
import { links } from './links.ts';

const worlds = 70;
const seed = 35;

describe('payment links', () => {
  const judge = new Judge(links, seed);
  after(() => judge.close());

  it(`are what the ledger says in ${worlds} worlds of seed ${seed}`, async () => {
    assert.deepEqual(await judge.judgeAll(worlds), []);
  });

  it('are of every kind in these worlds', () => {
    const wanted = [
      'chain landed',
      'chain failed',
      'chain refused',
      'payer gets a transaction',
      'payer gets closed',
      'payer gets transfer',
      'payer gets upstream',
      ...['a transaction', 'transfer', 'closed', 'open', 'limit', 'fee'].map((said) => `sponsored payer gets ${said}`),
      ...['sponsored: the same bytes again', 'sponsor pays', 'sponsor pays rent'],
      'refused, since nobody pays the rent',
      'dropped',
      'cancelled',
      'not canceled',
      'settled',
      'said open',
      'said paid',
      'said paid for good',
      'said expired',
      'said expired for good',
      'said cancelled',
      'said cancelled for good',
      'forged both_references',
      'forged in_halves',
      'forged other_mint',
      'forged taken_back',
      'forged one_each',
      'forged beside_a_payment',
      'forged others_payment',
      'forged in_two_tokens',
      'paid in another token',
      'refund: handed out',
      'refund: refund_too_large',
      'refund after one that expired',
      'refunded',
      'forged synced',
      'forged wrapped',
      'forged least',
      'fees changed',
      'listed as paid',
      'listed nothing_stayed',
      'listed too_little',
      'listed other_link',
      'told payment_link.paid',
      'told payment_link.final',
      'told payment_link.flawed_payment',
      'told payment_link.payment_dropped',
      'told payment_link.expired',
    ];
    assert.deepEqual(
      wanted.filter((each) => !judge.happened.has(each)),
      [],
    );
  });
});
