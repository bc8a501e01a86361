import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkEvents } from '../../src/links/link-events.ts';
import type { LinkPayment, PaymentLink } from '../../src/links/records/payment-link.ts';
import { at, linkWith, paymentWith } from './records/links.ts';

const paid = paymentWith({ signature: 'paid' });
const final: LinkPayment = { ...paid, commitment: 'finalized' };
const flawed = paymentWith({ signature: 'flawed', flaw: 'too_little' });
const hidden = paymentWith({ signature: 'paid', flaw: 'not_shown' });
const settled = { settledAt: at(1_000) };

interface State {
  payments?: readonly LinkPayment[];
  link?: Partial<PaymentLink>;
}

function eventsOf(before: State, after: State): readonly string[] {
  const link = linkWith();
  const stored = (state: State) => ({ link: { ...link, ...state.link }, payments: state.payments ?? [] });
  return linkEvents(stored(before), stored(after)).map((type) => type.replace('payment_link.', ''));
}

describe('the events of a link', () => {
  const cases: readonly [name: string, before: State, after: State, events: readonly string[]][] = [
    ['nothing happened', { payments: [paid, flawed] }, { payments: [paid, flawed] }, []],
    ['a payment was seen', {}, { payments: [paid] }, ['paid']],
    ['it is final', { payments: [paid] }, { payments: [final] }, ['final']],
    ['it was final when it was seen', {}, { payments: [final] }, ['paid', 'final']],
    ['a fork moved it to another slot', { payments: [paid] }, { payments: [{ ...paid, slot: 1_001n }] }, []],
    ['a fork dropped it', { payments: [paid] }, {}, ['payment_dropped']],
    ['another one took its place', { payments: [paid] }, { payments: [flawed] }, ['payment_dropped', 'flawed_payment']],
    [
      'a fork executed it with too little',
      { payments: [paid] },
      { payments: [{ ...flawed, signature: 'paid' }] },
      ['payment_dropped', 'flawed_payment'],
    ],
    [
      'a fork executed a flawed one with enough',
      { payments: [flawed] },
      { payments: [{ ...final, signature: 'flawed' }] },
      ['paid', 'final'],
    ],
    [
      'a flawed one was seen, and became final',
      {},
      { payments: [{ ...flawed, commitment: 'finalized' }] },
      ['flawed_payment'],
    ],
    ['no node shows what arrived', {}, { payments: [hidden] }, []],
    ['one shows it later', { payments: [hidden] }, { payments: [final] }, ['paid', 'final']],
    [
      'one shows later that it does not count',
      { payments: [hidden] },
      { payments: [{ ...flawed, signature: 'paid' }] },
      ['flawed_payment'],
    ],
    ['what nobody has shown is gone', { payments: [hidden] }, {}, []],
    ['it ended unpaid', {}, { link: settled }, ['expired']],
    ['it ended with what does not count', { payments: [flawed] }, { payments: [flawed], link: settled }, ['expired']],
    ['it ended paid', { payments: [final] }, { payments: [final], link: settled }, []],
    ['it was settled before', { link: settled }, { link: settled }, []],
    ['it was canceled and ended', { link: { cancelledAt: at(10) } }, { link: { cancelledAt: at(10), ...settled } }, []],
    [
      'one for many payments got two and ended',
      { link: { isSingleUse: false }, payments: [final] },
      { link: { isSingleUse: false, ...settled }, payments: [final, { ...final, signature: 'second' }] },
      ['paid', 'final', 'expired'],
    ],
  ];
  for (const [name, before, after, events] of cases) {
    it(`when ${name}: ${events.join(', ') || 'none'}`, () => assert.deepEqual(eventsOf(before, after), events));
  }
});
