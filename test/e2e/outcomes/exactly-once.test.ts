import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { repository } from '../../setup/process.ts';
import { type ProgramFate, startForProgram } from '../idempotency/killed-program.ts';
import type { PassingRequest } from './unreliable-network.ts';

const program = join(repository, 'examples/pay-once.ts');

const build = '/v1/transfers';
const outcome = '/v1/transfers/outcome';
const send = 'sendTransaction';

/** A service on a ledger whose time passes only by hand, and clients whose requests and answers can be lost. */
async function start(t: TestContext) {
  const { sandbox, run } = await startForProgram(t);
  const { ledger } = sandbox;

  /** The signatures of all payments of an order that are on the ledger. */
  const paymentsOf = (order: string): readonly string[] =>
    ledger
      .transactionRecordsOf(sandbox.world.wallets[0]?.address ?? '')
      .filter(({ error, memo }) => error === null && memo === `[${order.length}] ${order}`)
      .map(({ signature }) => signature);

  /** Runs the program for an order, again and again until it is done: the signature that it prints. */
  const pay = async (order: string, decide: (request: PassingRequest) => ProgramFate) => {
    const { output, answers } = await run([program, order], decide);
    return { signature: output, answers };
  };
  return { ledger, paymentsOf, pay };
}

describe('examples/pay-once.ts pays once', () => {
  const mishaps: readonly [step: string, fate: ProgramFate][] = [
    [build, 'answer lost'],
    [build, 'killed after'],
    [send, 'request lost'],
    [send, 'killed after'],
    [outcome, 'killed after'],
  ];

  it('whatever is lost, and wherever it is killed', async (t) => {
    const { ledger, paymentsOf, pay } = await start(t);
    for (const [number, [step, fate]] of mishaps.entries()) {
      const order = `order-${number}`;
      let happened = 0;
      const { signature } = await pay(order, (request) => {
        // What is built again is another transaction only if it has another blockhash.
        if (request.step === build) ledger.advanceSlots(1);
        if (request.step !== step || request.index > 0) return 'answered';
        happened += 1;
        return fate;
      });
      assert.equal(happened, 1, `${step}: ${fate}`);
      assert.deepEqual(paymentsOf(order), [signature], `${step}: ${fate}`);
    }
  });

  it('waits as long as it is told while what it lost may land, and builds again when it never can', async (t) => {
    const { ledger, paymentsOf, pay } = await start(t);
    const { signature, answers } = await pay('order-1', ({ step, index }) => {
      // What it signs first is never submitted, and expires: signed 152 slots after it was built, and unsigned 302.
      if (step === outcome && index === 0) ledger.advanceSlots(290);
      if (step === build && index === 2) ledger.advanceSlots(30);
      return step === send && index === 0 ? 'request lost' : 'answered';
    });
    assert.deepEqual(paymentsOf('order-1'), [signature]);
    const builds = answers.filter(({ step }) => step === build);
    assert.deepEqual(
      builds.map((answer) => answer.status),
      [200, 409, 200],
    );
    const [first, refused, last] = builds.map(({ body }) => JSON.parse(body));
    assert.equal(refused.code, 'previous_may_land');
    assert.notEqual(last.data.transaction, first.data.transaction);
    const [, before, after] = builds;
    assert.ok(before && after);
    const retryAfterMs = 1_000 * Number(before.headers.get('retry-after'));
    assert.ok(retryAfterMs > 1_000, 'more than it waits anyway');
    assert.ok(after.arrivedAt - before.answeredAt > retryAfterMs - 10, 'it came back too early');
  });
});
