import { type Brand, readBrand } from './config/brand.ts';
import {
  type ProxyConfig,
  readAdminKey,
  readDatabaseUrl,
  readIconOrigins,
  readOrigins,
  readProxy,
  readPublicUrl,
  readRedisUrl,
  readSponsor,
  readUrls,
  type SponsorConfig,
} from './config/read-values.ts';
import { type Environment, type NumberName, readVariable, type VariableName, variables } from './config/variables.ts';

/** Bounds that are the same in every deployment; tests lower them. */
export const bounds = {
  /** Of routes without a bound of their own. */
  bodyLimitBytes: 16_384,
  /** How many transfers may be built at the same time; more are refused. */
  maxRequestsInFlight: 4_000,
  /** How many connections may be open at the same time; more are closed at once. */
  maxConnections: 20_000,
  /** How many open payment links a key, with those that it replaced, may have. */
  maxOpenLinksPerKey: 10_000,
  /** How often per second the chain is asked about payment links. */
  paymentChecksPerSecond: 20,
  /** How old the blockhash in a reply may be; 0: none is kept, which tests need that move a ledger by hand. */
  blockhashMaxAgeMs: 1_000,
  /** How many bytes the stored replies of one API key may take. */
  maxStoredReplyBytes: 2_147_483_648,
};

/** The bounds, whatever they are. */
export type Bounds = typeof bounds;

/** The configuration of the service, checked and frozen. */
export interface Config extends Bounds {
  host: string;
  port: number;
  /** Upstream RPC endpoints, the preferred one first; empty: the embedded sandbox. URLs may hold secrets. */
  solanaRpcUrls: readonly string[];
  /** How upstreams of `https://` are reached; `undefined`: directly. */
  proxy: ProxyConfig | undefined;
  sandboxRpcPort: number;
  /** Whether the sandbox preflights at `finalized` when no commitment is given, as nodes do. */
  sandboxStrictPreflight: boolean;
  databaseUrl: string;
  /** The secret that manages API keys over HTTP; `undefined`: only commands do. */
  adminKey: string | undefined;
  /** How long usage and ended payment links are kept; 0 for ever. */
  retentionDays: number;
  /** How many upstreams must show a payment before it counts as landed. */
  upstreamQuorum: number;
  /** How long one upstream call may take. */
  rpcTimeoutMs: number;
  requestDeadlineMs: number;
  /** The origins whose pages may read replies; `*` is any. */
  corsOrigins: readonly string[];
  /** How long requests are still served after the signal to stop, before the listener closes. */
  drainMs: number;
  /** Requests per minute of a key that has no limit of its own; 0 for no limit. */
  rateLimitPerMinute: number;
  /** The origin under which payers reach the service; `undefined`: its own address on the sandbox, no links on a real network. */
  publicUrl: string | undefined;
  /** Whether there is a console at `/`. */
  hasPages: boolean;
  /** Whether there are tools for agents at `/mcp`. */
  hasMcp: boolean;
  /** Requests per minute of one client address to payment links; 0 for no limit. */
  payRateLimitPerMinute: number;
  /** The origins from which the page of a payment link may load its icon. */
  payIconOrigins: readonly string[];
  /** The shop as payers see it. */
  payBrand: Brand;
  /** The server that signs as fee payer; `undefined`: there is none. */
  sponsor: SponsorConfig | undefined;
  /** Where replicas share the limits; `undefined`: in memory. It may hold a password. */
  redisUrl: string | undefined;
  /** How many proxies in front write `X-Forwarded-*` headers; 0: the headers are ignored. */
  trustedProxies: number;
  /** How many processes share the port; `auto`: one for each processor core. */
  workers: number | 'auto';
  /** The port of the metrics; 0: none; `undefined`: the usual port if it is free, or none on the sandbox. */
  metricsPort: number | undefined;
  metricsHost: string;
  logLevel: LogLevel;
}

/** Two calls, one after the other, and a rest. */
const rpcTimeoutPerDeadline = 0.4;

const networkDatabase = 'sqlite:.splwright/keys.db';
/** A file of its own: it is emptied of records at each start. */
export const sandboxDatabase = 'sqlite:.splwright/sandbox.db';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The level of the log. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Reads the configuration from environment variables, or reports every error at once, one sentence each.
 *
 * No sentence repeats a value that may hold a secret.
 */
export function parseConfig(environment: Environment): { config: Config } | { faults: readonly string[] } {
  const faults: string[] = [];
  const variableOf = (name: VariableName) => variables.find((known) => known.name === name);
  const read = (name: VariableName): string => {
    const variable = variableOf(name);
    return (variable && readVariable(environment, variable)) ?? '';
  };
  const integer = (name: NumberName): number => {
    const [min, max] = variableOf(name)?.range ?? [0, 0];
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

  const solanaRpcUrls = readUrls(read('SOLANA_RPC_URLS'), faults);
  const named = readDatabaseUrl(read('DATABASE_URL'), faults);
  const requestDeadlineMs = integer('REQUEST_DEADLINE_MS');
  const databaseUrl = named || (solanaRpcUrls.length === 0 ? sandboxDatabase : networkDatabase);
  const config: Config = {
    ...bounds,
    host: read('HOST'),
    port: integer('PORT'),
    solanaRpcUrls,
    proxy: readProxy(read('HTTPS_PROXY'), read('NO_PROXY'), solanaRpcUrls, faults),
    sandboxRpcPort: integer('SANDBOX_RPC_PORT'),
    sandboxStrictPreflight: oneOf('SANDBOX_STRICT_PREFLIGHT', ['false', 'true']) === 'true',
    databaseUrl,
    adminKey: readAdminKey(read('ADMIN_KEY'), faults),
    retentionDays: integer('RETENTION_DAYS'),
    upstreamQuorum: integer('UPSTREAM_QUORUM'),
    rpcTimeoutMs: Math.ceil(rpcTimeoutPerDeadline * requestDeadlineMs),
    requestDeadlineMs,
    drainMs: integer('DRAIN_MS'),
    corsOrigins: readOrigins(read('CORS_ORIGINS'), solanaRpcUrls.length === 0, faults),
    publicUrl: readPublicUrl(read('PUBLIC_URL'), faults),
    hasPages: read('PAGES') === '' ? solanaRpcUrls.length === 0 : oneOf('PAGES', ['off', 'on']) === 'on',
    hasMcp: read('MCP') === '' ? solanaRpcUrls.length === 0 : oneOf('MCP', ['off', 'on']) === 'on',
    payRateLimitPerMinute: integer('PAY_RATE_LIMIT_PER_MINUTE'),
    payIconOrigins: readIconOrigins(read('PAY_ICON_ORIGINS'), faults),
    payBrand: readBrand(
      { name: read('PAY_BRAND_NAME'), logoPath: read('PAY_BRAND_LOGO'), color: read('PAY_BRAND_COLOR') },
      faults,
    ),
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE'),
    sponsor: readSponsor(read('SPONSOR_URL'), read('SPONSOR_API_KEY'), read('SPONSOR_HMAC_SECRET'), faults),
    redisUrl: readRedisUrl(read('REDIS_URL'), faults),
    trustedProxies: integer('TRUST_PROXY'),
    workers: read('WORKERS') === 'auto' ? 'auto' : integer('WORKERS'),
    metricsPort: read('METRICS_PORT') === '' ? undefined : integer('METRICS_PORT'),
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
