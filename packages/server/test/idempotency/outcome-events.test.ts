import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideChange, outcomeEventData } from '../../src/idempotency/outcome-events.ts';
import type { WatchedTransaction } from '../../src/idempotency/records/watched-transactions.ts';
import type { Verdict } from '../../src/outcomes/verdict.ts';
import { verdicts } from './verdicts.ts';

const { landed, failed, pending, expired, unknown } = verdicts;
const confirmed = { commitment: 'confirmed' } as const;
const byContent = { matchedBy: 'content' } as const;

describe('what a verdict tells of a transaction', () => {
  type Told = WatchedTransaction['told'];
  const cases: readonly [
    name: string,
    told: Told,
    verdict: Verdict,
    events: readonly string[],
    after: Told | 'over',
  ][] = [
    ['can still land', null, pending(), [], null],
    ['is in doubt', null, unknown(), [], null],
    ['landed', null, landed(confirmed), ['landed'], 'landed'],
    ['landed, which was told', 'landed', landed(confirmed), [], 'landed'],
    ['landed and is final', null, landed(), ['landed', 'final'], 'over'],
    ['is final, and was told to have landed', 'landed', landed(), ['final'], 'over'],
    ['was dropped by a fork after it was told to have landed', 'landed', pending(), [], 'landed'],
    ['never lands, though it was told to have landed', 'landed', expired(), ['expired'], 'over'],
    ['never lands', null, expired(), ['expired'], 'over'],
    ['failed, which a fork may take back', null, failed(confirmed), [], null],
    ['failed for good', null, failed(), ['failed'], 'over'],
    ['failed for good after another fork had it landed', 'landed', failed(), ['failed'], 'over'],
    [
      'landed as a wallet changed it, and its own bytes can land',
      null,
      landed(byContent),
      ['landed', 'final'],
      'final',
    ],
    ['was told to be final, and its own bytes can land', 'final', landed(byContent), [], 'final'],
    ['was told to be final, and nodes do not say it now', 'final', unknown(), [], 'final'],
    ['was told to be final, and is only confirmed at another node', 'final', landed(confirmed), [], 'final'],
    ['was told to be final, and landed by its own bytes', 'final', landed(), [], 'over'],
    ['was told to be final, whatever is said later', 'final', expired(), [], 'over'],
  ];
  for (const [name, told, verdict, events, after] of cases) {
    it(`that ${name}: ${events.join(', ') || 'nothing'}`, () => {
      const change = decideChange(told, verdict, true);
      assert.deepEqual(
        change.types,
        events.map((event) => `transfer.${event}`),
      );
      assert.equal(change.isOver ? 'over' : change.told, after);
    });
  }

  it('that landed as a wallet changed it: nothing more once its own bytes cannot land', () => {
    assert.deepEqual(decideChange('final', landed(byContent), false), { types: [], told: 'final', isOver: true });
    assert.deepEqual(decideChange('landed', landed({ ...byContent, ...confirmed }), false).isOver, false);
  });
});

describe('the event of a transaction', () => {
  const transaction: WatchedTransaction = {
    messageHash: '01'.repeat(32),
    path: '/v1/transfers/batch',
    key: 'payroll 7',
    index: 1,
    transfers: [3, 4],
    bytes: new Uint8Array(),
    lastValidBlockHeight: 1n,
    told: null,
  };

  it('has the verdict as the route of outcomes replies it, and says which transaction of which request it is', () => {
    const { reason, ...data } = Object(outcomeEventData(transaction, expired()));
    assert.match(reason, /never/);
    assert.deepEqual(data, {
      message_hash: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
      idempotency_key: 'payroll 7',
      path: '/v1/transfers/batch',
      transaction_index: 1,
      transfers: [3, 4],
      outcome: 'expired',
      is_final: true,
      block_height: '1151',
      last_valid_block_height: '1150',
    });
  });

  it('has the metadata of its request', () => {
    const metadata = { order: '1001' };
    assert.deepEqual(Object(outcomeEventData({ ...transaction, metadata }, expired())).metadata, metadata);
  });

  it('has no transfers where the request is one transfer', () => {
    const { transfers: _, ...single } = transaction;
    assert.ok(!('transfers' in outcomeEventData(single, expired())));
  });
});
