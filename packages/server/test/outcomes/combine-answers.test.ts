import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unavailable } from '../../src/chain/upstream-faults.ts';
import { combineAnswers, type Evidence } from '../../src/outcomes/combine-answers.ts';
import type { Match, NodeAnswer, Stance } from '../../src/outcomes/node-answer.ts';
import type { Verdict } from '../../src/outcomes/verdict.ts';
import { intent, matchOf, signedIntent } from './sample-match.ts';

const denies: Stance = { kind: 'denies' };
const shows: Stance = { kind: 'shows' };
const hides: Stance = { kind: 'hides' };
const waits: Stance = { kind: 'waits', reason: 'lifetime' };
const insists: Stance = { kind: 'insists', reason: 'blockhash_alive' };
const pruned: Stance = { kind: 'cannot_tell', reason: 'history_pruned' };
const tooFew: Stance = { kind: 'cannot_tell', reason: 'too_few_nodes' };
const silent = unavailable('connection', 'the connection failed');
const failed = { error: { InstructionError: [0, 'Custom'] } };

/** What a node says, at block height 200 of a life that ends at 150. */
function says(stance: Stance, ...matches: readonly Match[]): NodeAnswer {
  return { stance, matches, blockHeight: 200n, lastValidBlockHeight: 150n };
}

/** The verdict on an unsigned transaction from nodes of which each says enough, unless told otherwise. */
function verdictFrom(
  answers: Evidence['answers'],
  { denials = 1, matches = 1, ...evidence }: { denials?: number; matches?: number } & Partial<Evidence> = {},
): Verdict | undefined {
  const item = { intent, lastValidBlockHeight: 150n };
  const rest = { item, landed: undefined, others: new Set<string>(), isComplete: true, ...evidence };
  return combineAnswers({ ...rest, answers }, { denials, matches });
}

/** A verdict in short: its outcome and its reason, or its signature. */
function brief(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'ask more nodes';
  if ('reason' in verdict) return `${verdict.outcome}: ${verdict.reason}`;
  return 'signature' in verdict ? `${verdict.outcome}: ${verdict.signature}` : verdict.outcome;
}

const isOpen = { isComplete: false } as const;

