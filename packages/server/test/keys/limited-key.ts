import { type KeyRestrictions, unrestricted } from '../../src/keys/authenticated-key.ts';
import type { Store } from '../../src/serve/store/store.ts';

/** A key that a test has made. */
export interface LimitedKey {
  id: string;
  key: string;
  /** What a request with the key has. */
  headers: Record<string, string>;
}

/** Makes a key that is limited by these restrictions, and by no others. */
export async function createLimitedKey(
  store: Pick<Store, 'create'>,
  restrictions: Partial<KeyRestrictions> = {},
): Promise<LimitedKey> {
  const whole = { ...unrestricted, ...restrictions };
  const { key, record } = await store.create({ name: 'limited', expiresAt: null, restrictions: whole });
  return { id: record.id, key, headers: { authorization: `Bearer ${key}` } };
}
