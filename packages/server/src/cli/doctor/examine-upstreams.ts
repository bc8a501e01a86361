import { clockSysvar, tokenProgram } from 'splwright-core';
import { ChainHead } from '../../chain/chain-head.ts';
import {
  blockhashKnownRequest,
  blockhashRequest,
  genesisHashRequest,
  pricesRequest,
  probeRequest,
  slotTimeRequest,
} from '../../chain/chain-requests.ts';
import {
  blockHeightRequest,
  finalizedHeightRequest,
  firstAvailableSlotRequest,
  signaturesRequest,
  statusesRequest,
  transactionRequest,
} from '../../chain/history-requests.ts';
import { type RpcRequest, RpcTransport } from '../../chain/rpc-transport.ts';
import { UpstreamFault } from '../../chain/upstream-faults.ts';
import type { Config } from '../../config.ts';
import { sandboxCluster } from '../../store/cluster.ts';
import type { Diagnosis } from './diagnosis.ts';

const subject = 'upstreams';

// The genesis hashes of the public clusters.
const clusterNames: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

/** What was found, and the cluster as `ownerOf` names it; `undefined` where the nodes do not tell. */
interface ExaminedUpstreams {
  diagnoses: readonly Diagnosis[];
  cluster: string | undefined;
}

/** Examines each Solana node, and how they go together. */
export async function examineUpstreams(
  {
    solanaRpcUrls,
    proxy,
    rpcTimeoutMs: timeoutMs,
    upstreamQuorum,
  }: Pick<Config, 'solanaRpcUrls' | 'proxy' | 'rpcTimeoutMs' | 'upstreamQuorum'>,
  now: () => number,
): Promise<ExaminedUpstreams> {
  if (solanaRpcUrls.length === 0) return { diagnoses: [examineSandbox()], cluster: sandboxCluster };
  const nodes = solanaRpcUrls.map(
    (url, index) => new ExaminedNode(`upstream_${index + 1}`, new RpcTransport({ url, timeoutMs, proxy }), timeoutMs),
  );
  await Promise.all(nodes.map((node) => node.examine(now)));
  const usable = nodes.filter(({ diagnoses }) => diagnoses.every(({ level }) => level !== 'failure'));
  const ofNodes = nodes.flatMap(({ diagnoses }) => diagnoses);
  const clusters = new Set(nodes.flatMap(({ genesisHash }) => genesisHash ?? []));
  const diagnoses = [
    ...(usable.length > 0 ? ofNodes.map(asDispensable) : ofNodes),
    ...ofClusters(clusters),
    ...ofCount(usable.length, nodes.length, upstreamQuorum),
  ];
  return { diagnoses, cluster: clusters.size === 1 ? [...clusters][0] : undefined };
}

/** The diagnosis of a node that the service can do without while others are enough. */
function asDispensable(diagnosis: Diagnosis): Diagnosis {
  if (diagnosis.level !== 'failure') return diagnosis;
  const remedy = 'The service runs on the others. Check the URL of this node and its key, or use another node.';
  return { ...diagnosis, level: 'warning', remedy };
}

function examineSandbox(): Diagnosis {
  try {
    import.meta.resolve('splwright-sandbox');
    return { subject, level: 'ok', finding: 'SOLANA_RPC_URLS is not set: the service runs on its sandbox.' };
  } catch {
    const finding = 'SOLANA_RPC_URLS is not set, and the sandbox is not installed.';
    return { subject, level: 'failure', finding, remedy: 'Set SOLANA_RPC_URLS, or install with npm ci.' };
  }
}

/** Returns the name of a public cluster; of another one its genesis hash. */
export function clusterNameOf(genesisHash: string): string {
  return clusterNames[genesisHash] ?? genesisHash;
}

function ofClusters(hashes: ReadonlySet<string>): readonly Diagnosis[] {
  if (hashes.size === 0) return [];
  const names = [...hashes].map(clusterNameOf).join(', ');
  if (hashes.size === 1) return [{ subject, level: 'ok', finding: `They are of the cluster ${names}.` }];
  const finding = `They are of different clusters: ${names}.`;
  return [{ subject, level: 'failure', finding, remedy: 'Name nodes of one cluster in SOLANA_RPC_URLS.' }];
}

function ofCount(usable: number, all: number, quorum: number): readonly Diagnosis[] {
  if (usable < quorum) {
    const finding = `${usable} of ${all} can be used, and ${quorum} must show a payment (UPSTREAM_QUORUM).`;
    return [{ subject, level: 'failure', finding, remedy: 'Name more nodes, or lower UPSTREAM_QUORUM.' }];
  }
  if (all > 1) return [];
  const finding = 'There is one node: it is trusted alone, and without it the service answers nothing.';
  return [{ subject, level: 'warning', finding, remedy: 'Name a second one of another provider in SOLANA_RPC_URLS.' }];
}

