import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { createPath, memoPath } from '../../packages/server/test/app/sample-bodies.ts';
import { type FaultProxy, startFaultProxy } from '../setup/fault-proxy.ts';
import { type LedgerMemory, rememberLedger } from '../setup/ledger-memory.ts';
import type { Cleanup } from '../setup/service.ts';
import { named } from '../setup/wallets.ts';
import { type Load, startLoad } from './load.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** Two nodes of one cluster, each behind a proxy that can fail: the preferred one, and the other. */
export interface Cluster {
  sandbox: Sandbox;
  memory: LedgerMemory;
  preferred: FaultProxy;
  other: FaultProxy;
  /** Texts that must be seen nowhere outside. */
  secrets: readonly string[];
}

/** A cluster, and the real service on it. */
export interface Arena extends Cluster {
  server: ServerProcess;
  /** Refusals that hold a secret. */
  leaks: string[];
}

/** What the load found out about the answers, in addition to their status. */
export interface Truth {
  /** Answers with a blockhash that the ledger does not accept. */
  deadBlockhashes: number;
  /** Answers whose blockhash dies before one that was handed out before the request was sent. */
  backwards: number;
  /** How many slots the oldest blockhash was behind the ledger when it arrived. */
  maxAgeSlots: number;
}

/** A load on an arena. */
export interface ArenaLoad extends Load {
  truth: Truth;
  /** Whom the transfers to come go to, by the name in the sandbox's world; `bob` at first. */
  recipient: string;
}

/** How fast the slots of the cluster pass, and how slow its nodes are. */
export interface ClusterOptions {
  slotMs?: number;
  latency?: readonly [minMs: number, maxMs: number];
}

/** A cluster, and the variables of the service's environment. */
export interface ArenaOptions extends ClusterOptions {
  environment?: Readonly<Record<string, string>>;
}

/** Starts a ledger and two nodes of it, and ends them with the test. */
export async function openCluster(t: Cleanup, options: ClusterOptions = {}): Promise<Cluster> {
  const { slotMs = 100, latency = [5, 15] } = options;
  const sandbox = await startSandbox({ rpcPort: 0, slotMs });
  t.after(() => sandbox.close());
  const { ledger } = sandbox;
  const memory = rememberLedger(ledger);
  const preferred = await startFaultProxy(t, { ledger, name: 'preferred', latency });
  const other = await startFaultProxy(t, { ledger, name: 'other', latency });
  return { sandbox, memory, preferred, other, secrets: [...preferred.secrets, ...other.secrets] };
}

/** Starts a cluster and the service on it, and ends them with the test. */
export async function openArena(t: Cleanup, options: ArenaOptions = {}): Promise<Arena> {
  const cluster = await openCluster(t, options);
  const { preferred, other, secrets } = cluster;
  const rpcUrls = [preferred.url, other.url];
  const server = await startServerProcess(t, { rpcUrls, secrets, environment: options.environment ?? {} });
  return { ...cluster, server, leaks: [] };
}

/**
 * Begins a steady load of all three operations, so many a second, and checks every answer against the ledger.
 * It has 128 sockets unless told otherwise.
 */
export function startArenaLoad(arena: Arena, rate: number, connections = 128): ArenaLoad {
  const { server, sandbox, memory, secrets, leaks } = arena;
  const truth: Truth = { deadBlockhashes: 0, backwards: 0, maxAgeSlots: 0 };
  const { wallets, mints } = sandbox.world;
  let sent = 0;
  const load = startLoad({
    url: server.url,
    apiKey: server.apiKey,
    rate,
    connections,
    request() {
      sent += 1;
      const body = {
        from_address: named(wallets, 'alice').address,
        to_address: named(wallets, arenaLoad.recipient).address,
        token_mint_address: named(mints, 'USDC').address,
        amount: String(sent),
      };
      const operation = sent % 3;
      if (operation === 0) return { path: createPath, body };
      return { path: memoPath, body: { ...body, [operation === 1 ? 'memo' : 'yid']: `invoice ${sent}` } };
    },
    onSuccess({ blockhash, lastValidBlockHeight, heightBefore }) {
      if (!sandbox.ledger.isBlockhashValid(blockhash)) truth.deadBlockhashes += 1;
      if (lastValidBlockHeight < heightBefore) truth.backwards += 1;
      const age = sandbox.ledger.slot() - (memory.slotOf(blockhash) ?? 0n);
      truth.maxAgeSlots = Math.max(truth.maxAgeSlots, Number(age));
    },
    onProblem(text) {
      if (secrets.some((secret) => text.includes(secret))) leaks.push(text);
    },
  });
  const arenaLoad: ArenaLoad = { ...load, truth, recipient: 'bob' };
  return arenaLoad;
}
