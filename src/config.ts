/** The configuration of the service, checked and frozen. */
export interface Config {
  host: string;
  port: number;
  /** Upstream RPC endpoints, the preferred one first; empty: the embedded sandbox. URLs may hold secrets. */
  solanaRpcUrls: readonly string[];
  sandboxRpcPort: number;
  databaseUrl: string;
  blockhashMaxAgeMilliseconds: number;
  /** How many slots an upstream's answer may be behind the newest one seen on any of them. */
  upstreamMaxSlotLag: number;
  rpcTimeoutMilliseconds: number;
  requestDeadlineMilliseconds: number;
  bodyLimitBytes: number;
  /** The most lamports that one transaction's priority fee may cost. */
  priorityFeeMaximumLamports: number;
  trustProxy: boolean;
  logLevel: LogLevel;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** How much the log says. */
export type LogLevel = (typeof logLevels)[number];

/** The environment variables that are read, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables, or reports every fault at once, one sentence each.
 *
 * An empty value counts as absent. No sentence repeats a value that may hold a secret.
 */
export function parseConfig(environment: Environment): { config: Config } | { faults: readonly string[] } {
  const faults: string[] = [];
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;

  const integer = (name: string, fallback: number, minimum: number, maximum: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    faults.push(`${name} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}.`);
    return fallback;
  };
  const oneOf = <T extends string>(name: string, fallback: T, choices: readonly T[]): T => {
    const text = read(name);
    const chosen = choices.find((choice) => choice === (text ?? fallback));
    if (chosen !== undefined) return chosen;
    faults.push(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}.`);
    return fallback;
  };

  const databaseUrl = read('DATABASE_URL') ?? 'sqlite:.splwright/keys.db';
  if (!/^sqlite:./.test(databaseUrl)) {
    faults.push('DATABASE_URL must be sqlite: and a path, such as sqlite:.splwright/keys.db.');
  }
  const config: Config = {
    host: read('HOST') ?? '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    solanaRpcUrls: readUrls(read('SOLANA_RPC_URLS'), faults),
    sandboxRpcPort: integer('SANDBOX_RPC_PORT', 8899, 0, 65_534),
    databaseUrl,
    blockhashMaxAgeMilliseconds: integer('BLOCKHASH_MAX_AGE_MS', 1000, 0, 20_000),
    upstreamMaxSlotLag: integer('UPSTREAM_MAX_SLOT_LAG', 10, 0, 1000),
    rpcTimeoutMilliseconds: integer('RPC_TIMEOUT_MS', 2000, 1, 60_000),
    requestDeadlineMilliseconds: integer('REQUEST_DEADLINE_MS', 5000, 1, 120_000),
    bodyLimitBytes: integer('BODY_LIMIT_BYTES', 16_384, 256, 1_048_576),
    priorityFeeMaximumLamports: integer('PRIORITY_FEE_MAX_LAMPORTS', 1_000_000, 0, 999_999_999),
    trustProxy: oneOf('TRUST_PROXY', 'false', ['false', 'true']) === 'true',
    logLevel: oneOf('LOG_LEVEL', 'info', logLevels),
  };
  return faults.length > 0 ? { faults } : { config: Object.freeze(config) };
}

function readUrls(text: string | undefined, faults: string[]): readonly string[] {
  const urls = text?.split(',').map((url) => url.trim()) ?? [];
  for (const [index, url] of urls.entries()) {
    const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isHttp) faults.push(`SOLANA_RPC_URLS: entry ${index + 1} is not an http:// or https:// URL.`);
  }
  return Object.freeze(urls);
}
