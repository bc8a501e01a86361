import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problems } from '../../../packages/server/src/errors.ts';
import type { Json } from '../../setup/json.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';

const document = readFileSync(join(repository, 'docs/mpp.md'), 'utf8');
const [challenge, request] = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
  JSON.parse(text),
);

test('docs/mpp.md makes the request from the challenge', () => {
  const { from_address: _, ...rest } = request;
  const { amount, currency, recipient, externalId, methodDetails } = challenge;
  const splits: Json[] = methodDetails.splits;
  const ofSplits = splits.reduce((sum, split) => sum + BigInt(split.amount), 0n);
  assert.deepEqual(rest, {
    layout: 'mpp',
    to_address: recipient,
    token_mint_address: currency,
    amount: String(BigInt(amount) - ofSplits),
    splits: splits.map((split) => ({ to_address: split.recipient, amount: split.amount })),
    create_token_account: 'always',
    fee_payer: methodDetails.feePayerKey,
    memo: externalId,
  });
});

test('docs/mpp.md has a request that the sandbox answers', async (t) => {
  const service = await startTestService(t);
  const reply = await service.post('/v1/transfers', request);
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  const { data } = JSON.parse(text);
  assert.deepEqual(data.signers, [request.fee_payer, request.from_address]);
});

test('docs/mpp.md names refusals that there are, with their status', () => {
  const rows = [...document.matchAll(/^\| (\d{3}) `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
  assert.equal(rows.length, 3);
  const table = new Map(Object.entries(problems).map(([code, { status }]) => [code, status]));
  for (const [code, status] of rows) assert.equal(table.get(String(code)), status);
});
