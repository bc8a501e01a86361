import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problems } from '../../../packages/server/src/errors.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';

const document = readFileSync(join(repository, 'docs/x402.md'), 'utf8');
const [answer, request] = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
  JSON.parse(text),
);

test('docs/x402.md makes the request from the answer', () => {
  const { from_address: _, ...rest } = request;
  assert.deepEqual(rest, {
    layout: 'x402',
    to_address: answer.payTo,
    token_mint_address: answer.asset,
    amount: answer.amount,
    fee_payer: answer.extra.feePayer,
    memo: answer.extra.memo,
  });
});

test('docs/x402.md has a request that the sandbox answers', async (t) => {
  const service = await startTestService(t);
  const reply = await service.post('/v1/transfers', request);
  assert.equal(reply.status, 200);
  const { data } = JSON.parse(await reply.text());
  assert.deepEqual(data.signers, [request.fee_payer, request.from_address]);
});

test('docs/x402.md names refusals that there are, with their status', () => {
  const rows = [...document.matchAll(/^\| (\d{3}) `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
  assert.equal(rows.length, 4);
  const table = new Map(Object.entries(problems).map(([code, { status }]) => [code, status]));
  for (const [code, status] of rows) assert.equal(table.get(String(code)), status);
});
