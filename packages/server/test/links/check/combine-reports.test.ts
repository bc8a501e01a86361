import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HistoryEntry } from '../../../src/chain/chain-history.ts';
import { unavailable } from '../../../src/chain/upstream-faults.ts';
import type { NodeReport } from '../../../src/links/check/ask-node.ts';
import {
  combineReports,
  type LinkEvidence,
  type LinkFindings,
  type NeededNodes,
} from '../../../src/links/check/combine-reports.ts';
import type { LinkPayment } from '../../../src/links/records/payment-link.ts';
import { anyAddress, paymentWith } from '../records/links.ts';

const failed = unavailable('connection', 'it failed');
const finalized = { commitment: 'finalized' } as const;
const oneNode = { denials: 1, sightings: 1 };
const twoNodes = { denials: 2, sightings: 2 };

/** What a node says that knows of these payments alone, and for certain. */
function reportOf(payments: readonly LinkPayment[] = [], changes: Partial<NodeReport> = {}): NodeReport {
  return {
    listed: listOf(payments),
    isWhole: true,
    payments: bySignature(payments),
    open: new Set(),
    hidesSome: false,
    denied: new Set(),
    hasFullHistory: true,
    ...changes,
  };
}

function bySignature(payments: readonly LinkPayment[]): ReadonlyMap<string, LinkPayment> {
  return new Map(payments.map((payment) => [payment.signature, payment]));
}

function listOf(payments: readonly LinkPayment[]): ReadonlyMap<string, HistoryEntry> {
  const entryOf = ({ signature, slot, blockTime, commitment }: LinkPayment): HistoryEntry => {
    return { signature, slot, blockTime, commitment, error: null, memo: null };
  };
  return new Map(payments.map((payment) => [payment.signature, entryOf(payment)]));
}

/** What follows when there is no other node to ask, and the link is closed for long enough. */
function combine(
  reports: LinkEvidence['reports'],
  stored: readonly LinkPayment[] = [],
  needed: NeededNodes = oneNode,
): LinkFindings {
  const findings = combineReports({ stored: bySignature(stored), reports, settles: true, isComplete: true }, needed);
  assert.ok(findings);
  return findings;
}

