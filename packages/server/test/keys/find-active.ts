import { type ApiKeyRecord, apiKeyStatus, type KeyStore } from '../../src/store/key-store.ts';

/** The key with this hash, unless it is revoked, or expired at `now`. */
export async function findActiveByHash(store: KeyStore, hash: string, now: Date): Promise<ApiKeyRecord | undefined> {
  const record = (await store.findByHashes([hash])).get(hash);
  return record && apiKeyStatus(record, now) === 'active' ? record : undefined;
}
