import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Value } from 'typebox/value';
import {
  type InstructionSummary,
  summarizeTransaction,
} from '../../../packages/core/src/transaction/summarize-transaction.ts';
import { replySchemas } from '../../../packages/server/src/app/replies.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { resultOf, rpcError } from '../../setup/fake-upstream.ts';
import { landInWorld } from '../../setup/land.ts';
import { startProxiedSandbox } from '../../setup/proxy-upstream.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';

const feesMethod = 'getRecentPrioritizationFees';

/** A service on a sandbox whose recent fees are these, in micro-lamports per compute unit. Transfers have an amount of their own each. */
async function startWithFees(t: TestContext, prices: readonly number[]) {
  const { sandbox, upstream, forward } = await startProxiedSandbox(t);
  const answer = resultOf(() => prices.map((prioritizationFee, index) => ({ slot: 100 + index, prioritizationFee })));
  upstream.behaviour = (call, response) => (call.method === feesMethod ? answer : forward)(call, response);
  const service = await startServiceOn(t, upstream.url);
  let amount = 0;

  const build = (options: object): Promise<Response> => {
    amount += 1;
    return service.post(createPath, { ...createBody, amount: String(amount), summary: true, ...options });
  };

  return {
    upstream,
    build,
    feeCalls: () => upstream.calls.filter(({ method }) => method === feesMethod).map(({ params }) => params),

    /** Builds a transfer, lands it, and checks that its bytes and its charge are what the summary says. */
    async land(options: object) {
      const response = await build(options);
      const reply: unknown = await response.json();
      if (!Value.Check(replySchemas.create_transfer, reply)) assert.fail(JSON.stringify(reply));
      const { data, summary } = reply;
      assert.ok(Array.isArray(data) && summary);
      const bytes = Uint8Array.from(data);
      const budget = readBudget(bytes);
      assert.equal(budget.limit, summary.compute_unit_limit ?? undefined);
      assert.equal(budget.priorityFee, BigInt(summary.priority_fee));

      const { signature } = await landInWorld(sandbox, bytes, summary.signers);
      const charged = sandbox.ledger.transactionRecord(signature)?.fee;
      assert.equal(charged, BigInt(summary.network_fee) + BigInt(summary.priority_fee));
      sandbox.ledger.advanceSlots(1);
      return { ...budget, summary };
    },
  };
}

interface Budget {
  /** In instructions or, in version 1, in the header. */
  location: 'instructions' | 'header';
  limit: number | undefined;
  price: bigint | undefined;
  /** Lamports: what the runtime makes of limit and price, or what the header says. */
  priorityFee: bigint;
}

function readBudget(bytes: Uint8Array): Budget {
  const { version, config, instructions } = summarizeTransaction(bytes);
  if (version === 1) {
    assert.ok(config && !instructions.some(({ kind }) => kind.startsWith('set_compute_unit')));
    return { location: 'header', limit: config.computeUnitLimit, price: undefined, priorityFee: config.priorityFee };
  }
  const only = <Kind extends InstructionSummary['kind']>(kind: Kind) => {
    const found = instructions.filter(
      (each): each is Extract<InstructionSummary, { kind: Kind }> => each.kind === kind,
    );
    assert.ok(found.length <= 1, `${kind} twice`);
    return found[0];
  };
  const limit = only('set_compute_unit_limit')?.computeUnitLimit;
  const price = only('set_compute_unit_price')?.microLamports;
  const microLamports = (price ?? 0n) * BigInt(limit ?? 0);
  return { location: 'instructions', limit, price, priorityFee: (microLamports + 999_999n) / 1_000_000n };
}

// 0, 1000, 2000, … 100000 in no order: every way to take a percentile gives the same.
const spread = Array.from({ length: 101 }, (_, index) => ((index * 37) % 101) * 1000);

test('A level is a percentile of what others paid lately, whatever the version, and is charged to the lamport', async (t) => {
  const { land } = await startWithFees(t, spread);
  for (const version of ['legacy', 0, 1]) {
    for (const [level, price] of Object.entries({ low: 25_000n, medium: 50_000n, high: 90_000n })) {
      const landed = await land({ priority_fee: level, transaction_version: version });
      assert.equal(landed.location, version === 1 ? 'header' : 'instructions');
      if (version !== 1) assert.equal(landed.price, price);
      assert.equal(landed.priorityFee, (price * BigInt(landed.limit ?? 0) + 999_999n) / 1_000_000n);
    }
  }
});

test('The recent fees', async (t) => {
  const bob = createBody.to_address;
  const accounts = (summary: { fee_payer: string; sender_token_account: string; recipient_token_account: string }) => [
    [summary.fee_payer, summary.sender_token_account, summary.recipient_token_account],
  ];

  await t.test('are asked for exactly the fee payer and the two token accounts, and for a level alone', async (t2) => {
    const { land, feeCalls } = await startWithFees(t2, [7]);
    for (const priorityFee of [undefined, 'none', '0', '5000']) await land({ priority_fee: priorityFee });
    assert.deepEqual(feeCalls(), []);
    const { summary } = await land({ priority_fee: 'low' });
    assert.deepEqual(feeCalls(), [accounts(summary)]);
    const sponsored = await land({ priority_fee: 'low', fee_payer: bob });
    assert.equal(sponsored.summary.fee_payer, bob);
    assert.deepEqual(feeCalls()[1], accounts(sponsored.summary));
  });

  await t.test('that the node cannot give are the fault of the node, not of the transfer', async (t2) => {
    const { build, upstream } = await startWithFees(t2, []);
    const served = upstream.behaviour;
    const faults = [
      [rpcError(-32601, 'no such method'), 502, 'upstream_error'],
      [rpcError(-32005, 'behind'), 503, 'upstream_unavailable'],
      [resultOf(() => [{ slot: 1 }]), 502, 'upstream_error'],
    ] as const;
    for (const [behaviour, status, code] of faults) {
      upstream.behaviour = (call, response) => (call.method === feesMethod ? behaviour : served)(call, response);
      const problem = await readProblem(await build({ priority_fee: 'low' }));
      assert.deepEqual([problem.status, problem.code], [status, code]);
      assert.equal((await build({})).status, 200);
    }
  });
});
