import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '../../../../test/setup/fake-upstream.ts';
import { repository } from '../../../../test/setup/process.ts';
import { createRpcServer } from '../../../sandbox/src/rpc/rpc-server.ts';
import { RpcChainReader } from '../../src/chain/reader/rpc-chain-reader.ts';
import { OutcomeFinder } from '../../src/outcomes/outcome-finder.ts';
import { Work } from '../../src/work/work.ts';
import { type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const document = readFileSync(join(repository, 'docs/exactly-once.md'), 'utf8');
const [, section = ''] = document.split('\n## What it costs\n');

/** The rows of the document's table, by their situation. */
const rows = new Map(
  [...section.matchAll(/^\| ([^|]+) \| `(\w+)` \| (\d+) \| ([^|]+) \|$/gm)].map(
    ([, situation = '', outcome, count, calls]) => [situation, [outcome, Number(count), calls]],
  ),
);

// So many that the ledger no longer looks like one whose beginning was pruned.
const slotsOfHistory = 2_500;

/** A ledger behind upstreams that count, and a service's view of it. */
async function start(t: TestContext, upstreamCount: number) {
  const scene = await OutcomeScene.open();
  scene.ledger.advanceSlots(slotsOfHistory);
  const node = createRpcServer(scene.ledger, { strictPreflight: true }).listen(0, '127.0.0.1');
  t.after(() => void node.close());
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  const startUpstream = () =>
    startFakeUpstream(t, async (call, response) => {
      const answer = await fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      response.end(await answer.text());
    });
  const upstreams = await Promise.all(Array.from({ length: upstreamCount }, startUpstream));
  const clock = { aheadMs: 0 };
  const now = () => performance.now() + clock.aheadMs;
  const urls = upstreams.map(({ url }) => url);
  const reader = new RpcChainReader({ urls, timeoutMs: 30_000, blockhashMaxAgeMs: 0, maxSlotLag: 10, now });
  t.after(() => reader.close());
  const finder = new OutcomeFinder(reader.history);

  /** The outcome, and the calls that each upstream got for it. */
  const ask = async (...items: readonly BuiltItem[]) => {
    // Later than what requests share.
    clock.aheadMs += 1_000;
    const before = upstreams.map(({ calls }) => calls.length);
    const [verdict] = await finder.find(items, new Work());
    return { outcome: verdict?.outcome, calls: upstreams.map((each, index) => callsOf(each, before[index] ?? 0)) };
  };
  return { scene, ask };
}

function callsOf({ calls }: FakeUpstream, from: number): readonly string[] {
  return calls.slice(from).map(({ method }) => method);
}

/** Calls as the table has them: by name, with how many there were. */
function tally(calls: readonly string[]): string {
  return [...new Set(calls)]
    .toSorted()
    .map((method) => ({ method, count: calls.filter((each) => each === method).length }))
    .map(({ method, count }) => (count === 1 ? `\`${method}\`` : `${count} × \`${method}\``))
    .join(', ');
}

test('docs/exactly-once.md says which calls each outcome takes', async (t) => {
  const { scene, ask } = await start(t, 1);
  const { nonceAccount } = scene;
  const held = new Set<string>();
  const hold = async (situation: string, item: BuiltItem): Promise<void> => {
    const { outcome, calls } = await ask(item);
    const measured = calls.flat();
    assert.deepEqual(rows.get(situation), [outcome, measured.length, tally(measured)], situation);
    held.add(situation);
  };
  const outlive = ({ lastValidBlockHeight = 0n }: BuiltItem): void => scene.finalize(lastValidBlockHeight + 152n);

  const signed = scene.signed(await scene.build({ memo: memoOf('signed') }));
  await hold('signed, not landed', signed);
  scene.send(signed.bytes);
  await hold('signed, landed', signed);
  scene.ledger.advanceSlots(32);
  await ask(signed);
  await hold('signed, landed and final, asked for again', signed);

  const lost = scene.signed(await scene.build({ memo: memoOf('lost') }));
  outlive(lost);
  await hold('signed, past its life', lost);

  const built = await scene.build({ memo: memoOf('built') });
  await hold('unsigned, not landed', built);
  scene.land(built);
  await hold('unsigned, landed as it was built', built);

  const changed = await scene.build({ memo: memoOf('changed') });
  scene.landChanged(changed);
  await hold('unsigned, landed as a wallet changed it', changed);

  const forgotten = await scene.build({ memo: memoOf('forgotten') });
  outlive(forgotten);
  await hold('unsigned, past its life', forgotten);

  const durable = scene.signed(await scene.build({ nonceAccount, memo: memoOf('durable') }));
  const rival = await scene.build({ nonceAccount, memo: memoOf('rival') });
  await hold('with a durable nonce that is not used', durable);
  scene.land(rival);
  scene.ledger.advanceSlots(32);
  await hold('signed, with a durable nonce that another transaction used', durable);

  assert.deepEqual([...rows.keys()].toSorted(), [...held].toSorted());
});

test('With two upstreams the second one is asked only before a payment is called expired, and as much as the first', async (t) => {
  const { scene, ask } = await start(t, 2);
  const item = scene.signed(await scene.build({ memo: memoOf('two') }));
  const pending = await ask(item);
  assert.deepEqual([pending.outcome, pending.calls[1]], ['pending', []]);
  scene.finalize((item.lastValidBlockHeight ?? 0n) + 2n);
  // The first calls to a node are preceded by the question of which cluster it is.
  await ask(item);
  const { outcome, calls } = await ask(item);
  assert.equal(outcome, 'expired');
  assert.deepEqual(calls.map(tally), [rows.get('signed, past its life')?.[2], rows.get('signed, past its life')?.[2]]);
});

test('100 transactions of one sender take no more calls than one, as long as none of them has landed', async (t) => {
  const { scene, ask } = await start(t, 1);
  const items: BuiltItem[] = [];
  for (let number = 0; number < 100; number++) {
    items.push(await scene.build({ memo: memoOf(`salary ${number}`) }));
  }
  const { outcome, calls } = await ask(...items);
  assert.deepEqual([outcome, calls.map(tally)], ['pending', [rows.get('unsigned, not landed')?.[2]]]);
});