describe('a transaction that no node shows', () => {
  test('has expired when as many nodes as must deny it do, and is unknown when one too few does', () => {
    assert.deepEqual(verdictFrom([says(denies)]), {
      outcome: 'expired',
      blockHeight: 200n,
      lastValidBlockHeight: 150n,
      nonceUsedBy: undefined,
    });
    const usedBy = says({ kind: 'denies', nonceUsedBy: 'user' });
    assert.deepEqual(verdictFrom([usedBy, says(denies)], { denials: 2 }), {
      outcome: 'expired',
      blockHeight: 200n,
      lastValidBlockHeight: 150n,
      nonceUsedBy: 'user',
    });
    for (const other of [says(tooFew), says(shows), silent]) {
      const verdict = verdictFrom([says(denies), other], { denials: 2 });
      assert.equal(brief(verdict), 'unknown: too_few_nodes');
      assert.deepEqual(verdict?.outcome === 'unknown' && verdict.nodes, { have: 1, need: 2 });
    }
  });

  test('is not decided while there are nodes to ask, unless one of them cannot make it certain any more', () => {
    for (const answer of [says(denies), says(pruned), says(hides), says(shows), silent]) {
      assert.equal(verdictFrom([answer], isOpen), undefined);
    }
    assert.equal(brief(verdictFrom([says(waits)], isOpen)), 'pending: lifetime');
    assert.equal(verdictFrom([says(pruned), says(waits)], isOpen), undefined);
    assert.equal(brief(verdictFrom([says(pruned), says(waits)])), 'pending: lifetime');
    assert.equal(brief(verdictFrom([says(denies), says(waits)], { ...isOpen, denials: 2 })), 'ask more nodes');
  });

  test('is pending when one node waits, unless enough others deny it', () => {
    for (const [answers, denials, expected] of [
      [[says(waits), says(denies)], 2, 'pending: lifetime'],
      [[says(waits), says(denies)], 1, 'expired'],
      [[says(waits), says(denies), says(denies)], 2, 'expired'],
      [[says(denies), says(waits), says(denies)], 3, 'pending: lifetime'],
      [[says({ kind: 'waits', reason: 'nonce_used_not_final' })], 1, 'pending: nonce_used_not_final'],
    ] as const) {
      assert.equal(brief(verdictFrom(answers, { denials })), expected);
    }
  });

  test('is pending when one node insists, whatever the others say, and with what that one has counted', () => {
    const insisting = { ...says(insists), blockHeight: 140n, lastValidBlockHeight: 160n };
    for (const others of [[], [says(denies), says(denies)], [says(hides)]]) {
      for (const evidence of [isOpen, {}]) {
        assert.deepEqual(verdictFrom([...others, insisting], evidence), {
          outcome: 'pending',
          reason: 'blockhash_alive',
          hasFailed: false,
          blockHeight: 140n,
          lastValidBlockHeight: 160n,
          similar: [],
        });
      }
    }
  });

  test('is unknown when a node cannot show what it knows, however many deny it', () => {
    assert.equal(brief(verdictFrom([says(hides)])), 'unknown: history_not_available');
    assert.equal(brief(verdictFrom([says(hides), says(pruned)])), 'unknown: history_not_available');
    assert.equal(brief(verdictFrom([says(denies), says(hides)])), 'unknown: nodes_disagree');
  });

  test('is unknown for the first reason that says more than that the nodes are too few', () => {
    assert.equal(brief(verdictFrom([says(pruned)])), 'unknown: history_pruned');
    assert.equal(brief(verdictFrom([says(tooFew), says(pruned)])), 'unknown: history_pruned');
    assert.equal(brief(verdictFrom([silent, says(tooFew)])), 'unknown: too_few_nodes');
  });
});

describe('a transaction that nobody had signed', () => {
  const failure = matchOf('failure', { ...failed, slot: 7n });

  test('has failed once it can land no more, and is pending until then', () => {
    assert.equal(brief(verdictFrom([says(waits, failure)])), 'pending: failed_but_alive');
    assert.equal(brief(verdictFrom([says(denies, failure)])), 'failed: failure');
    const older = matchOf('older failure', { ...failed, slot: 6n });
    assert.equal(brief(verdictFrom([says(denies, failure, older)])), 'failed: older failure');
    const own = matchOf('own failure', { by: 'message', ...failed, slot: 8n });
    const hasFailed = [failure, own].map((each) => {
      const waiting = verdictFrom([says(waits, each)]);
      return waiting?.outcome === 'pending' && waiting.hasFailed;
    });
    assert.deepEqual(hasFailed, [false, true], 'only its own bytes cannot land again');
    assert.equal(brief(verdictFrom([says(denies, older, own)])), 'failed: own failure');
  });

  test('is unknown where an equal payment may be it, which is named once', () => {
    const similar = matchOf('similar', { by: 'similar' });
    const verdict = verdictFrom([says(denies, similar), says(denies, similar)]);
    assert.equal(brief(verdict), 'unknown: similar_payment');
    // Whoever asks can ask again with a newer last valid block height.
    assert.deepEqual(verdict?.outcome === 'unknown' && [verdict.similar, verdict.blockHeight], [['similar'], 200n]);
    const waiting = verdictFrom([says(waits, similar)]);
    assert.deepEqual(waiting?.outcome === 'pending' && [waiting.reason, waiting.similar], ['lifetime', ['similar']]);
  });

  test('has neither failed nor a payment that is similar where these are known to be others', () => {
    const others = new Set(['similar', 'failure']);
    const matches = [matchOf('similar', { by: 'similar' }), failure];
    assert.equal(brief(verdictFrom([says(denies, ...matches)], { others })), 'expired');
    assert.equal(brief(verdictFrom([says(waits, ...matches)], { others })), 'pending: lifetime');
  });

  test('is not failed by what only may be it, nor by what has paid', () => {
    const doubtful = matchOf('doubtful', { by: 'similar', ...failed });
    assert.equal(brief(verdictFrom([says(waits, doubtful)])), 'pending: lifetime');
    assert.equal(brief(verdictFrom([says(waits, matchOf('paid'))])), 'pending: lifetime');
  });
});

