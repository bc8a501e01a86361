/** The configuration of the service, checked and frozen. */
export interface Config {
  host: string;
  port: number;
  /** Upstream RPC endpoints, the preferred one first; empty: the embedded sandbox. URLs may hold secrets. */
  solanaRpcUrls: readonly string[];
  sandboxRpcPort: number;
  databaseUrl: string;
  /** How long keys used before are accepted while the key store does not answer. */
  keyStoreGraceMs: number;
  blockhashMaxAgeMs: number;
  /** How many slots an upstream's answer may be behind the newest one seen on any of them. */
  upstreamMaxSlotLag: number;
  /** How many upstreams must give the same answer; 1: the first good answer counts. */
  upstreamQuorum: number;
  rpcTimeoutMs: number;
  requestDeadlineMs: number;
  bodyLimitBytes: number;
  /** How long requests are still served after the signal to stop, before the listener closes. */
  drainMs: number;
  /** How many transfers may be built at the same time; more are refused. */
  maxRequestsInFlight: number;
  /** How many connections may be open at the same time; more are closed at once. */
  maxConnections: number;
  /** Requests per minute of a key that has no limit of its own; 0 for no limit. */
  rateLimitPerMinute: number;
  /** Where replicas share the limits; empty: in memory. Several are nodes of one Redis Cluster. Passwords are secrets. */
  redisUrls: readonly string[];
  /** How much the priority fee of one transaction may cost. */
  maxPriorityFeeLamports: number;
  /** How many proxies in front write `X-Forwarded-*` headers; 0: the headers are ignored. */
  trustedProxies: number;
  /** How many processes share the port; `auto`: one for each processor core. */
  workers: number | 'auto';
  /** The port of the metrics; 0: none; `undefined`: the usual port if it is free, or none on the sandbox. */
  metricsPort: number | undefined;
  metricsHost: string;
  logLevel: LogLevel;
}

/** One variable of the environment, as it is documented. */
export interface Variable {
  name: string;
  /** Its text when it is absent or empty, if it has a default. */
  default?: string;
  /** The meaning of an absent or empty text, if it has no default. */
  none?: string;
  /** Its purpose in a few words. */
  meaning: string;
  /** Whether its text holds URLs, which may contain passwords or tokens. */
  mayHoldSecrets?: true;
}

const knownVariables = [
  { name: 'PORT', default: '3000', meaning: 'the port it listens on; 0 picks a free one' },
  { name: 'HOST', default: '127.0.0.1', meaning: 'the address it listens on' },
  {
    name: 'SOLANA_RPC_URLS',
    none: 'the sandbox',
    meaning: 'RPC endpoints to read the chain from, separated by commas, the preferred one first',
    mayHoldSecrets: true,
  },
  {
    name: 'SANDBOX_RPC_PORT',
    default: '8899',
    meaning: "the sandbox's JSON-RPC, its WebSocket on the next port; 0 picks free ones",
  },
  {
    name: 'DATABASE_URL',
    default: 'sqlite:.splwright/keys.db',
    meaning: 'where API keys are kept: `sqlite:` and a path, or a `postgres://` URL',
    mayHoldSecrets: true,
  },
  {
    name: 'KEY_STORE_GRACE_MS',
    default: '600000',
    meaning: 'how long recently used keys keep working while the database does not answer',
  },
  { name: 'RATE_LIMIT_PER_MINUTE', default: '600', meaning: 'requests per minute of one API key; 0 for no limit' },
  {
    name: 'REDIS_URL',
    none: 'in memory',
    meaning:
      'Redis or Valkey through which replicas share the limits; several URLs, separated by commas, for a Redis Cluster',
    mayHoldSecrets: true,
  },
  { name: 'BLOCKHASH_MAX_AGE_MS', default: '1000', meaning: 'the maximum age of the blockhash in a reply' },
  {
    name: 'UPSTREAM_MAX_SLOT_LAG',
    default: '10',
    meaning: 'how many slots an answer may be behind the newest one seen',
  },
  {
    name: 'UPSTREAM_QUORUM',
    default: '1',
    meaning: 'how many upstreams must give the same answer; with 1 the first good answer counts',
  },
  { name: 'RPC_TIMEOUT_MS', default: '2000', meaning: 'how long one upstream call may take' },
  { name: 'REQUEST_DEADLINE_MS', default: '5000', meaning: 'how long a whole request may take' },
  {
    name: 'DRAIN_MS',
    default: '3000',
    meaning: 'how long it keeps serving after `SIGTERM`, while `/readyz` fails and connections are told to close',
  },
  { name: 'BODY_LIMIT_BYTES', default: '16384', meaning: 'larger bodies are refused' },
  {
    name: 'MAX_REQUESTS_IN_FLIGHT',
    default: '4000',
    meaning: 'how many transfers may be built at the same time; more are refused',
  },
  {
    name: 'MAX_CONNECTIONS',
    default: '20000',
    meaning: 'how many connections may be open at the same time; more are closed at once',
  },
  {
    name: 'PRIORITY_FEE_MAX_LAMPORTS',
    default: '1000000',
    meaning: 'the maximum cost of the priority fee of one transaction',
  },
  {
    name: 'TRUST_PROXY',
    default: 'false',
    meaning: 'how many proxies in front are trusted to set `X-Forwarded-*` headers: false, true for one, or a number',
  },
  { name: 'WORKERS', default: '1', meaning: 'how many processes share the port; auto for one per processor core' },
  { name: 'METRICS_PORT', none: '9464, off on the sandbox', meaning: 'the port of `/metrics`; 0 for no metrics' },
  { name: 'METRICS_HOST', default: '127.0.0.1', meaning: 'the address that `/metrics` listens on' },
  { name: 'LOG_LEVEL', default: 'info', meaning: 'trace, debug, info, warn, error, fatal or silent' },
] as const satisfies readonly Variable[];

