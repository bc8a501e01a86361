import { unavailable } from '../upstream-faults.ts';

/** The ledger that all upstreams must serve, identified by the genesis hash of the first upstream that answers. */
export class Cluster {
  #genesisHash: string | undefined;

  /** Compares the genesis hash of an upstream with that of the others. Throws an `UpstreamFault` when it differs. */
  admit(genesisHash: string): void {
    this.#genesisHash ??= genesisHash;
    if (genesisHash === this.#genesisHash) return;
    const reason = `it is of the cluster with genesis hash ${genesisHash}, and not ${this.#genesisHash} as the others`;
    throw unavailable('other_cluster', reason);
  }
}
