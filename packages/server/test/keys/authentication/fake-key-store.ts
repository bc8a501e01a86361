import { generateApiKey, hashApiKey } from '../../../src/app/api-key.ts';
import type { ApiKeyRecord } from '../../../src/keys/api-key-record.ts';
import { unrestricted } from '../../../src/keys/authenticated-key.ts';
import { Authenticator, type KeyVerdict } from '../../../src/keys/authentication/authenticator.ts';

/** A moment; the clock of `startAuthenticator` begins there. */
export const startTime = Date.parse('2026-11-21T12:00:00.000Z');

/** A key store under the control of a test. */
export class FakeKeyStore {
  readonly records = new Map<string, ApiKeyRecord>();
  /** The hashes of every query, in their order. */
  readonly queries: (readonly string[])[] = [];
  /** What queries wait for, and reject with. */
  gate: Promise<void> = Promise.resolve();
  error: Error | undefined;

  /** Adds a key and returns its text. */
  add(changes: Partial<ApiKeyRecord> = {}): string {
    const key = generateApiKey();
    const id = `key_${this.records.size}`;
    const times = { createdAt: new Date(startTime), expiresAt: null, revokedAt: null, lastUsedAt: null };
    const limits = { rateLimitPerMinute: null, restrictions: unrestricted };
    this.records.set(hashApiKey(key), {
      id,
      rootId: id,
      name: 'acme',
      prefix: key.slice(0, 10),
      ...times,
      ...limits,
      ...changes,
    });
    return key;
  }

  /** Changes a key, as another process would. */
  change(key: string, changes: Partial<ApiKeyRecord>): void {
    const hash = hashApiKey(key);
    const record = this.records.get(hash);
    if (!record) throw new Error('no such key');
    this.records.set(hash, { ...record, ...changes });
  }

  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyRecord>> {
    this.queries.push(hashes);
    const found = new Map([...this.records].filter(([hash]) => hashes.includes(hash)));
    const { error } = this;
    await this.gate;
    if (error) throw error;
    return found;
  }
}

/** An authenticator on a fake store and a clock that stands still until it is moved. */
export interface AuthenticatorUnderTest {
  store: FakeKeyStore;
  authenticator: Authenticator;
  /** Milliseconds since `START`, and how far the clock of the day was set from there. */
  clock: { elapsed: number; setBy: number };
  /** What was told of outages and recoveries, in order. */
  told: string[];
  /** Authenticates a key from an address. */
  authenticate(key: string, ip?: string): KeyVerdict | Promise<KeyVerdict>;
  /** The kind of the verdict, awaited. */
  kindOf(key: string, ip?: string): Promise<KeyVerdict['kind']>;
}

/** Makes an authenticator on a fake store, with a grace of 10 minutes. */
export function startAuthenticator(): AuthenticatorUnderTest {
  const store = new FakeKeyStore();
  const clock = { elapsed: 0, setBy: 0 };
  const told: string[] = [];
  const authenticator = new Authenticator({
    store,
    acceptsSandboxKey: false,
    now: () => startTime + clock.elapsed + clock.setBy,
    // The cache takes 0 for no time.
    elapsed: () => clock.elapsed + 1,
    onOutage: (error) => told.push(String(error)),
    onRecovery: () => told.push('recovered'),
  });
  const authenticate = (key: string, ip = '192.0.2.1'): KeyVerdict | Promise<KeyVerdict> =>
    authenticator.authenticate(key, { ip, socket: { remoteAddress: ip } });
  const kindOf = async (key: string, ip?: string): Promise<KeyVerdict['kind']> => (await authenticate(key, ip)).kind;
  return { store, authenticator, clock, told, authenticate, kindOf };
}

/** Lets everything happen that waits for nothing from outside. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
