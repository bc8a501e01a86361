import type { TestContext } from 'node:test';
import {
  type Behaviour,
  type FakeUpstream,
  resultOf,
  startFakeUpstream,
} from '../../../../test/setup/fake-upstream.ts';
import { clockSysvar } from '../../../core/src/accounts/sysvars.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { RpcChainReader } from '../../src/chain/rpc-chain-reader.ts';
import { type ChainObserver, silentObserver } from '../../src/chain/upstream-faults.ts';

/** An address to read, whatever is there. */
export const anyAddress = toAddress('1'.repeat(32));

/** A genesis hash of the cluster that the nodes below serve unless told otherwise. */
export const genesisHash = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';

interface NodeState {
  slot: number;
  /** Which of several nodes it is: the lamports of every account that it has. */
  id?: number;
  genesis?: string;
}

/** A node that is well, as of the slot that its state has at the time. */
export function nodeAt(state: NodeState): Behaviour {
  return resultOf(({ method, params }) => {
    const context = { slot: state.slot };
    const accountAt = (address: unknown): object => ({
      lamports: state.id ?? 0,
      owner: anyAddress,
      data: [address === clockSysvar ? clockOf(state.slot).toString('base64') : '', 'base64'],
      executable: false,
    });
    switch (method) {
      case 'getGenesisHash':
        return state.genesis ?? genesisHash;
      case 'getHealth':
        return 'ok';
      case 'getLatestBlockhash':
        return { context, value: { blockhash: anyAddress, lastValidBlockHeight: state.slot + 150 } };
      case 'getRecentPrioritizationFees':
        return [];
      default:
        return { context, value: (Array.isArray(params[0]) ? params[0] : []).map(accountAt) };
    }
  });
}

/** The data of the clock sysvar in a slot of the first epoch. */
export function clockOf(slot: number): Buffer {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot));
  return data;
}

/** Two nodes of one cluster, both well, and a reader that prefers the first. */
export async function startTwoNodes(t: TestContext, options: { timeoutMs?: number } = {}) {
  const states: readonly [NodeState, NodeState] = [
    { slot: 1_000, id: 1 },
    { slot: 1_000, id: 2 },
  ];
  const healthy = [nodeAt(states[0]), nodeAt(states[1])] as const;
  const first = await startFakeUpstream(t, healthy[0]);
  const second = await startFakeUpstream(t, healthy[1]);
  const events: string[] = [];
  const observer: ChainObserver = {
    ...silentObserver,
    usageChanged: (upstream, fault) => events.push(fault ? `${upstream} left` : `${upstream} joined`),
    hedged: (upstream) => events.push(`${upstream} hedged`),
  };
  const reader = startReader(t, [first.url, second.url], { ...options, observer });
  await reader.compareClusters();
  forget(first, second);
  return { first, second, states, healthy, reader, events };
}

/** A reader of nodes, closed with the test. */
export function startReader(
  t: TestContext,
  urls: readonly string[],
  options: { timeoutMs?: number; observer?: ChainObserver } = {},
): RpcChainReader {
  const reader = new RpcChainReader({
    urls,
    timeoutMs: 2_000,
    now: () => performance.now(),
    ...options,
  });
  t.after(() => reader.close());
  return reader;
}

/** Reads an account, within some seconds or `durationMs`. Resolves with the node that answered. */
export async function answeringNode(reader: RpcChainReader, durationMs = 5_000): Promise<number> {
  const { accounts } = await reader.readAccounts([anyAddress], performance.now() + durationMs);
  return Number(accounts[0]?.lamports);
}

/** Forgets what the nodes were asked so far. */
export function forget(...nodes: readonly FakeUpstream[]): void {
  for (const node of nodes) node.calls.length = 0;
}
