import type { Config } from '../../config/config.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type ExaminedNode, examineNode, type NodeLimits } from './examine-node.ts';

// The genesis hashes of the public clusters.
const clusters: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

type UpstreamSettings = Pick<Config, 'solanaRpcUrls' | 'rpcTimeoutMs' | 'upstreamMaxSlotLag' | 'upstreamQuorum'>;

/** Examines each Solana node, and how they go together. */
export async function examineUpstreams(
  { solanaRpcUrls, rpcTimeoutMs, upstreamMaxSlotLag, upstreamQuorum }: UpstreamSettings,
  now: () => number,
): Promise<readonly Diagnosis[]> {
  if (solanaRpcUrls.length === 0) return [await examineSandbox()];
  const limits: NodeLimits = { timeoutMs: rpcTimeoutMs, now };
  const nodes = await Promise.all(solanaRpcUrls.map((url, index) => examineNode(`upstream_${index + 1}`, url, limits)));
  const usable = nodes.filter(({ diagnoses }) => diagnoses.every(({ level }) => level !== 'failure'));
  return [
    ...nodes.flatMap(({ diagnoses }) => diagnoses),
    ...ofClusters(nodes),
    ...ofLags(nodes, upstreamMaxSlotLag),
    ...ofCount(usable.length, nodes.length, upstreamQuorum),
  ];
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

function ofLags(nodes: readonly ExaminedNode[], maxSlotLag: number): readonly Diagnosis[] {
  const newest = nodes.reduce((slot, node) => (node.slot !== undefined && node.slot > slot ? node.slot : slot), 0n);
  return nodes.flatMap(({ name, slot }) => {
    const lag = slot === undefined ? 0n : newest - slot;
    if (lag <= BigInt(maxSlotLag)) return [];
    const finding = `It is ${lag} slots behind the newest node; UPSTREAM_MAX_SLOT_LAG is ${maxSlotLag}.`;
    return [
      { subject: name, level: 'warning', finding, remedy: 'Its answers are not used while it is behind.' } as const,
    ];
  });
}

function ofCount(usable: number, all: number, quorum: number): readonly Diagnosis[] {
  const subject = 'upstreams';
  if (usable < quorum) {
    const finding = `${usable} of ${all} can be used, and ${quorum} must agree.`;
    return [{ subject, level: 'failure', finding, remedy: 'Name more nodes, or lower UPSTREAM_QUORUM.' }];
  }
  if (all > 1) return [];
  const finding = 'There is one node: it is trusted alone, and without it the service answers nothing.';
  return [{ subject, level: 'warning', finding, remedy: 'Name a second one of another provider in SOLANA_RPC_URLS.' }];
}
