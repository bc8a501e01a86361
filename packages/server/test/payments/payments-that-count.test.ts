import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf } from '../service/outcome/outcome-scene.ts';
import { LinkScene, tenTokens } from './link-scene.ts';

describe('a payment link is paid', async () => {
  const scene = await LinkScene.open({ after: () => undefined });
  const { links } = scene.serve();

  it('by the transaction that a payer was given', async () => {
    const view = await scene.create(links);
    assert.deepEqual([view.state, view.isFinal, view.payments], ['open', false, []]);
    const signature = await scene.payLink(links, view);
    const paid = await scene.look(links, view);
    assert.deepEqual([paid.state, paid.isFinal], ['paid', false]);
    const record = scene.ledger.transactionRecord(signature);
    assert.deepEqual(paid.payments, [
      {
        signature,
        payer: addressOf('alice'),
        amount: tenTokens,
        received: tenTokens,
        slot: record?.slot,
        blockTime: record?.blockTime,
        commitment: 'confirmed',
        flaw: undefined,
      },
    ]);
    scene.finalize();
    const final = await scene.look(links, view);
    assert.deepEqual([final.state, final.isFinal, final.payments[0]?.commitment], ['paid', true, 'finalized']);
  });
});
