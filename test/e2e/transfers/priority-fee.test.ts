import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { resultOf, rpcError } from '../../setup/fake-upstream.ts';
import type { Json } from '../../setup/json.ts';
import { startProxiedSandbox } from '../../setup/proxy-upstream.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';

const feesMethod = 'getRecentPrioritizationFees';

/** A service on a sandbox whose recent fees are these, in micro-lamports per compute unit. */
async function startWithFees(t: TestContext, prices: readonly number[]) {
  const { upstream, forward } = await startProxiedSandbox(t);
  const answer = resultOf(() => prices.map((prioritizationFee, index) => ({ slot: 100 + index, prioritizationFee })));
  upstream.behaviour = (call, response) => (call.method === feesMethod ? answer : forward)(call, response);
  const service = await startServiceOn(t, upstream.url);
  const build = (options: object): Promise<Response> =>
    service.post(createPath, { ...createBody, summary: true, ...options });
  const summaryOf = async (options: object): Promise<Json> => {
    const response = await build(options);
    const reply: Json = await response.json();
    assert.equal(response.status, 200, JSON.stringify(reply));
    return reply.summary;
  };
  const feeCalls = () => upstream.calls.filter(({ method }) => method === feesMethod).map(({ params }) => params);
  return { upstream, build, summaryOf, feeCalls };
}

// That a level is a percentile of them, and what is charged for it: core's compute-budget.test.ts and test/judge.
test('The recent fees', async (t) => {
  const bob = createBody.to_address;
  const accounts = ({ fee_payer, sender_token_account, recipient_token_account }: Json) => [
    [fee_payer, sender_token_account, recipient_token_account],
  ];

  await t.test('are asked for exactly the fee payer and the two token accounts, and for a level alone', async (t2) => {
    const { summaryOf, feeCalls } = await startWithFees(t2, [1_000_000]);
    for (const priorityFee of [undefined, 'none', '0', '5000']) await summaryOf({ priority_fee: priorityFee });
    assert.deepEqual(feeCalls(), []);
    const summary = await summaryOf({ priority_fee: 'low' });
    assert.deepEqual(feeCalls(), [accounts(summary)]);
    assert.equal(summary.priority_fee, String(summary.compute_unit_limit));
    const sponsored = await summaryOf({ priority_fee: 'low', fee_payer: bob });
    assert.equal(sponsored.fee_payer, bob);
    assert.deepEqual(feeCalls()[1], accounts(sponsored));
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
