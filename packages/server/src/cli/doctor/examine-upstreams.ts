import { clockSysvar, tokenProgram } from 'splwright-core';
import { ChainHead, maxSlotLag } from '../../chain/chain-head.ts';
import type { AccountsAtSlot } from '../../chain/chain-reader.ts';
import {
  blockhashKnownRequest,
  blockhashRequest,
  genesisHashRequest,
  healthRequest,
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
import { type ProxySettings, type RpcRequest, RpcTransport } from '../../chain/rpc-transport.ts';
import { UpstreamFault } from '../../chain/upstream-faults.ts';
import type { Config } from '../../config.ts';
import type { Diagnosis } from './diagnosis.ts';

// The genesis hashes of the public clusters.
const clusters: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

type UpstreamSettings = Pick<Config, 'solanaRpcUrls' | 'proxy' | 'rpcTimeoutMs' | 'upstreamQuorum'>;

/** Examines each Solana node, and how they go together. */
export async function examineUpstreams(
  { solanaRpcUrls, proxy, rpcTimeoutMs, upstreamQuorum }: UpstreamSettings,
  now: () => number,
): Promise<readonly Diagnosis[]> {
  if (solanaRpcUrls.length === 0) return [await examineSandbox()];
  const limits: NodeLimits = { timeoutMs: rpcTimeoutMs, proxy, now };
  const nodes = await Promise.all(solanaRpcUrls.map((url, index) => examineNode(`upstream_${index + 1}`, url, limits)));
  const usable = nodes.filter(({ diagnoses }) => diagnoses.every(({ level }) => level !== 'failure'));
  const ofNodes = nodes.flatMap(({ diagnoses }) => diagnoses);
  return [
    ...(usable.length > 0 ? ofNodes.map(asDispensable) : ofNodes),
    ...ofClusters(nodes),
    ...ofLags(nodes),
    ...ofCount(usable.length, nodes.length, upstreamQuorum),
  ];
}

/** What the service can do without while other nodes are enough. */
function asDispensable(diagnosis: Diagnosis): Diagnosis {
  if (diagnosis.level !== 'failure') return diagnosis;
  const remedy = 'The service runs on the others. Check the URL of this node and its key, or use another node.';
  return { ...diagnosis, level: 'warning', remedy };
}

async function examineSandbox(): Promise<Diagnosis> {
  const subject = 'upstreams';
  try {
    import.meta.resolve('splwright-sandbox');
    return { subject, level: 'ok', finding: 'SOLANA_RPC_URLS is not set: the service runs on its sandbox.' };
  } catch {
    const finding = 'SOLANA_RPC_URLS is not set, and the sandbox is not installed.';
    return { subject, level: 'failure', finding, remedy: 'Set SOLANA_RPC_URLS, or install with npm ci.' };
  }
}

function ofClusters(nodes: readonly ExaminedNode[]): readonly Diagnosis[] {
  const subject = 'upstreams';
  const hashes = [...new Set(nodes.flatMap(({ genesisHash }) => genesisHash ?? []))];
  const [hash] = hashes;
  if (hash === undefined) return [];
  const names = hashes.map((each) => clusters[each] ?? each).join(', ');
  if (hashes.length > 1) {
    const finding = `They are of different clusters: ${names}.`;
    return [{ subject, level: 'failure', finding, remedy: 'Name nodes of one cluster in SOLANA_RPC_URLS.' }];
  }
  return [{ subject, level: 'ok', finding: `They are of the cluster ${names}.` }];
}

function ofLags(nodes: readonly ExaminedNode[]): readonly Diagnosis[] {
  const newest = nodes.reduce((slot, node) => (node.slot !== undefined && node.slot > slot ? node.slot : slot), 0n);
  return nodes.flatMap(({ name, slot }) => {
    const lag = slot === undefined ? 0n : newest - slot;
    if (lag <= maxSlotLag) return [];
    const finding = `It is ${lag} slots behind the newest node; ${maxSlotLag} are allowed.`;
    return [
      { subject: name, level: 'warning', finding, remedy: 'Its answers are not used while it is behind.' } as const,
    ];
  });
}

function ofCount(usable: number, all: number, quorum: number): readonly Diagnosis[] {
  const subject = 'upstreams';
  if (usable < quorum) {
    const finding = `${usable} of ${all} can be used, and ${quorum} must show a payment (UPSTREAM_QUORUM).`;
    return [{ subject, level: 'failure', finding, remedy: 'Name more nodes, or lower UPSTREAM_QUORUM.' }];
  }
  if (all > 1) return [];
  const finding = 'There is one node: it is trusted alone, and without it the service answers nothing.';
  return [{ subject, level: 'warning', finding, remedy: 'Name a second one of another provider in SOLANA_RPC_URLS.' }];
}

/** A node, and what its answers say. */
interface ExaminedNode {
  /** `upstream_1`, `upstream_2` and so on: never its URL. */
  name: string;
  /** Undefined where it did not answer. */
  genesisHash: string | undefined;
  /** The confirmed slot of one of its answers. */
  slot: bigint | undefined;
  diagnoses: readonly Diagnosis[];
}

/** How a node is examined. */
interface NodeLimits {
  /** How long one call may take. */
  timeoutMs: number;
  proxy?: ProxySettings | undefined;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

// The cluster's own clock is a vote of its validators, and some seconds off.
const maxClockSkewSeconds = 30;
const clockTimeOffset = 32;

// An outcome is asked for within the retention of an `Idempotency-Key`, which is a day unless it is configured.
const minHistoryHours = 24;
const hourMs = 3_600_000;

const historyNeeded = 'outcomes of transfers and payment links, which are then unknown';

/** Calls every method that the service uses, and says which of them a node does not answer and what is then missing. */
async function examineNode(name: string, url: string, { timeoutMs, proxy, now }: NodeLimits): Promise<ExaminedNode> {
  const transport = new RpcTransport({ url, timeoutMs, proxy });
  const head = new ChainHead({ hasSeveralUpstreams: false, now });
  const diagnoses: Diagnosis[] = [];
  let limited = 0;
  const failed = new Map<string, string>();

  /** Returns the answer of a method; undefined when it fails. `without` says what does not work then; absent: nothing works. */
  const ask = async <T>(request: RpcRequest<T>, without?: string): Promise<T | undefined> => {
    try {
      return await transport.call(request, timeoutMs);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === 'rate_limited') limited++;
      // A node that fails as a whole says so once.
      else if (!failed.has(error.reason)) diagnoses.push(ofFault(name, request.method, error.reason, without));
      failed.set(error.reason, request.method);
      return undefined;
    }
  };

  try {
    const genesisHash = await ask(genesisHashRequest);
    const startedAt = performance.now();
    const probe = await ask(probeRequest(head));
    const tookMs = Math.round(performance.now() - startedAt);
    const askedAt = now();
    await ask(healthRequest, 'nothing, but it does not call itself healthy');
    const blockhash = await ask(blockhashRequest(head, () => undefined));
    if (blockhash) await ask(blockhashKnownRequest(blockhash.blockhash, head), 'a blockhash that the caller names');
    await ask(pricesRequest([clockSysvar]), 'priority fees by level');
    await examineHistory(name, ask, diagnoses);
    if (probe) {
      diagnoses.unshift({ subject: name, level: 'ok', finding: `It answers in ${tookMs} ms, at slot ${probe.slot}.` });
      diagnoses.push(...ofClock(name, probe, askedAt));
    }
    if (limited > 0) {
      const finding = `It refused ${limited} of about 15 calls because of its rate limit.`;
      const remedy = 'Use a plan with a higher limit: the service makes up to about 20 calls a second.';
      diagnoses.push({ subject: name, level: 'warning', finding, remedy });
    }
    return { name, genesisHash, slot: probe?.slot, diagnoses };
  } finally {
    await transport.close();
  }
}

type Ask = <T>(request: RpcRequest<T>, without?: string) => Promise<T | undefined>;

async function examineHistory(name: string, ask: Ask, diagnoses: Diagnosis[]): Promise<void> {
  const finalized = await ask(finalizedHeightRequest, historyNeeded);
  const first = await ask(firstAvailableSlotRequest, historyNeeded);
  const entries = await ask(signaturesRequest(tokenProgram, { limit: 1 }), historyNeeded);
  if (finalized) await ask(blockHeightRequest(finalized.slot), historyNeeded);
  const [entry] = entries ?? [];
  if (entry) {
    await ask(statusesRequest([entry.signature]), historyNeeded);
    await ask(transactionRequest(entry.signature), historyNeeded);
  }
  const slotMs = await ask(slotTimeRequest, 'an exact `Retry-After` where blocks must pass');
  // A ledger that begins with its first slot has all there is.
  if (!finalized || first === undefined || first <= 1n || !slotMs) return;
  const hours = (Number(finalized.slot - first) * slotMs) / hourMs;
  if (hours >= minHistoryHours) return;
  const finding = `It keeps about ${hours.toFixed(1)} hours of history; outcomes are asked for up to ${minHistoryHours} hours later.`;
  const remedy = 'Use a node with more history, or ask for outcomes sooner.';
  diagnoses.push({ subject: name, level: 'warning', finding, remedy });
}

function ofFault(subject: string, method: string, reason: string, without: string | undefined): Diagnosis {
  const finding = `${method}: ${reason}.`;
  if (without === undefined) {
    return {
      subject,
      level: 'failure',
      finding,
      remedy: 'Nothing works without it. Check the URL and its key, or use another node.',
    };
  }
  return { subject, level: 'warning', finding, remedy: `It is needed for ${without}.` };
}

/** Compares the cluster's clock at the slot of a probe with the time of this machine. */
function ofClock(
  subject: string,
  { slot, accounts: [clock] }: AccountsAtSlot,
  askedAtMs: number,
): readonly Diagnosis[] {
  const data = clock?.data;
  if (!data || data.length < clockTimeOffset + 8) return [];
  const seconds = Number(new DataView(data.buffer, data.byteOffset).getBigInt64(clockTimeOffset, true));
  const skew = Math.round(askedAtMs / 1000 - seconds);
  if (Math.abs(skew) <= maxClockSkewSeconds) return [];
  const remedy = `Set it by NTP: keys and payment links expire by it. If it is right, the node hangs at slot ${slot}.`;
  const finding = `This machine's clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the cluster's.`;
  return [{ subject, level: 'warning', finding, remedy }];
}
