import { once } from 'node:events';
import { createRpcServer } from '../../packages/sandbox/src/rpc/rpc-server.ts';
import { Work } from '../../packages/server/src/app/work.ts';
import { RpcChainReader } from '../../packages/server/src/chain/rpc-chain-reader.ts';
import { silentObserver } from '../../packages/server/src/chain/upstream-faults.ts';
import { OutcomeFinder } from '../../packages/server/src/outcomes/outcome-finder.ts';
import { type BuiltItem, memoOf, OutcomeScene } from '../../packages/server/test/outcomes/outcome-scene.ts';
import { figure, type Section } from '../report/section.ts';

const together = 100;
// So many that the ledger no longer looks like one whose beginning was pruned.
const slotsOfHistory = 2_500;
// No block can take a transaction that nobody has signed after so many.
const blocksPastLife = 152n;

interface Situation {
  name: string;
  /** What becomes of freshly built transactions before they are asked for. */
  prepare: (scene: OutcomeScene, built: readonly BuiltItem[]) => readonly BuiltItem[];
}

const sign = (scene: OutcomeScene, built: readonly BuiltItem[]): readonly BuiltItem[] =>
  built.map((item) => scene.signed(item));

const outlive = (scene: OutcomeScene, built: readonly BuiltItem[]): readonly BuiltItem[] => {
  scene.finalize((built.at(-1)?.lastValidBlockHeight ?? 0n) + blocksPastLife);
  return built;
};

const land = (scene: OutcomeScene, built: readonly BuiltItem[]): readonly BuiltItem[] => {
  for (const item of built) scene.land(item);
  return built;
};

const situations: readonly Situation[] = [
  { name: 'signed, pending', prepare: sign },
  { name: 'signed, landed', prepare: (scene, built) => land(scene, sign(scene, built)) },
  { name: 'signed, expired', prepare: (scene, built) => outlive(scene, sign(scene, built)) },
  { name: 'unsigned, pending', prepare: (_scene, built) => built },
  { name: 'unsigned, landed', prepare: land },
  { name: 'unsigned, expired', prepare: outlive },
];

/** Counts the upstream calls for each outcome: of one transaction, and of a hundred of one sender that are asked for together. */
export async function measureOutcomes(): Promise<Section> {
  const rows: string[][] = [];
  for (const { name, prepare } of situations) {
    const one = await countCalls(1, prepare);
    const many = await countCalls(together, prepare);
    rows.push([name, String(one), String(many), figure(many / together)]);
  }
  return {
    title: 'What became of a transfer',
    method:
      'Upstream calls of `POST /v1/transfers/outcome` with one upstream, each time with a service that has just started: ' +
      `for one transaction, and for a list of ${together} of one sender with a memo each.`,
    head: ['transactions', 'calls for one', `calls for ${together}`, 'calls each, of these'],
    rows,
    notes: ['A second upstream is asked the same before a transfer is called expired.'],
    results: [],
  };
}

async function countCalls(count: number, prepare: Situation['prepare']): Promise<number> {
  const scene = await OutcomeScene.open();
  scene.ledger.advanceSlots(slotsOfHistory);
  const node = createRpcServer(scene.ledger, { strictPreflight: true }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const address = node.address();
  if (address === null || typeof address === 'string') throw new Error('the ledger listens on no port');
  let calls = 0;
  const reader = new RpcChainReader({
    urls: [`http://127.0.0.1:${address.port}`],
    timeoutMs: 30_000,
    blockhashMaxAgeMs: 0,

    observer: { ...silentObserver, attempted: () => void calls++ },
    now: () => performance.now(),
  });
  const built: BuiltItem[] = [];
  while (built.length < count) built.push(await scene.build({ memo: memoOf(`salary ${built.length}`) }));
  const items = prepare(scene, built);
  await new OutcomeFinder(reader.history).find(items, new Work());
  await reader.close();
  node.closeAllConnections();
  node.close();
  return calls;
}
