import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Problem, type ProblemCode, problems, uncheckedOf } from '../../packages/server/src/problems.ts';
import { drawBatch } from './batches/draw-batch.ts';
import { drawSponsored } from './batches/draw-sponsored.ts';
import { allRules } from './court.ts';
import { drawWorld } from './draw-world.ts';
import { Judge } from './judge.ts';
import { holdsWithoutChecks, safetyRefusals } from './judge-refusal.ts';
import { drawLinkWorld } from './links/link-world.ts';
import type { OptionsWorld } from './options-world.ts';
import { drawHistory } from './outcomes/draw-history.ts';
import { drawSolWorld } from './sol/sol-world.ts';
import { transfers } from './transfers.ts';

const worldsUnderEach = 300;
const firstSeed = 1;

/** Faults of a request that a world can have; the others are faults of its JSON. */
const requestCodes: readonly ProblemCode[] = [
  'memo_too_long',
  'memo_too_costly',
  'same_wallet',
  'sender_off_curve',
  'fee_payer_off_curve',
  'layout_conflict',
];

/** No world asks for a simulation, since the ledger runs every transaction itself, or retries, or has a mint of half a megabyte, or many recipients. */
const unreachable: readonly ProblemCode[] = [
  'simulation_failed',
  'idempotency_key_reused',
  'mint_too_large',
  // Of batches, which have a judge of their own.
  'nonce_for_several_transactions',
  // No world names the blockhash.
  'blockhash_not_valid',
  // Of payment links, which have one, too.
  'nothing_received',
  // Of SOL, whose worlds have a judge of their own.
  'recipient_is_reserved',
  'recipient_below_rent_minimum',
  'tip_account_not_payable',
  // Of sponsors, whose worlds have one.
  'sponsor_not_configured',
  'sponsor_refused',
  'sponsor_fee_too_high',
];

/** A memo next to a creation is rarer than the others, and has cases of its own. */
const everyOption: Readonly<Record<Exclude<keyof OptionsWorld, 'memoField'>, true>> = {
  feePayer: true,
  priorityFee: true,
  nonceAccount: true,
  transactionVersion: true,
  references: true,
  allowOffCurveRecipient: true,
  checks: true,
};

const codes = Object.keys(problems) as ProblemCode[];

describe('the service and the chain agree', () => {
  const reached = new Set<string>();
  const landedOptions = new Set<string>();

  for (const [index, rules] of allRules.entries()) {
    const seed = firstSeed + index;

    it(`on ${worldsUnderEach} worlds of seed ${seed} under ${rules.name}`, async () => {
      const judge = new Judge(transfers, seed, [rules]);
      for (let number = 0; number < worldsUnderEach; number += 1) {
        const { codes, disagreements, description } = await judge.judge(number);
        assert.deepEqual(disagreements, [], description);
        const { options } = drawWorld(seed, number);
        if (codes?.length === 0) for (const pair of pairsOf(Object.keys(options))) landedOptions.add(pair);
      }
      for (const code of judge.happened.keys()) reached.add(code);
      const { answers } = judge;
      assert.ok(answers > worldsUnderEach * 0.3, `only ${answers} answers`);
      assert.ok(answers < worldsUnderEach * 0.65, `${answers} answers leave too few refusals`);
    });
  }

  it('on every reason that the service can give', () => {
    const chainCodes = codes.filter((code) => problems[code].status === 422 && !unreachable.includes(code));
    const missed = [...chainCodes, ...requestCodes].filter((code) => !reached.has(code));
    assert.deepEqual(missed, []);
  });

  it('on answers with every two options', () => {
    const missed = pairsOf(Object.keys(everyOption)).filter((pair) => !landedOptions.has(pair));
    assert.deepEqual(missed, []);
  });
});

/** Every two of some names, in the order of the alphabet. */
function pairsOf(names: readonly string[]): string[] {
  const sorted = names.toSorted();
  return sorted.flatMap((one, index) => sorted.slice(index + 1).map((other) => `${one} ${other}`));
}

describe('the draw of a world', () => {
  const drawSol = (seed: number, number: number) => drawSolWorld(seed, number, 890_880n);
  for (const draw of [drawWorld, drawBatch, drawSponsored, drawSol, drawLinkWorld, drawHistory]) {
    it(`gives the same one for the same seed and number, and another for any other: ${draw.name}`, () => {
      assert.deepEqual(draw(7, 41), draw(7, 41));
      assert.notDeepEqual(draw(7, 41), { ...draw(7, 42), number: 41 });
      assert.notDeepEqual(draw(7, 41), { ...draw(8, 41), seed: 7 });
    });
  }
});

describe('the list of what holds without checks', () => {
  it('is the one that the table of problems has for every 422, and for nothing else', () => {
    for (const [code, { status }] of Object.entries<Problem>(problems))
      assert.equal(uncheckedOf(code) !== undefined, status === 422, code);
    // The one needs the ledger to be asked, the other is about two requests.
    const others: readonly ProblemCode[] = ['simulation_failed', 'idempotency_key_reused'];
    const decided = codes.filter((code) => problems[code].status === 422 && !others.includes(code));
    const refused = decided.filter((code) => uncheckedOf(code) === 'refused');
    assert.deepEqual(refused, decided.filter(holdsWithoutChecks));
  });
});

describe('the short list of safety refusals', () => {
  it('is the one that the table of problems gives reasons for', () => {
    const marked = codes.filter((code) => (problems[code] as Problem).safety !== undefined);
    // Judged more strictly: it is excused only where the payer was below the minimum from the start.
    const conditional: readonly ProblemCode[] = ['insufficient_sol'];
    assert.deepEqual(marked.filter((code) => !conditional.includes(code)).sort(), [...safetyRefusals].sort());
  });
});
