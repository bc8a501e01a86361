import { unavailable } from './upstream-faults.ts';

/** The one ledger that all upstreams must serve, known by its genesis hash: that of the first upstream that tells. */
export class Cluster {
  #genesisHash: string | undefined;

  /** Takes note of the genesis hash of an upstream. Throws an `UpstreamFault` when it is not that of the others. */
  admit(genesisHash: string): void {
    this.#genesisHash ??= genesisHash;
    if (genesisHash === this.#genesisHash) return;
    const reason = `it is of the cluster with genesis hash ${genesisHash}, and not ${this.#genesisHash} as the others`;
    throw unavailable('other_cluster', reason);
  }
}
