import { type ApiKeyRecord, apiKeyStatus } from '../../src/keys/api-key-record.ts';
import type { Store } from '../../src/serve/store/store.ts';

/** The key with this hash, unless it is revoked, or expired at `now`. */
export async function findActiveByHash(store: Store, hash: string, now: Date): Promise<ApiKeyRecord | undefined> {
  const record = (await store.findByHashes([hash])).get(hash);
  return record && apiKeyStatus(record, now) === 'active' ? record : undefined;
}