type VariableName = (typeof knownVariables)[number]['name'];

/** Every variable that is read. A test compares the README's table and `.env.example` with it. */
export const variables: readonly Variable[] = knownVariables;

const maxTrustedProxies = 10;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The level of the log. */
export type LogLevel = (typeof logLevels)[number];

/** The environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the text of a variable without surrounding white space, or its default; an empty text counts as absent. */
export function readVariable(environment: Environment, variable: Variable): string | undefined {
  return environment[variable.name]?.trim() || variable.default;
}

/**
 * Reads the configuration from environment variables, or reports every error at once, one sentence each.
 *
 * No sentence repeats a value that may hold a secret.
 */
export function parseConfig(environment: Environment): { config: Config } | { faults: readonly string[] } {
  const faults: string[] = [];
  const read = (name: VariableName): string => {
    const variable = variables.find((known) => known.name === name);
    return (variable && readVariable(environment, variable)) ?? '';
  };

  const integer = (name: VariableName, min: number, max: number): number => {
    const text = read(name);
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    faults.push(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
    return min;
  };
  const oneOf = <T extends string>(name: VariableName, choices: readonly [T, ...T[]]): T => {
    const text = read(name);
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) return chosen;
    faults.push(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}.`);
    return choices[0];
  };

  const databaseUrl = read('DATABASE_URL');
  if (!/^sqlite:./.test(databaseUrl) && !(/^postgres(?:ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl))) {
    faults.push(
      'DATABASE_URL must be sqlite: and a path, such as sqlite:.splwright/keys.db, or a postgres:// URL, such as ' +
        'postgres://user:password@host/database with its password percent-encoded.',
    );
  }
  const redisUrls = readList(read('REDIS_URL'));
  if (!redisUrls.every((url) => URL.canParse(url) && /^rediss?:\/\/./.test(url))) {
    faults.push(
      'REDIS_URL must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379, or several with commas between ' +
        'them for the nodes of a Redis Cluster.',
    );
  }
  const config: Config = {
    host: read('HOST'),
    port: integer('PORT', 0, 65_535),
    solanaRpcUrls: readUrls(read('SOLANA_RPC_URLS'), faults),
    sandboxRpcPort: integer('SANDBOX_RPC_PORT', 0, 65_534),
    databaseUrl,
    keyStoreGraceMs: integer('KEY_STORE_GRACE_MS', 0, 86_400_000),
    blockhashMaxAgeMs: integer('BLOCKHASH_MAX_AGE_MS', 0, 20_000),
    upstreamMaxSlotLag: integer('UPSTREAM_MAX_SLOT_LAG', 0, 1000),
    upstreamQuorum: integer('UPSTREAM_QUORUM', 1, 16),
    rpcTimeoutMs: integer('RPC_TIMEOUT_MS', 1, 60_000),
    requestDeadlineMs: integer('REQUEST_DEADLINE_MS', 1, 120_000),
    drainMs: integer('DRAIN_MS', 0, 600_000),
    bodyLimitBytes: integer('BODY_LIMIT_BYTES', 256, 1_048_576),
    maxRequestsInFlight: integer('MAX_REQUESTS_IN_FLIGHT', 1, 1_000_000),
    maxConnections: integer('MAX_CONNECTIONS', 1, 1_000_000),
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE', 0, 100_000_000),
    redisUrls,
    maxPriorityFeeLamports: integer('PRIORITY_FEE_MAX_LAMPORTS', 0, 999_999_999),
    trustedProxies: readTrustedProxies(read('TRUST_PROXY'), faults),
    workers: read('WORKERS') === 'auto' ? 'auto' : integer('WORKERS', 1, 256),
    metricsPort: read('METRICS_PORT') === '' ? undefined : integer('METRICS_PORT', 0, 65_535),
    metricsHost: read('METRICS_HOST'),
    logLevel: oneOf('LOG_LEVEL', logLevels),
  };
  const upstreams = new Set(config.solanaRpcUrls).size;
  if (config.upstreamQuorum > 1 && config.upstreamQuorum > upstreams) {
    faults.push(
      `UPSTREAM_QUORUM is ${config.upstreamQuorum}, and SOLANA_RPC_URLS names ${upstreams} different endpoints. Name more, or ` +
        'ask fewer to agree.',
    );
  }
  return faults.length > 0 ? { faults } : { config: Object.freeze(config) };
}

function readList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

function readTrustedProxies(text: string, faults: string[]): number {
  if (text === 'false') return 0;
  if (text === 'true') return 1;
  const count = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= maxTrustedProxies) return count;
  faults.push(
    `TRUST_PROXY must be false, true, or the number of proxies from 0 to ${maxTrustedProxies}, not ${JSON.stringify(text)}.`,
  );
  return 0;
}

function readUrls(text: string, faults: string[]): readonly string[] {
  const urls = readList(text);
  for (const [index, url] of urls.entries()) {
    const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isHttp) faults.push(`SOLANA_RPC_URLS: entry ${index + 1} is not an http:// or https:// URL.`);
  }
  return Object.freeze(urls);
}
