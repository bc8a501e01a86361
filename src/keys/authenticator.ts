import { checkApiKeyFormat, hashApiKey } from './api-key.ts';
import type { KeyStore } from './key-store.ts';
import { sandboxApiKey } from './sandbox-key.ts';

/** What a key is worth: `invalid` keys are unknown, revoked or expired, which look the same to the caller. */
export type KeyVerdict = 'valid' | 'not_a_key' | 'checksum_mismatch' | 'invalid';

/** Says whether a key may use the service now. */
export interface Authenticator {
  /** `remoteAddress` is the peer of the socket itself, never what a proxy's header says. */
  authenticate(key: string, remoteAddress: string | undefined): Promise<KeyVerdict>;
}

/** What an authenticator of stored keys stands on. */
export interface AuthenticatorOptions {
  store: KeyStore;
  now: () => Date;
  /** Whether the well-known sandbox key is accepted from loopback. */
  acceptsSandboxKey: boolean;
}

/** Makes an authenticator that asks the store for every key, so that a new or revoked key counts at once. */
export function createAuthenticator({ store, now, acceptsSandboxKey }: AuthenticatorOptions): Authenticator {
  return {
    async authenticate(key, remoteAddress) {
      const format = checkApiKeyFormat(key);
      if (format !== 'ok') return format;
      if (key === sandboxApiKey) return acceptsSandboxKey && isLoopback(remoteAddress) ? 'valid' : 'invalid';
      return (await store.findActiveByHash(hashApiKey(key), now())) ? 'valid' : 'invalid';
    },
  };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}
