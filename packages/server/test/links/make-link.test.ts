import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import { addressToBytes, parseAddress } from '../../../core/src/addresses/address.ts';
import { isOnCurve } from '../../../core/src/addresses/curve.ts';
import { freshWallet, mintAccount } from '../../../core/test/fixtures.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import type { PaymentLinks } from '../../src/links/payment-links.ts';
import { isAppError } from '../../src/problems.ts';
import { isTransferRefused } from '../../src/transfers/transfer-refused.ts';
import { addressOf } from '../outcomes/outcome-scene.ts';
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
    assert.deepEqual((await scene.keys.links.find(link.id))?.link, link);
  });

  it('with a note of a recipient that was never used, as a mistyped one is', async () => {
    const recipient = freshWallet();
    for (const [name, expected] of [
      [recipient, true],
      [addressOf('bob'), false],
    ] as const) {
      const { link } = await scene.create(links, { recipient: name });
      assert.equal(link.wasRecipientNeverUsed, expected);
      assert.equal((await scene.keys.links.find(link.id))?.link.wasRecipientNeverUsed, expected);
    }
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
    const madeCount = async () => (await scene.keys.links.list('key_1', { limit: 100 })).length;
    const before = await madeCount();
    await assert.rejects(scene.create(links, { mint: addressOf('carol') }), code(['not_a_mint']));
    const { link } = await scene.create(links);
    const offCurve = { recipient: link.destination };
    await assert.rejects(scene.create(links, offCurve), (error) => isTransferRefused(error));
    assert.equal(await madeCount(), before + 1);
  });

  it('never when nothing of the least amount would arrive', async () => {
    const mint = mintOf(scene, 'TAXED');
    for (const [minAmount, field] of [
      [1n, 'amount'],
      [0n, 'amountMin'],
    ] as const) {
      await assert.rejects(scene.create(links, { mint, minAmount, maxAmount: 1n }), (error) => {
        assert.ok(isTransferRefused(error));
        assert.deepEqual(
          error.findings.map((finding) => [finding.code, finding.field]),
          [['nothing_received', field]],
        );
        return true;
      });
    }
    const { link } = await scene.create(links, { mint, minAmount: 2n, maxAmount: 2n });
    assert.deepEqual((await scene.keys.links.find(link.id))?.link.transferFees, link.transferFees);
    assert.equal(link.transferFees?.[0]?.basisPoints, 100);
  });

  it('with one read of accounts and one of the history', async () => {
    const { links: other, node } = scene.serve();
    const before = scene.reader.accountReads;
    await scene.create(other, { mint: mintOf(scene, 'TAXED') });
    assert.deepEqual([scene.reader.accountReads - before, node.calls], [1, ['readSignatures']]);
  });

  it('with the name and the symbol that the mint, or Metaplex, gives its token, and with none where neither does', async () => {
    const { link: named } = await scene.create(links);
    assert.deepEqual([named.tokenName, named.tokenSymbol], ['USD Coin', 'USDC']);
    const { link: plain } = await scene.create(links, { mint: mintOf(scene, 'GOLD') });
    assert.deepEqual([plain.tokenName, plain.tokenSymbol], [null, null]);
    const mint = freshWallet();
    const texts = { name: 'Tea Dollar', symbol: 'TEA', uri: '' };
    const metadata = extension('TokenMetadata', {
      updateAuthority: null,
      mint: address(mint),
      ...texts,
      additionalMetadata: new Map(),
    });
    const pointer = extension('MetadataPointer', { authority: null, metadataAddress: address(mint) });
    const account = mintAccount({ extensions: [pointer, metadata] });
    const { links: other } = scene.serve({
      reader: {
        readAccounts: async (addresses) => {
          const { accounts, ...rest } = await scene.reader.readAccounts(addresses);
          return { ...rest, accounts: accounts.map((each, index) => (addresses[index] === mint ? account : each)) };
        },
        readBlockhash: () => scene.reader.readBlockhash(),
        readRecentPrices: () => scene.reader.readRecentPrices(),
      },
    });
    const { link } = await scene.create(other, { mint });
    assert.deepEqual([link.tokenName, link.tokenSymbol], ['Tea Dollar', 'TEA']);
  });

  it('never with a memo that has no room in the transaction that pays it', async () => {
    await assert.rejects(scene.create(links, { memo: 'x'.repeat(1_100) }), (error) => {
      assert.ok(isTransferRefused(error));
      return error.findings[0].code === 'memo_too_long';
    });
  });

  it('never where no node could say that it was paid, and one node that can suffices', async () => {
    const asked = (links: PaymentLinks) => scene.create(links);
    await assert.rejects(asked(scene.serveFrom([])), (error) => isAppError(error, 'upstream_unavailable'));
    const none = { hasNoHistory: true };
    const isRefused = (error: unknown) => error instanceof UpstreamFault && error.kind === 'refused';
    await assert.rejects(asked(scene.serve({ nodes: [none] }).links), isRefused);
    const failing = { failing: new Set(['readSignatures'] as const) };
    await assert.rejects(asked(scene.serve({ nodes: [none, failing, failing] }).links), isRefused);
    assert.equal((await asked(scene.serve({ nodes: [none, failing, {}] }).links)).state, 'open');
  });

  it('after a look at a single entry of the history of its reference', async () => {
    const { links: other, node } = scene.serve();
    const limits: unknown[] = [];
    node.faults.changeEntries = (entries, { limit }) => {
      limits.push(limit);
      return entries;
    };
    await scene.create(other);
    assert.deepEqual(limits, [1]);
  });
});