describe('a transaction that nodes show', () => {
  const landed = { signature: 'own', ambiguous: undefined };
  const own = matchOf('own', { by: 'signature' });

  test('has landed when as many nodes as must show it do', () => {
    assert.equal(brief(verdictFrom([says(shows, own)], { landed, ...isOpen })), 'landed: own');
    assert.equal(verdictFrom([says(shows, own)], { landed, matches: 2, ...isOpen }), undefined);
    assert.equal(brief(verdictFrom([says(shows, own), says(shows, own)], { landed, matches: 2 })), 'landed: own');
  });

  test('is final when as many nodes as must show it say so, landed or failed', () => {
    const item = { intent: signedIntent, lastValidBlockHeight: 150n };
    for (const [changes, evidence] of [
      [{}, { landed }],
      [failed, { item }],
    ] as const) {
      const shown = (commitment: Match['commitment']) =>
        says(shows, matchOf('own', { by: 'signature', commitment, ...changes }));
      const commitmentOf = (matches: number, ...commitments: readonly Match['commitment'][]) => {
        const verdict = verdictFrom(commitments.map(shown), { matches, ...evidence });
        return verdict && 'commitment' in verdict && verdict.commitment;
      };
      assert.equal(commitmentOf(2, 'finalized', 'confirmed'), 'confirmed', 'one node alone says that it is final');
      assert.equal(commitmentOf(2, 'finalized', 'confirmed', 'finalized'), 'finalized');
      assert.equal(commitmentOf(1, 'finalized', 'confirmed'), 'finalized');
    }
  });

  test('is believed neither by another signature nor by one that failed', () => {
    for (const wrong of [matchOf('another'), matchOf('own', failed)]) {
      const verdict = verdictFrom([says(shows, own), says(shows, wrong)], { landed, matches: 2 });
      assert.equal(brief(verdict), 'unknown: nodes_disagree');
    }
  });

  test('is pending or unknown when too few nodes show it, as the others contradict, wait or are silent', () => {
    for (const [other, expected] of [
      [says(denies), 'unknown: nodes_disagree'],
      [says(shows), 'unknown: nodes_disagree'],
      [says(waits), 'pending: not_final'],
      [says(insists), 'pending: not_final'],
      [says(hides), 'unknown: too_few_nodes'],
      [says(pruned), 'unknown: too_few_nodes'],
      [silent, 'unknown: too_few_nodes'],
    ] as const) {
      const verdict = verdictFrom([says(shows, own), other], { landed, matches: 2 });
      assert.equal(brief(verdict), expected);
      if (verdict?.outcome === 'unknown') assert.deepEqual(verdict.nodes, { have: 1, need: 2 });
    }
    const mixed = [says(shows, own), says(waits), says(denies)];
    assert.equal(brief(verdictFrom(mixed, { landed, matches: 2 })), 'unknown: nodes_disagree');
  });

  test('as it was signed has failed where they show that, and an unsigned one has not yet', () => {
    const failure = matchOf('own', { by: 'signature', ...failed });
    const item = { intent: signedIntent, lastValidBlockHeight: 150n };
    assert.equal(brief(verdictFrom([says(shows, failure)], { item, ...isOpen })), 'failed: own');
    assert.equal(brief(verdictFrom([says(shows, own)], { item })), 'unknown: too_few_nodes');
    assert.equal(brief(verdictFrom([says(shows, failure)])), 'unknown: too_few_nodes');
  });

  test('is described with everything that could be it', () => {
    const verdict = verdictFrom([says(shows, own)], { landed: { signature: 'own', ambiguous: ['own', 'twin'] } });
    assert.deepEqual(verdict?.outcome === 'landed' && verdict.ambiguous, ['own', 'twin']);
  });
});
