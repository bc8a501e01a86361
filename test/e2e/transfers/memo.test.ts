import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { summarizeTransaction } from '../../../packages/core/src/index.ts';
import { installClassicMemoProgram } from '../../setup/classic-memo-ledger.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { startTestService } from '../../setup/service.ts';
import { named, peopleOf } from '../../setup/wallets.ts';

/** How many of a character are the most that build; core's check-memo.test.ts says why one more does not. */
const limits = [
  { character: 'a', max: 916, setsComputeLimit: false },
  { character: '\u0001', max: 876, setsComputeLimit: true },
  { character: '\u{20000}', max: 229, setsComputeLimit: false },
  { character: '漢', max: 123, setsComputeLimit: true },
  { character: '😀', max: 75, setsComputeLimit: true },
];

for (const program of ['newer', 'classic'] as const) {
  const service = await startTestService({ after });
  if (program === 'classic') installClassicMemoProgram(service.sandbox.ledger);
  const { world } = service.sandbox;
  const { alice, bob, carol } = peopleOf(world);

  const request = (memo: string): Promise<Response> =>
    service.post('/v1/token-transfer-memo-hash', {
      from_address: alice.address,
      to_address: bob.address,
      token_mint_address: named(world.mints, 'USDC').address,
      amount: '1',
      memo,
    });

  describe(`under the ${program} Memo program`, () => {
    for (const { character, max, setsComputeLimit } of limits) {
      const name = JSON.stringify(character);

      it(`lands the longest memo of ${name}`, async () => {
        const response = await request(character.repeat(max));
        const reply: Json = await response.json();
        assert.equal(response.status, 200, JSON.stringify(reply));
        const bytes = Uint8Array.from(reply.data.transaction);
        const kinds = summarizeTransaction(bytes).instructions.map(({ kind }) => kind);
        assert.equal(kinds.includes('set_compute_unit_limit'), setsComputeLimit);

        await landInWorld(service.sandbox, bytes);
      });
    }

    it('lands the longest memo of the x402 layout, and warns of a compute limit that hosted facilitators refuse', async () => {
      const ask = async (memo: string): Promise<Json> => {
        const response = await service.post('/v1/transfers', {
          layout: 'x402',
          from_address: alice.address,
          to_address: bob.address,
          token_mint_address: named(world.mints, 'USDC').address,
          fee_payer: carol.address,
          amount: '1',
          memo,
        });
        const reply: Json = await response.json();
        assert.equal(response.status, 200, JSON.stringify(reply));
        await landInWorld(service.sandbox, reply.data.transaction);
        const { summary } = reply.data;
        const warnings = summary.warnings.filter(({ code }: Json) => code === 'facilitator_compute_limit');
        return [summary.compute_unit_limit, warnings];
      };
      const [short, none] = await ask('a'.repeat(200));
      assert.ok(short < 100_000);
      assert.deepEqual(none, []);
      const [long, [warning]] = await ask('a'.repeat(256));
      assert.ok(long >= 100_000 && long < 120_000, String(long));
      assert.match(warning.detail, new RegExp(`^The compute limit is ${long}, .*refuse 100000 and more\\.`));
    });
  });
}