describe('a payment of a link', () => {
  it('counts when as many nodes as needed show it alike, in its slot, payers, token, owner, amount and flaw', () => {
    const payment = paymentWith();
    assert.deepEqual(combine([reportOf([payment]), reportOf()], [], twoNodes).payments, []);
    assert.deepEqual(combine([reportOf([payment]), reportOf([payment])], [], twoNodes).payments, [payment]);
    for (const change of [
      ...([{ slot: 1n }, { payer: anyAddress() }, { feePayer: anyAddress() }, { mint: anyAddress() }] as const),
      ...([{ owner: anyAddress() }, { amount: 1n }, { flaw: 'elsewhere' }] as const),
    ]) {
      const other = { ...payment, ...change };
      assert.deepEqual(combine([reportOf([other]), reportOf([payment])], [], twoNodes).payments, []);
      // Where one node suffices, the preferred one does.
      assert.deepEqual(combine([reportOf([other]), reportOf([payment])]).payments, [other]);
      const reports = [other, payment, payment].map((each) => reportOf([each]));
      assert.deepEqual(combine(reports, [], twoNodes).payments, [payment]);
      assert.deepEqual(combine(reports.toReversed(), [], twoNodes).payments, [payment]);
    }
  });

  it('is final when as many say so', () => {
    const payment = paymentWith({});
    const shownBy = (...finals: readonly boolean[]): readonly LinkPayment[] => {
      const reports = finals.map((isFinal) => reportOf([{ ...payment, ...(isFinal && finalized) }]));
      return combine(reports, [], twoNodes).payments;
    };
    assert.deepEqual(shownBy(true, false, false), [payment]);
    assert.deepEqual(shownBy(true, false, true), [{ ...payment, ...finalized }]);
  });

  it('is none while those who must agree show that different amounts arrived', () => {
    const nine = paymentWith({ received: 9n });
    const eight = { ...nine, received: 8n };
    assert.deepEqual(combine([reportOf([nine]), reportOf([eight])], [], twoNodes).payments, []);
    assert.deepEqual(
      combine(
        [nine, eight, nine].map((each) => reportOf([each])),
        [],
        twoNodes,
      ).payments,
      [nine],
    );
  });

  it('is listed when those who must agree show that it does not count, whatever reason they see', () => {
    const elsewhere = paymentWith({ amount: 7n, received: 7n, flaw: 'elsewhere' });
    // Without the calls between programs no transfer is seen.
    const unseen = { ...elsewhere, payer: anyAddress(), amount: 0n, received: 0n, flaw: 'no_transfer' } as const;
    const counting = { ...elsewhere, flaw: undefined };
    const listed = (...payments: readonly LinkPayment[]) =>
      combine(
        payments.map((payment) => reportOf([payment])),
        [],
        twoNodes,
      ).payments;
    assert.deepEqual(listed(unseen, elsewhere), [elsewhere]);
    assert.deepEqual(listed(elsewhere, unseen), [elsewhere]);
    assert.deepEqual(listed({ ...unseen, ...finalized }, elsewhere), [elsewhere], 'one alone does not make it final');
    assert.deepEqual(listed(unseen, { ...elsewhere, slot: 1n }), [], 'in two slots');
    assert.deepEqual(listed(unseen, counting), [], 'only one says so');
    assert.deepEqual(listed(elsewhere, { ...unseen, flaw: 'not_shown' }), [], 'the other does not know');
  });

  it('is what a node shows of which another does not know what arrived', () => {
    const payment = paymentWith({});
    const hidden = { ...payment, received: 0n, flaw: 'not_shown' } as const;
    assert.deepEqual(combine([reportOf([hidden]), reportOf([payment])], [], oneNode).payments, [payment]);
    assert.deepEqual(combine([reportOf([hidden])], [], oneNode).payments, [hidden]);
    assert.deepEqual(combine([reportOf([payment])], [{ ...hidden, ...finalized }], oneNode).payments, [payment]);
  });

  it('is news when it is new, became final, or moved to another slot while it was not', () => {
    const payment = paymentWith();
    const final = { ...payment, ...finalized };
    const moved = { ...payment, slot: payment.slot + 1n };
    for (const [shown, stored, isNews] of [
      [payment, undefined, true],
      [final, undefined, true],
      [payment, payment, false],
      [final, payment, true],
      [moved, payment, true],
      [final, final, false],
      [moved, final, false],
    ] as const) {
      const { payments } = combine([reportOf([shown])], stored ? [stored] : []);
      assert.deepEqual(payments, isNews ? [shown] : []);
    }
  });

  it('that is stored and not final is dropped when as many nodes as needed deny it, and no one shows it', () => {
    const payment = paymentWith();
    const denying = reportOf([], { denied: new Set([payment.signature]) });
    const dropped = [payment.signature];
    assert.deepEqual(combine([denying], [payment]).dropped, dropped);
    assert.deepEqual(combine([denying, reportOf()], [payment], twoNodes).dropped, []);
    assert.deepEqual(combine([denying, denying], [payment], twoNodes).dropped, dropped);
    assert.deepEqual(combine([denying, denying, reportOf([payment])], [payment], twoNodes).dropped, []);
    assert.deepEqual(combine([reportOf()], [payment]).dropped, []);
  });
});

describe('a link is settled', () => {
  const final = paymentWith(finalized);
  const silent = { hasFullHistory: false };

  it('when as many nodes as needed have its full history, and it is closed for long enough', () => {
    assert.equal(combine([reportOf()]).isSettled, true);
    assert.equal(combine([reportOf([], silent)]).isSettled, false);
    assert.equal(combine([reportOf(), reportOf([], silent)], [], twoNodes).isSettled, false);
    assert.equal(combine([reportOf(), failed], [], twoNodes).isSettled, false);
    assert.equal(combine([reportOf(), reportOf()], [], twoNodes).isSettled, true);
    const early = { stored: bySignature([]), reports: [reportOf()], settles: false, isComplete: true };
    assert.equal(combineReports(early, oneNode)?.isSettled, false);
  });

  it('when all that was paid is final', () => {
    assert.equal(combine([reportOf([final])]).isSettled, true);
    assert.equal(combine([reportOf([paymentWith()])]).isSettled, false);
    assert.equal(combine([reportOf([final, paymentWith()])]).isSettled, false);
  });

  it('when a stored payment that was not final is shown to be final, or denied', () => {
    const payment = paymentWith();
    const denied = new Set([payment.signature]);
    assert.equal(combine([reportOf()], [payment]).isSettled, false);
    assert.equal(combine([reportOf([payment])], [payment]).isSettled, false);
    assert.equal(combine([reportOf([{ ...payment, ...finalized }])], [payment]).isSettled, true);
    assert.equal(combine([reportOf([], { denied })], [payment]).isSettled, true);
    assert.equal(combine([reportOf([], { denied })], [payment, paymentWith()]).isSettled, false);
  });

  it('although some node shows a payment, when as many as needed have a full history without it', () => {
    const claim = reportOf([final]);
    assert.equal(combine([claim, reportOf(), reportOf()], [], twoNodes).isSettled, true);
    assert.equal(combine([claim, reportOf(), reportOf([], silent)], [], twoNodes).isSettled, false);
    const listing = reportOf([], { listed: listOf([final]) });
    assert.equal(combine([claim, reportOf(), listing], [], twoNodes).isSettled, false);
  });
});

