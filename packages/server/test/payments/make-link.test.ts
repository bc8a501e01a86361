import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressToBytes, parseAddress } from '../../../core/src/addresses/address.ts';
import { isOnCurve } from '../../../core/src/addresses/curve.ts';
import { isTransferRefused } from '../../src/service/transfer-refused.ts';
import { addressOf } from '../service/outcome/outcome-scene.ts';
import { LinkScene, mintOf } from './link-scene.ts';

describe('a payment link is made', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  it('of what was asked for and of what the mint says', async () => {
    const before = scene.ledger.slot('confirmed');
    const { link } = await scene.create(links, { expiresInSeconds: 61, memo: 'order 7' });
    assert.equal(link.expiresAt.getTime() - link.createdAt.getTime(), 61_000);
    assert.deepEqual([link.decimals, link.memo, link.createdSlot], [6, 'order 7', before]);
    assert.equal(link.destination, (await scene.chain.build({})).intent.payments[0]?.destination);
    assert.deepEqual((await scene.keys.paymentLinks.find(link.id))?.link, link);
  });

  it('with an id and a reference of its own that nobody guesses', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => scene.create(links)));
    for (const { link } of made) {
      assert.match(link.id, /^[1-9A-HJ-NP-Za-km-z]{16}$/);
      assert.ok('address' in parseAddress(link.reference) && isOnCurve(addressToBytes(link.reference)));
    }
    assert.equal(new Set(made.map(({ link }) => link.id.slice(0, 8))).size, 50);
    assert.equal(new Set(made.map(({ link }) => link.reference)).size, 50);
  });

  it('never when nobody could pay it, with every reason', async () => {
    const code = (expected: readonly string[]) => (error: unknown) => {
      assert.ok(isTransferRefused(error));
      assert.deepEqual(
        error.findings.map((finding) => finding.code),
        expected,
      );
      return true;
    };
    await assert.rejects(scene.create(links, { mint: addressOf('carol') }), code(['not_a_mint']));
    const { link } = await scene.create(links);
    const offCurve = { recipient: link.destination };
    await assert.rejects(scene.create(links, offCurve), (error) => isTransferRefused(error));
    assert.equal((await scene.keys.paymentLinks.list('key_1', { limit: 100 })).length, 52);
  });

  it('with one read of accounts and one of the history', async () => {
    const { links: other, node } = scene.serve();
    const before = scene.reader.accountReads;
    await scene.create(other, { mint: mintOf(scene, 'TAXED') });
    assert.deepEqual([scene.reader.accountReads - before, node.calls], [1, ['readSignatures']]);
  });
});
