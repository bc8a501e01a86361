import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOutcome, verdictOn, verdictsOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { type BuiltItem, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;
const nodes = [new LedgerNodeHistory(ledger)];
let amount = 1_000n;

/** So many equal transfers, each with a blockhash of its own, which no other test pays. */
async function buildTwins(count: number): Promise<BuiltItem[]> {
  amount += 1n;
  const twins: BuiltItem[] = [];
  for (let made = 0; made < count; made++) twins.push(await scene.build({ amount }));
  return twins;
}

function assertTwo<T>([one, other]: readonly T[]): [T, T] {
  assert.ok(one !== undefined && other !== undefined);
  return [one, other];
}

function signaturesOf(verdicts: readonly unknown[]): readonly (string | undefined)[] {
  return verdicts.map((verdict) => (verdict as { signature?: string }).signature);
}

describe('equal payments asked for one by one', () => {
  test('are told apart by their messages, also when only the second one landed', async () => {
    const [first, second] = assertTwo(await buildTwins(2));
    const signature = scene.land(second);
    assert.equal(assertOutcome(await verdictOn(scene, second), 'landed').signature, signature);
    // A wallet may have given the first one another blockhash: by itself it cannot be told from the second.
    assert.equal(assertOutcome(await verdictOn(scene, first), 'landed').matchedBy, 'content');
    // Together, they can.
    const verdicts = await verdictsOn([first, second], nodes);
    assertOutcome(verdicts[0], 'pending', 'lifetime');
    assertOutcome(verdicts[1], 'landed');
  });

  test('are told apart by who knows that the other message is another payment', async () => {
    const [first, second] = assertTwo(await buildTwins(2));
    scene.land(second);
    const isSecond = async (message: Uint8Array) => Buffer.from(message).equals(second.intent.message);
    const [verdict] = await verdictsOn([first], nodes, 1, isSecond);
    assertOutcome(verdict, 'pending', 'lifetime');
    scene.finalize((first.lastValidBlockHeight ?? 0n) + 152n);
    assertOutcome((await verdictsOn([first], nodes, 1, isSecond))[0], 'expired');
    assertOutcome((await verdictsOn([first], nodes))[0], 'landed');
  });

  test('that cannot be told apart are ambiguous, with all signatures from the oldest on', async () => {
    const [first, second] = assertTwo(await buildTwins(2));
    const signatures = [scene.landChanged(first), ''];
    ledger.advanceSlots(3);
    signatures[1] = scene.landChanged(second);
    const verdict = assertOutcome(await verdictOn(scene, first), 'landed');
    assert.equal(verdict.signature, signatures[0]);
    assert.deepEqual(verdict.ambiguous, signatures);
  });
});

describe('equal payments asked for together', () => {
  test('get one landed transaction each, in the order of slots, and are not ambiguous then', async () => {
    const twins = await buildTwins(2);
    const signatures: string[] = [];
    for (const twin of twins) {
      ledger.advanceSlots(2);
      signatures.push(scene.landChanged(twin));
    }
    const verdicts = await verdictsOn(twins, nodes);
    assert.deepEqual(signaturesOf(verdicts), signatures);
    for (const verdict of verdicts) assert.equal(assertOutcome(verdict, 'landed').ambiguous, undefined);
  });

  test('leave the one pending for which there is no landed transaction', async () => {
    const twins = await buildTwins(3);
    const [, second, third] = twins;
    assert.ok(second && third);
    const exact = scene.land(third);
    ledger.advanceSlots(2);
    const changed = scene.landChanged(second);
    const verdicts = await verdictsOn(twins, nodes);
    assert.deepEqual(signaturesOf(verdicts), [changed, undefined, exact]);
    assertOutcome(verdicts[1], 'pending', 'lifetime');
    scene.finalize((third.lastValidBlockHeight ?? 0n) + 152n);
    assert.deepEqual(
      (await verdictsOn(twins, nodes)).map(({ outcome }) => outcome),
      ['landed', 'expired', 'landed'],
    );
  });

  test('do not get the one that another of them could be, which has landed as it was built', async () => {
    const [one, other] = assertTwo(await buildTwins(2));
    const exact = scene.land(one);
    ledger.advanceSlots(2);
    const changed = scene.landChanged(other);
    for (const [items, signatures] of [
      [
        [one, other],
        [exact, changed],
      ],
      [
        [other, one],
        [changed, exact],
      ],
    ] as const) {
      assert.deepEqual(signaturesOf(await verdictsOn(items, nodes)), signatures);
    }
  });

  test('are not similar to one that is known to be another of them', async () => {
    const [early] = await buildTwins(1);
    assert.ok(early);
    const signature = scene.land(early);
    ledger.advanceSlots(300);
    const late = await scene.build({ amount });
    const similarTo = async (...items: readonly BuiltItem[]): Promise<unknown> =>
      assertOutcome((await verdictsOn(items, nodes)).at(-1), 'pending', 'lifetime').similar;
    assert.deepEqual([await similarTo(late), await similarTo(early, late)], [[signature], []]);
  });

  test('never leave out one that could have landed only in its own lifetime', async () => {
    const [early] = await buildTwins(1);
    assert.ok(early);
    const first = scene.landChanged(early);
    ledger.advanceSlots(300);
    const late = await scene.build({ amount });
    const second = scene.landChanged(late);
    // The first lifetime has one transaction, the second has one: the order of items does not matter.
    assert.deepEqual(signaturesOf(await verdictsOn([late, early], nodes)), [second, first]);
    assert.deepEqual(signaturesOf(await verdictsOn([early, late], nodes)), [first, second]);
  });

  test('are all ambiguous when more landed than are asked for', async () => {
    const twins = await buildTwins(2);
    const signatures: string[] = [];
    for (const twin of [...twins, ...twins.slice(0, 1)]) {
      ledger.advanceSlots(2);
      signatures.push(scene.landChanged(twin));
    }
    const verdicts = await verdictsOn(twins, nodes);
    assert.deepEqual(signaturesOf(verdicts), signatures.slice(0, 2));
    for (const verdict of verdicts) assert.deepEqual(assertOutcome(verdict, 'landed').ambiguous, signatures);
  });

  test('are one payment when they are the same bytes', async () => {
    const [item] = await buildTwins(1);
    assert.ok(item);
    const signature = scene.landChanged(item);
    assert.deepEqual(signaturesOf(await verdictsOn([item, item], nodes)), [signature, signature]);
  });
});