describe('more nodes are asked about a link', () => {
  const payment = paymentWith();
  const evidence = { stored: bySignature([]), settles: false, isComplete: false };
  const asks = (changes: Partial<LinkEvidence>, needed: NeededNodes = oneNode): boolean =>
    combineReports({ ...evidence, reports: [reportOf()], ...changes }, needed) === undefined;

  it('when one fails or hides something', () => {
    assert.equal(asks({}), false);
    assert.equal(asks({ reports: [reportOf(), failed] }), true);
    assert.equal(asks({ reports: [reportOf(), reportOf([], { hidesSome: true })] }), true);
  });

  it('when too few show a payment, or a stored one is neither shown nor denied by as many as needed', () => {
    const stored = bySignature([payment]);
    const denying = reportOf([], { denied: new Set([payment.signature]) });
    assert.equal(asks({ reports: [reportOf([payment])] }), false);
    assert.equal(asks({ reports: [reportOf([payment])] }, twoNodes), true);
    assert.equal(asks({ stored }), true);
    assert.equal(asks({ stored, reports: [denying] }), false);
    assert.equal(asks({ stored, reports: [denying, reportOf()] }, twoNodes), true);
    assert.equal(asks({ stored, reports: [reportOf([payment])] }), false);
    assert.equal(asks({ stored: bySignature([{ ...payment, ...finalized }]) }), false);
  });

  it('when too few have the full history of what is to be settled', () => {
    assert.equal(asks({ settles: true }), false);
    assert.equal(asks({ settles: true }, { denials: 2, sightings: 1 }), true);
    assert.equal(asks({ settles: true, reports: [reportOf([], { hasFullHistory: false })] }), true);
    assert.equal(asks({ reports: [reportOf([], { hasFullHistory: false })] }), false);
  });
});

describe('what need not be examined again', () => {
  const [newest, middle, oldest] = [30n, 20n, 10n].map((slot) => paymentWith({ slot, ...finalized }));
  assert.ok(newest && middle && oldest);
  const all = [newest, middle, oldest];
  const untilOf = (...args: Parameters<typeof combine>): string | undefined => combine(...args).examinedUntil;

  it('begins with the newest final transaction that as many nodes as needed list', () => {
    assert.equal(untilOf([reportOf(all)]), newest.signature);
    const listedByTwo = [reportOf(all), reportOf(all, { listed: listOf([middle, oldest]) })];
    assert.equal(untilOf(listedByTwo, [], twoNodes), middle.signature);
    assert.equal(untilOf([reportOf()]), undefined);
  });

  it('ends before what is open: not final, not examined, or claimed by too few', () => {
    const confirmed = { ...newest, commitment: 'confirmed' } as const;
    assert.equal(untilOf([reportOf([confirmed, middle, oldest])]), middle.signature);
    assert.equal(untilOf([reportOf(all, { open: new Set([newest.signature]) })]), middle.signature);
    assert.equal(untilOf([reportOf(all, { open: new Set([middle.signature]) })]), oldest.signature);
    assert.equal(untilOf([reportOf(all, { open: new Set([middle.signature, newest.signature]) })]), oldest.signature);
    const claimed = reportOf(all, { payments: bySignature([middle, oldest]) });
    const other = reportOf(all, { payments: bySignature([oldest]) });
    assert.equal(untilOf([claimed, other], [], twoNodes), oldest.signature);
    assert.equal(untilOf([reportOf(all)], [paymentWith({ slot: 20n })]), oldest.signature);
  });

  it('is nothing of a slot in which something is open', () => {
    const beside = paymentWith({ slot: 30n, ...finalized });
    const open = new Set([beside.signature]);
    assert.equal(untilOf([reportOf([newest, beside, middle], { open })]), middle.signature);
  });

  it('is unknown when a list is not whole, or too few nodes answer', () => {
    assert.equal(untilOf([reportOf(all), reportOf(all, { isWhole: false })]), undefined);
    assert.equal(untilOf([reportOf(all), failed], [], twoNodes), undefined);
  });
});
