/** A blockhash and how long it lives. */
export interface BlockhashLifetime {
  blockhash: string;
  /** The last block height at which a transaction with this blockhash can land. */
  lastValidBlockHeight: bigint;
}

/** What a transaction lives by: a blockhash for some 150 blocks, or a nonce until it is advanced. */
export type Lifetime = BlockhashLifetime | { nonce: string };
