import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { readTransferIntent } from '../../../core/src/outcome/transfer-intent.ts';
import { Work } from '../../src/app/work.ts';
import type { KeyedReply } from '../../src/idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../src/keys/authenticated-key.ts';
import { isAppError } from '../../src/problems.ts';
import { answerKeyed } from '../../src/transfers/transfer-routes.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { apiKeyWith, KeyedScene, requestId } from '../app/keyed-scene.ts';
import { readTransfer } from '../app/read-bodies.ts';
import { createBody, usdc } from '../app/sample-bodies.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { verdicts } from '../idempotency/verdicts.ts';
import { initializedNonceAccount, nonceAccount } from './sample-nonce-account.ts';

const work = new Work();
const split = { to_address: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC', amount: '7' };

/** Answers requests with one key and one body, at a chain where each build finds a new blockhash. */
function start(body: object = createBody) {
  const scene = new KeyedScene();
  const balance = { tokens: 2_000_000n };
  const chain = new FakeChain({
    whileReading: (self) => {
      self.height += 1;
    },
    changed: (read, addresses) => {
      const ofOther = initializedNonceAccount(toAddress(split.to_address));
      const accounts = read.map((account, index) => (addresses[index] === nonceAccount ? ofOther : account));
      // The only token account that is there is the sender's.
      const found = accounts.find((account) => account?.data.length === 165);
      if (found) new DataView(found.data.buffer).setBigUint64(64, balance.tokens, true);
      return accounts;
    },
  });
  let requests = 0;
  const answer = (apiKey: AuthenticatedKey = apiKeyWith()): Promise<KeyedReply> => {
    const asked = readTransfer(paths.transfers, body);
    // The same body in another order is the same.
    requests += 1;
    const members = Object.entries(body);
    const sent = Object.fromEntries(requests % 2 === 0 ? members.toReversed() : members);
    const request = { id: requestId, body: sent, asked, apiKey, work };
    return answerKeyed(request, { builder: builderOf(chain), ...scene });
  };
  return { scene, chain, balance, answer };
}

/** The transaction in a reply. */
function transactionIn({ reply }: KeyedReply): Uint8Array {
  return Buffer.from(JSON.parse(reply).data.transaction, 'base64');
}

describe('a transfer with an Idempotency-Key', () => {
  it('is built once: a retry gets its reply and its headers again, byte for byte', async () => {
    const { scene, chain, answer } = start();
    const first = await answer();
    const second = await answer();
    assert.deepEqual(second, { ...first, isReplay: true });
    assert.equal(first.isReplay, false);
    assert.equal(chain.accountReads.length, 1);
    assert.equal(first.headers['solana-last-valid-block-height'], '2');
    assert.equal((await scene.counted()).size, 0);
  });

  it('is asked for by what was built, with the last height at which that can land', async () => {
    const { scene, answer } = start();
    const read = readTransferIntent(transactionIn(await answer()));
    await answer();
    assert.ok('intent' in read);
    assert.deepEqual(scene.asked, [[{ intent: read.intent, lastValidBlockHeight: 2n }]]);
  });

  it('is refused once it has landed, and built again once it never can', async () => {
    const { scene, chain, answer } = start();
    const first = await answer();
    scene.verdicts = [verdicts.landed()];
    await assert.rejects(answer(), (error) => isAppError(error, 'already_landed'));
    scene.verdicts = [verdicts.expired()];
    const second = await answer();
    assert.equal(second.isReplay, false);
    assert.notDeepEqual(transactionIn(second), transactionIn(first));
    assert.equal(chain.accountReads.length, 2);
  });

  it('of "max" pays what its first transaction did, also after a retry that was refused', async () => {
    const { scene, balance, answer } = start({ ...createBody, amount: 'max' });
    const amountIn = (reply: KeyedReply): string => JSON.parse(reply.reply).data.summary.amount.base_units;
    const first = await answer();
    assert.equal(amountIn(first), '2000000');
    balance.tokens += 1_000n;
    scene.verdicts = [verdicts.expired()];
    assert.equal(amountIn(await answer()), amountIn(first));
    balance.tokens = 1n;
    for (let retry = 0; retry < 2; retry += 1) {
      await assert.rejects(answer(), (error) => isAppError(error, 'insufficient_token_balance'));
    }
    balance.tokens = 2_000_005n;
    const last = await answer();
    assert.equal(amountIn(last), amountIn(first));
    scene.verdicts = [verdicts.pending()];
    assert.deepEqual(await answer(), { ...last, isReplay: true });
  });

  it('is refused under its key for another body', async () => {
    const { scene, answer } = start();
    await answer();
    const body = { ...createBody, amount: '7' };
    const request = {
      id: requestId,
      body,
      asked: readTransfer(paths.transfers, body),
      apiKey: apiKeyWith(),
      work,
    };
    const other = answerKeyed(request, { builder: builderOf(new FakeChain()), ...scene });
    await assert.rejects(other, (error) => isAppError(error, 'idempotency_key_reused'));
  });

  it('counts towards the limit of the day when it is built, and not when its reply is given again', async () => {
    const { scene, answer } = start();
    const limited = apiKeyWith({ amounts: new Map([[usdc, { perTransfer: null, perDay: 2_000_000n }]]) });
    await answer(limited);
    await answer(limited);
    assert.deepEqual(await scene.counted(), new Map([[usdc, 1_500_000n]]));
  });

  it('that the limit of the day refuses is not kept: a retry builds it', async () => {
    const { scene, chain, answer } = start();
    const limitedTo = (perDay: bigint) => apiKeyWith({ amounts: new Map([[usdc, { perTransfer: null, perDay }]]) });
    await answer(limitedTo(2_000_000n));
    scene.verdicts = [verdicts.expired()];
    await assert.rejects(answer(limitedTo(2_999_999n)), (error) => isAppError(error, 'daily_limit_reached'));
    assert.equal((await answer(limitedTo(3_000_000n))).isReplay, false);
    assert.equal(chain.accountReads.length, 3);
    assert.deepEqual(await scene.counted(), new Map([[usdc, 3_000_000n]]));
  });

  it('is not given again to a key that builds nothing for the authority of its nonce to sign any more', async () => {
    const { scene, answer } = start({ ...createBody, nonce_account: nonceAccount });
    await answer();
    const limitedTo = (...wallets: readonly string[]) => apiKeyWith({ fromAddresses: new Set(wallets) });
    scene.verdicts = [verdicts.pending({ reason: 'nonce_unused' })];
    await assert.rejects(answer(limitedTo(sampleRequest.from)), (error) => {
      return isAppError(error, 'key_not_allowed') && error.findings[0]?.pointer === '/nonce_account';
    });
    assert.ok((await answer(limitedTo(sampleRequest.from, split.to_address))).isReplay);
  });

  it('is not given again to a key that may no longer move so much, counted by what was built', async () => {
    const { amount: _, ...rest } = createBody;
    for (const [body, total] of [
      [createBody, 1_500_000n],
      [{ ...rest, amount_decimal: '1.5' }, 1_500_000n],
      [{ ...createBody, splits: [split] }, 1_500_007n],
    ] as const) {
      const { answer } = start(body);
      const limitedTo = (perTransfer: bigint): AuthenticatedKey =>
        apiKeyWith({ amounts: new Map([[usdc, { perTransfer, perDay: null }]]) });
      await answer();
      assert.ok((await answer(limitedTo(total))).isReplay);
      await assert.rejects(answer(limitedTo(total - 1n)), (error) => isAppError(error, 'key_not_allowed'));
      const fromNobody = apiKeyWith({ fromAddresses: new Set() });
      await assert.rejects(answer(fromNobody), (error) => isAppError(error, 'key_not_allowed'));
      const neverTransfers = apiKeyWith({ operations: new Set(['batch']) });
      await assert.rejects(answer(neverTransfers), (error) => isAppError(error, 'key_not_allowed'));
    }
  });
});
