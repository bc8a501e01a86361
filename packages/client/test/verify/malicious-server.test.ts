import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allRules, openCourt } from '../../../../test/judge/court.ts';
import { plainTransfer, plainWorld, token2022, type World } from '../../../../test/judge/world.ts';
import { SplwrightClient, VerificationError } from '../../src/index.ts';
import { thief } from './mutations.ts';
import { steal, thefts } from './thefts.ts';
import { type AnsweredWorld, answerWorld, replyWith } from './worlds.ts';

const [rules] = allRules;
if (!rules) throw new Error('there are no rules');
const court = openCourt(rules);

const split = { payee: { kind: 'other', wallet: 'funded', tokenAccount: 'missing' }, amount: 100n } as const;
const sponsored = { feePayer: { wallet: 'wallet', lamports: 'plenty' } } as const;
const recentPrices = [1_000n, 2_000n, 3_000n];

/** What the client asks for. */
const asked: Readonly<Record<string, Partial<World>>> = {
  'a transfer with everything': {
    operation: 'transfer',
    recipientTokenAccount: 'missing',
    transfer: { ...plainTransfer, hasMemo: true, splits: [split, split] },
    options: { ...sponsored, references: [0, 1], priorityFee: { kind: 'level', level: 'high', recentPrices } },
  },
  'a plain transfer': { operation: 'transfer', transfer: plainTransfer },
  'a transfer in version 1': {
    operation: 'transfer',
    transfer: { ...plainTransfer, hasMemo: true },
    mint: token2022(),
    options: { ...sponsored, transactionVersion: 1, priorityFee: { kind: 'price', price: 1_000n } },
  },
  'a transfer for a facilitator of x402': {
    operation: 'transfer',
    transfer: { ...plainTransfer, layout: 'x402' },
    options: sponsored,
  },
  'a transfer with a memo': { operation: 'memo_transfer', options: { transactionVersion: 0 } },
  'a transfer with an identifier': {
    operation: 'yid_transfer',
    options: { nonceAccount: { state: 'of_sender', sentLate: false } },
  },
  'a transfer that creates the account': { operation: 'create_transfer', recipientTokenAccount: 'missing' },
};

const scenes: { name: string; answered: AnsweredWorld }[] = [];
for (const [index, [name, world]] of Object.entries(asked).entries()) {
  const answered = await answerWorld(court, { ...plainWorld, ...world, seed: 77, number: index });
  if (!answered) throw new Error(`${name} is refused`);
  scenes.push({ name, answered });
}

/** Has the client build what a scene asks for, at a service that answers with these bytes. */
function build(
  { path, request, situation, built, lifetimeToken, reply }: AnsweredWorld,
  bytes: Uint8Array,
  lastHeight?: string,
): Promise<unknown> {
  const encoding = path === '/v1/transfers' ? undefined : 'base64';
  const answered = { path, request: { ...request, encoding }, reply: { ...Object(reply), data: dataInBase64(reply) } };
  const body = JSON.stringify(
    replyWith({ ...answered, situation, built, lifetimeToken, bytes, isHooked: false }, bytes),
  );
  const headers = {
    'solana-blockhash': lifetimeToken,
    ...(lastHeight !== undefined && { 'solana-last-valid-block-height': lastHeight }),
  };
  const client = new SplwrightClient({
    url: 'https://service.example',
    apiKey: 'swk_test',
    fetch: async () => new Response(body, { headers }),
    verify: { decimals: situation.decimals, tokenProgram: built.plan.tokenProgram },
  });
  const { encoding: _, ...wanted } = Object(request);
  if (path === '/v1/transfers') return client.buildTransfer(wanted);
  if (path === '/v1/create-token-account-transfer') return client.buildCreateTokenAccountTransfer(wanted);
  return client.buildTokenTransfer(wanted);
}

// The client asks for base64.
function dataInBase64(reply: unknown): unknown {
  const { data } = Object(reply);
  return typeof data === 'object' && !Array.isArray(data) ? { ...data, transaction: '' } : '';
}

describe('the client, at a service that was broken into', () => {
  it('takes each honest answer', async () => {
    for (const { answered } of scenes) await build(answered, answered.bytes);
  });

  it('knows more than 40 kinds of theft', () => {
    assert.ok(Object.keys(thefts).length > 40);
  });

  for (const [name, theft] of Object.entries(thefts)) {
    it(`gets no signature for a transaction that ${name}`, async () => {
      let tried = 0;
      for (const { name: scene, answered } of scenes) {
        const bytes = steal(answered.bytes, theft);
        if (!bytes) continue;
        tried++;
        await assert.rejects(build(answered, bytes), VerificationError, `${scene}: ${name}`);
      }
      assert.ok(tried > 0);
    });
  }

  it('gets no signature for another reply: that of another request, a shape of another operation, two transactions in one', async () => {
    for (const [index, { answered }] of scenes.entries()) {
      const { answered: other } = scenes[(index + 1) % scenes.length] ?? { answered };
      await assert.rejects(build(answered, other.bytes), VerificationError);
      await assert.rejects(build(answered, Uint8Array.of(...answered.bytes, ...other.bytes)), VerificationError);
      await assert.rejects(
        build({ ...answered, reply: { data: { landed: true } } }, answered.bytes),
        VerificationError,
      );
    }
  });

  it('gets no signature for a header with a last valid block height that no blockhash has', async () => {
    const older = scenes.filter(({ answered: { path } }) => path !== '/v1/transfers');
    assert.ok(older.length > 0);
    for (const { name, answered } of older) {
      await assert.rejects(build(answered, answered.bytes, '1'), { code: 'wrong_lifetime' }, name);
    }
  });

  it('gets no signature where somebody has signed already', async () => {
    for (const { answered } of scenes) {
      const bytes = answered.bytes.slice();
      const isVersion1 = bytes[0] === 0x81;
      bytes[isVersion1 ? bytes.length - 1 : 1] = 1;
      await assert.rejects(build(answered, bytes), { code: 'wrong_signature' });
    }
    assert.notEqual(thief, scenes[0]?.answered.built.plan.feePayer);
  });
});