// The cluster's own clock is a vote of its validators, and some seconds off.
const maxClockSkewSeconds = 30;
const clockTimeOffset = 32;

// An outcome is asked for within the retention of an `Idempotency-Key`.
const minHistoryHours = 24;
const hourMs = 3_600_000;

const historyNeeded = 'outcomes of transfers and payment links, which are then unknown';

/** A node, and what its answers say. */
class ExaminedNode {
  readonly diagnoses: Diagnosis[] = [];
  genesisHash: string | undefined;
  readonly #name: string;
  readonly #transport: RpcTransport;
  readonly #timeoutMs: number;
  readonly #reasons = new Set<string>();

  /** `name` is `upstream_1`, `upstream_2` and so on: never its URL. */
  constructor(name: string, transport: RpcTransport, timeoutMs: number) {
    this.#name = name;
    this.#transport = transport;
    this.#timeoutMs = timeoutMs;
  }

  /** Calls the methods that the service needs, and notes which of them the node does not answer and what is then missing. */
  async examine(now: () => number): Promise<void> {
    const head = new ChainHead({ hasSeveralUpstreams: false, now });
    this.genesisHash = await this.#ask(genesisHashRequest);
    const startedAt = performance.now();
    const probe = await this.#ask(probeRequest(head));
    const tookMs = Math.round(performance.now() - startedAt);
    if (probe) {
      this.#compareClock(probe.accounts[0]?.data, now());
      this.diagnoses.unshift({
        subject: this.#name,
        level: 'ok',
        finding: `It answers in ${tookMs} ms, at slot ${probe.slot}.`,
      });
    }
    const blockhash = await this.#ask(blockhashRequest(head, () => undefined));
    if (blockhash) {
      await this.#ask(blockhashKnownRequest(blockhash.blockhash, head), 'a blockhash that the caller names');
    }
    await this.#ask(pricesRequest([clockSysvar]), 'priority fees by level');
    await this.#examineHistory();
    await this.#transport.close();
  }

  async #examineHistory(): Promise<void> {
    const finalized = await this.#ask(finalizedHeightRequest, historyNeeded);
    const first = await this.#ask(firstAvailableSlotRequest, historyNeeded);
    const [entry] = (await this.#ask(signaturesRequest(tokenProgram, { limit: 1 }), historyNeeded)) ?? [];
    if (finalized) await this.#ask(blockHeightRequest(finalized.slot), historyNeeded);
    if (entry) {
      await this.#ask(statusesRequest([entry.signature]), historyNeeded);
      await this.#ask(transactionRequest(entry.signature), historyNeeded);
    }
    const slotMs = await this.#ask(slotTimeRequest, 'an exact `Retry-After` where blocks must pass');
    // A ledger that begins with its first slot has all there is.
    if (!finalized || first === undefined || first <= 1n || !slotMs) return;
    const hours = (Number(finalized.slot - first) * slotMs) / hourMs;
    if (hours >= minHistoryHours) return;
    this.#warn(
      `It keeps about ${hours.toFixed(1)} hours of history; outcomes are asked for up to ${minHistoryHours} hours later.`,
      'Use a node with more history, or ask for outcomes sooner.',
    );
  }

  /** Compares the cluster's clock at the slot of a probe with the time of this machine. */
  #compareClock(clock: Uint8Array | undefined, nowMs: number): void {
    if (!clock || clock.length < clockTimeOffset + 8) return;
    const seconds = Number(new DataView(clock.buffer, clock.byteOffset).getBigInt64(clockTimeOffset, true));
    const skew = Math.round(nowMs / 1000 - seconds);
    if (Math.abs(skew) <= maxClockSkewSeconds) return;
    this.#warn(
      `This machine's clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the cluster's.`,
      'Set it by NTP: keys and payment links expire by it. If it is right, the node hangs.',
    );
  }

  /** Returns the answer of a method; undefined when it fails. `without` says what does not work then; absent: nothing works. */
  async #ask<T>(request: RpcRequest<T>, without?: string): Promise<T | undefined> {
    try {
      return await this.#transport.call(request, this.#timeoutMs);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      // A node that fails as a whole says so once.
      if (!this.#reasons.has(error.reason)) this.#note(request.method, error, without);
      this.#reasons.add(error.reason);
      return undefined;
    }
  }

  #note(method: string, { kind, reason }: UpstreamFault, without: string | undefined): void {
    const finding = `${method}: ${reason}.`;
    if (kind === 'rate_limited') this.#warn(finding, 'Use a plan for about 20 calls a second.');
    else if (without !== undefined) this.#warn(finding, `It is needed for ${without}.`);
    else {
      const remedy = 'Nothing works without it. Check the URL and its key, or use another node.';
      this.diagnoses.push({ subject: this.#name, level: 'failure', finding, remedy });
    }
  }

  #warn(finding: string, remedy: string): void {
    this.diagnoses.push({ subject: this.#name, level: 'warning', finding, remedy });
  }
}
