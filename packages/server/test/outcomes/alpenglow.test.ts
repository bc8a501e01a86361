import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory, type NodeFaults } from './ledger-node-history.ts';
import { type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;

/** Two nodes of Alpenglow: certificates finalize what is confirmed. */
function alpenglowNodes(faults: Partial<NodeFaults> = {}): readonly LedgerNodeHistory[] {
  return ['upstream_1', 'upstream_2'].map(
    (name) => new LedgerNodeHistory(ledger, name, { finalityLagSlots: 0, ...faults }),
  );
}

/** The height of the last block that takes it as it was built. */
function lastHeightOf({ lastValidBlockHeight }: BuiltItem): bigint {
  assert.ok(lastValidBlockHeight !== undefined);
  return lastValidBlockHeight;
}

const newestHeight = () => ledger.latestBlockhash().blockHeight;

/** Lets blocks pass until the newest has this height. */
function passUntil(blockHeight: bigint): void {
  ledger.advanceSlots(Number(blockHeight - newestHeight()));
}

describe('under Alpenglow', () => {
  it('an outcome goes from pending to final in one step', async () => {
    const nodes = alpenglowNodes();
    const item = scene.signed(await scene.build({ memo: memoOf('one step') }));
    assertOutcome(await verdictOn(scene, item, nodes), 'pending', 'lifetime');
    const signature = scene.send(item.bytes);
    const processing = alpenglowNodes({ processedOnly: new Set([signature]) });
    assertOutcome(await verdictOn(scene, item, processing), 'pending', 'not_final');
    assert.equal(assertOutcome(await verdictOn(scene, item, nodes), 'landed').commitment, 'finalized');
  });

  it('a transaction that was not sent has expired as soon as the block after its last one is there', async () => {
    const nodes = alpenglowNodes();
    const item = scene.signed(await scene.build());
    passUntil(lastHeightOf(item) + 1n);
    assertOutcome(await verdictOn(scene, item, nodes), 'pending', 'lifetime');
    ledger.advanceSlots(1);
    assertOutcome(await verdictOn(scene, item, nodes), 'expired');
  });

  it('an unsigned one expires 151 blocks later', async () => {
    const nodes = alpenglowNodes();
    const item = await scene.build({ memo: memoOf('not signed') });
    passUntil(lastHeightOf(item) + 151n);
    assertOutcome(await verdictOn(scene, item, nodes), 'pending', 'lifetime');
    ledger.advanceSlots(1);
    assertOutcome(await verdictOn(scene, item, nodes), 'expired');
  });
});

describe('during the migration to Alpenglow', () => {
  it('nothing expires, however many blocks of votes are processed, and it lands in a slot whose number is used again', async () => {
    const item = scene.signed(await scene.build({ memo: memoOf('migration') }));
    const unsigned = await scene.build({ memo: memoOf('migration, not signed') });
    const unknownLife = { ...item, lastValidBlockHeight: undefined };
    for (const voteOnlySlots of [1, 151, 5_000, 100_000]) {
      const nodes = alpenglowNodes({ finalityLagSlots: 32, voteOnlySlots });
      assertOutcome(await verdictOn(scene, item, nodes), 'pending', 'lifetime');
      assertOutcome(await verdictOn(scene, unsigned, nodes), 'pending', 'lifetime');
      // Neither the newest block nor the final one takes its blockhash: for the one it is too old, for the other too new.
      assert.notEqual((await verdictOn(scene, unknownLife, nodes)).outcome, 'expired');
    }
    // The blocks of votes are deleted, and the next ones have their numbers.
    const reused = ledger.slot() + 1n;
    ledger.advanceSlots(1);
    scene.send(item.bytes);
    const verdict = assertOutcome(await verdictOn(scene, item, alpenglowNodes()), 'landed');
    assert.deepEqual([verdict.slot, verdict.commitment], [reused, 'finalized']);
    passUntil(lastHeightOf(unsigned) + 152n);
    assertOutcome(await verdictOn(scene, unsigned, alpenglowNodes()), 'expired');
  });

  it('a node that is still there does not make the others call a transaction expired', async () => {
    const item = scene.signed(await scene.build({ memo: memoOf('left behind') }));
    passUntil(lastHeightOf(item) + 2n);
    const [sound] = alpenglowNodes();
    assert.ok(sound);
    const behind = new LedgerNodeHistory(ledger, 'upstream_2', { lagSlots: 100, voteOnlySlots: 90_000 });
    assertOutcome(await verdictOn(scene, item, [sound, behind]), 'pending', 'lifetime');
    assertOutcome(await verdictOn(scene, item, [sound, ...alpenglowNodes()]), 'expired');
  });
});

describe('a transaction whose fee payer could not pay (SIMD-0290)', () => {
  const noOpOf = (bytes: Uint8Array) => ({ bytes, slot: ledger.slot(), error: 'InsufficientFundsForFee' });

  it('has failed without a fee, and can be built again, though its lifetime is not over', async () => {
    const item = scene.signed(await scene.build({ memo: memoOf('no SOL') }));
    const nodes = alpenglowNodes({ noOps: [noOpOf(item.bytes)] });
    const verdict = assertOutcome(await verdictOn(scene, item, nodes), 'failed');
    assert.deepEqual([verdict.fee, verdict.commitment, verdict.error], [0n, 'finalized', 'InsufficientFundsForFee']);
  });

  it('has failed only after its lifetime where it was asked for unsigned, as a wallet can sign it again', async () => {
    const item = await scene.build({ memo: memoOf('no SOL, not signed') });
    const nodes = alpenglowNodes({ noOps: [noOpOf(scene.sign(item.bytes))] });
    assertOutcome(await verdictOn(scene, item, nodes), 'pending', 'failed_but_alive');
    passUntil(lastHeightOf(item) + 152n);
    assert.equal(assertOutcome(await verdictOn(scene, item, nodes), 'failed').fee, 0n);
  });
});
