import type { ChainReader } from '../../chain/chain-reader.ts';
import type { Config } from '../../config/config.ts';
import { KeyedRequests, type KeyedRequestsOptions } from '../../idempotency/keyed-requests.ts';
import type { KeyStore } from '../../keys/store/key-store.ts';

/** What requests with an `Idempotency-Key` are answered with. */
export interface KeyedRequestsParts extends Pick<KeyedRequestsOptions, 'outcomes' | 'ledger'> {
  config: Config;
  store: Pick<KeyStore, 'idempotency'>;
  reader: Pick<ChainReader, 'readBlockhash'>;
}

/** A build ends with its deadline; storing its reply takes some time more. */
const leaseReserveMs = 2000;
/** How many blocks after its own a transaction with a blockhash can land (`MAX_PROCESSING_AGE`). */
const blockhashLife = 150n;
const hourMs = 3_600_000;
const bytesPerMib = 1_048_576;

/** Makes what answers requests with an `Idempotency-Key`. */
export function createKeyedRequests({ config, store, reader, ...parts }: KeyedRequestsParts): KeyedRequests {
  return new KeyedRequests({
    ...parts,
    store: store.idempotency,
    // The newest blockhash is read for every build, so that this costs no call of its own.
    readBlockHeight: async (deadline) => (await reader.readBlockhash(deadline)).lastValidBlockHeight - blockhashLife,
    now: () => Date.now(),
    leaseReserveMs,
    timeLeftMs: (deadline) => deadline - performance.now(),
    retentionMs: config.idempotencyRetentionHours * hourMs,
    maxStoredBytes: config.idempotencyMaxMibPerKey * bytesPerMib,
  });
}
