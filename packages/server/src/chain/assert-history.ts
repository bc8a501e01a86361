import type { Address } from 'splwright-core';
import type { ChainHistory } from './chain-history.ts';
import type { Deadline } from './chain-reader.ts';
import { unavailable } from './upstream-faults.ts';

/** Throws the fault of the preferred node when no node lists what an address was used for. */
export async function assertHistory(history: ChainHistory, address: Address, deadline: Deadline): Promise<void> {
  const nodes = history.nodes();
  const [preferred, ...others] = nodes;
  if (!preferred) throw unavailable('connection', 'no node is configured');
  const ask = (node: (typeof nodes)[number]) => node.readSignatures(address, { limit: 1 }, deadline);
  try {
    await ask(preferred);
  } catch (error) {
    await Promise.any(others.map(ask)).catch(() => {
      throw error;
    });
  }
}
