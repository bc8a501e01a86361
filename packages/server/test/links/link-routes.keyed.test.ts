import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import type { KeyedReply } from '../../src/idempotency/keyed-requests.ts';
import { assertKeyAllowsLink } from '../../src/keys/key-permission.ts';
import { utcDayOf } from '../../src/keys/usage/daily-amounts.ts';
import { answerLink } from '../../src/links/link-routes.ts';
import { isAppError } from '../../src/problems.ts';
import { apiKeyWith, KeyedScene } from '../app/keyed-scene.ts';
import { readLink } from '../app/read-bodies.ts';
import { bob, linkBody, usdc } from '../app/sample-bodies.ts';
import { LinkScene, never } from './link-scene.ts';

const publicUrl = 'https://pay.example.com';
const dayMs = 86_400_000;

/** Where a key is refused. */
function findingsOf(ask: () => void): readonly string[] {
  try {
    ask();
    return [];
  } catch (error) {
    assert.ok(isAppError(error, 'key_not_allowed'), String(error));
    return error.findings.map(({ pointer }) => pointer);
  }
}

describe('a payment link that is made over HTTP', async () => {
  const scene = await LinkScene.open();
  const { links } = scene.serve();

  /** Makes links with one key for the requests, at a chain of which every owner's links are told apart. */
  function start(ownerId: string, body: object = linkBody) {
    const keyed = new KeyedScene();
    const answer = (idempotencyKey: string | undefined, restrictions = {}): Promise<KeyedReply> => {
      const apiKey = { ...apiKeyWith(restrictions), rootId: ownerId };
      const asked = readLink(body);
      return answerLink({ asked, body, apiKey, publicUrl, deadline: never }, idempotencyKey, { ...keyed, links });
    };
    const made = () => links.list(ownerId, { limit: 100 }, never);
    return { keyed, answer, made };
  }

  const limited = (perDay: bigint, perTransfer: bigint | null = null) => ({
    amounts: new Map([[usdc, { perTransfer, perDay }]]),
  });

  const builtToday = async () =>
    (await scene.keys.findDailyAmounts('key_1', utcDayOf(scene.clock.now))).get(usdc) ?? 0n;

  it('is made once under its Idempotency-Key, and for each request without one', async () => {
    const { answer, made } = start('once');
    const first = await answer('order-7');
    const { id } = JSON.parse(first.reply).data;
    assert.deepEqual(first.headers, { location: `/v1/payment-links/${id}` });
    assert.deepEqual(await answer('order-7'), { ...first, isReplay: true });
    assert.equal((await made()).length, 1);
    const [one, other] = [await answer(undefined), await answer(undefined)];
    assert.deepEqual([one.isReplay, other.isReplay], [false, false]);
    assert.equal((await made()).length, 3);
    assert.notEqual((await answer('order-8')).reply, first.reply);
  });

  it('of whole tokens is held to the limits of its key once the mint is read, and stored only within them', async () => {
    const { amount: _, ...others } = linkBody;
    const { answer, made } = start('decimal', { ...others, amount_decimal: '1.5' });
    for (const restrictions of [limited(10_000_000n, 1_499_999n), limited(1_499_999n)]) {
      await assert.rejects(answer(undefined, restrictions), (error) => {
        assert.ok(isAppError(error, 'key_not_allowed'));
        assert.deepEqual(
          error.findings.map(({ pointer }) => pointer),
          ['/amount_decimal'],
        );
        return true;
      });
    }
    assert.deepEqual(await made(), []);
    await answer(undefined, { amounts: new Map([[usdc, { perTransfer: 1_500_000n, perDay: null }]]) });
    assert.deepEqual(
      (await made()).map(({ link }) => [link.minAmount, link.maxAmount]),
      [[1_500_000n, 1_500_000n]],
    );
  });

  it('is the same for the same body in another order, and refused for another body', async () => {
    const { keyed } = start('bodies');
    const answerTo = (body: object): Promise<KeyedReply> => {
      const asked = readLink(body);
      const request = { asked, body, apiKey: { ...apiKeyWith(), rootId: 'bodies' }, publicUrl, deadline: never };
      return answerLink(request, 'order-7', { ...keyed, links });
    };
    const { reply } = await answerTo(linkBody);
    const inAnotherOrder = Object.fromEntries(Object.entries(linkBody).reverse());
    assert.deepEqual([(await answerTo(inAnotherOrder)).reply, (await answerTo({ ...linkBody })).reply], [reply, reply]);
    await assert.rejects(answerTo({ ...linkBody, label: 'Another' }), (error) =>
      isAppError(error, 'idempotency_key_reused'),
    );
  });

  it('has what was asked for, and belongs to the client of its API key', async () => {
    const { answer, made } = start('owner');
    const { reply } = await answer('order-7');
    const [view] = await made();
    assert.deepEqual([view?.link.ownerId, view?.link.keyId, view?.link.maxAmount], ['owner', 'key_1', 1_500_000n]);
    assert.equal(JSON.parse(reply).data.url, `${publicUrl}/pay/${view?.link.id}`);
  });

  it('is refused under its key for another body, or to an API key that may not make it any more', async () => {
    const { answer } = start('other');
    await answer('order-7');
    await assert.rejects(answer('order-7', limited(1n)), (error) => isAppError(error, 'key_not_allowed'));
    await assert.rejects(answer('order-7', { operations: new Set(['batch']) }), (error) =>
      isAppError(error, 'key_not_allowed'),
    );
  });

  it('is held to the limits of its key by the most that may be paid, and told at which field', () => {
    const { amount: _, ...rest } = linkBody;
    const bounds = { ...rest, amount_min: '1', amount_max: '6' };
    for (const [body, restrictions, pointers] of [
      [linkBody, limited(10_000_000n, 1_499_999n), ['/amount']],
      [bounds, limited(10_000_000n, 5n), ['/amount_max']],
      [{ ...bounds, single_use: false }, limited(10_000_000n), ['/single_use']],
      [{ ...bounds, single_use: false }, limited(10_000_000n, 6n), ['/single_use']],
      [
        linkBody,
        { operations: new Set(['transfer' as const]), mints: new Set([bob]), toAddresses: new Set([usdc]) },
        ['', '/token_mint_address', '/to_address'],
      ],
      [bounds, limited(6n, 6n), []],
    ] as const) {
      const apiKey = apiKeyWith(restrictions);
      const found = findingsOf(() => assertKeyAllowsLink(apiKey.restrictions, readLink(body)));
      assert.deepEqual(found, pointers);
    }
  });

  it('counts the most that it may bring towards the limit of the day, once', async () => {
    const { amount: _, ...rest } = linkBody;
    const { answer } = start('daily', { ...rest, amount_min: '5', amount_max: '7' });
    await answer('order-7', limited(10n));
    await answer('order-7', limited(10n));
    await answer('order-8', {});
    assert.equal(await builtToday(), 7n);
    await assert.rejects(answer('order-9', limited(13n)), (error) => isAppError(error, 'daily_limit_reached'));
  });

  it('that the limit of the day refuses was never made, and is made by a retry on another day', async () => {
    const { answer, made } = start('refused');
    scene.later(dayMs);
    await answer('order-6', limited(2_000_000n));
    const before = await made();
    await assert.rejects(answer('order-7', limited(2_000_000n)), (error) => isAppError(error, 'daily_limit_reached'));
    assert.deepEqual([await made(), await builtToday()], [before, 1_500_000n]);
    scene.later(dayMs);
    assert.equal((await answer('order-7', limited(2_000_000n))).isReplay, false);
    assert.deepEqual([(await made()).length, await builtToday()], [2, 1_500_000n]);
  });

  it('fails with the fault of the node where none answers', async () => {
    const { links: blind } = scene.serve({ nodes: [{ failing: new Set(['readSignatures']) }] });
    const request = {
      asked: readLink(linkBody),
      body: linkBody,
      apiKey: apiKeyWith(),
      publicUrl,
      deadline: never,
    };
    await assert.rejects(answerLink(request, undefined, { ...new KeyedScene(), links: blind }), UpstreamFault);
  });

  it('is refused with the field that nobody could pay', async () => {
    const body = { ...linkBody, token_mint_address: linkBody.to_address };
    await assert.rejects(start('nobody', body).answer('order-7'), (error) => {
      assert.ok(isAppError(error, 'not_a_mint'));
      assert.deepEqual(
        error.findings.map(({ pointer }) => pointer),
        ['/token_mint_address'],
      );
      return true;
    });
  });
});
