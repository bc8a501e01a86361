import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import type { HistoryEntry } from '../../../packages/server/src/chain/chain-history.ts';
import type { Cluster } from './cluster.ts';

/** Payments of others that a node lists, spread evenly over slots of the ledger, oldest first; each has a memo of its own. */
export function spamOf(count: number, cluster: Cluster, { from, to }: { from: bigint; to: bigint }): HistoryEntry[] {
  const span = to > from ? to - from : 1n;
  return Array.from({ length: count }, (_, index) => {
    const ledgerSlot = from + (BigInt(index) * span) / BigInt(count);
    return {
      signature: signatureOf(index),
      slot: cluster.slotOf(ledgerSlot),
      error: null,
      commitment: 'confirmed',
      memo: `[${`spam ${index}`.length}] spam ${index}`,
      blockTime: null,
    };
  });
}

const signatures: string[] = [];

function signatureOf(index: number): string {
  signatures[index] ??= getBase58Decoder().decode(createHash('sha512').update(`spam ${index}`).digest());
  return signatures[index];
}
