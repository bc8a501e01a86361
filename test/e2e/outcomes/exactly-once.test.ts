import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { type ProgramFate, startForProgram } from '../idempotency/killed-program.ts';
import type { PassingRequest } from './unreliable-network.ts';

const document = readFileSync(join(repository, 'docs/exactly-once.md'), 'utf8');
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

describe('docs/exactly-once.md', () => {
  it('has commands that run on the sandbox, and a question that is answered', async (t) => {
    const service = await startTestService(t);
    const [request = '', run = ''] = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body = '']) => body);
    const [reply, question] = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, body = '']) =>
      JSON.parse(body),
    );
    const here = request.trim().replaceAll('http://127.0.0.1:3000', service.url);
    const answers = [await runCommand(`${here} --silent`), await runCommand(`${here} --silent`)];
    const [first, again] = answers.map(({ stdout }) => stdout.split('\r\n\r\n'));
    assert.equal(again?.[1], first?.[1]);
    assert.match(again?.[0] ?? '', /^idempotency-replayed: true$/m);
    const { data, status: words } = JSON.parse(first?.[1] ?? '');
    assert.deepEqual([Object.keys(data), words], [Object.keys(reply.data), reply.status]);
    const { last_valid_block_height: height } = data.lifetime;
    const filled = { ...question, transaction: data.transaction, last_valid_block_height: height };
    assert.deepEqual(Object.keys(filled), Object.keys(question));
    const answered = await service.post(outcome, filled);
    assert.equal(Object(await answered.json()).data.outcome, 'pending');

    const { status: exit, stdout, stderr } = await runCommand(run.trim(), { SPLWRIGHT_URL: service.url });
    assert.equal(exit, 0, stderr);
    assert.equal(service.sandbox.ledger.transactionRecord(stdout.trim())?.error, null);
  });
});

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
