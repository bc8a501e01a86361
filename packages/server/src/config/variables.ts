import { findSimilarName } from '../similar-name.ts';

/** One variable of the environment, as it is documented. */
export interface Variable {
  name: string;
  /** Its text when it is absent or empty, if it has a default. */
  default?: string;
  /** The meaning of an absent or empty text, if it has no default. */
  none?: string;
  /** The least and the greatest value, of a whole number. */
  range?: readonly [min: number, max: number];
  /** Its purpose in a few words. */
  meaning: string;
  /** Whether its text holds URLs, which may contain passwords or tokens. */
  mayHoldSecrets?: true;
  /** Whether all of its text is one secret, of which nothing is shown. */
  isSecret?: true;
  /** Whether its name in lower case counts too, where it is not set itself. */
  isAlsoLowerCase?: true;
}

const knownVariables = [
  { name: 'PORT', default: '3000', range: [0, 65_535], meaning: 'the port it listens on; 0 picks a free one' },
  { name: 'HOST', default: '127.0.0.1', meaning: 'the address it listens on' },
  {
    name: 'SOLANA_RPC_URLS',
    none: 'the sandbox',
    meaning: 'RPC endpoints to read the chain from, separated by commas, the preferred one first',
    mayHoldSecrets: true,
  },
  {
    name: 'HTTPS_PROXY',
    none: 'no proxy',
    meaning: 'the HTTP proxy for https:// endpoints; `https_proxy` counts too',
    mayHoldSecrets: true,
    isAlsoLowerCase: true,
  },
  {
    name: 'NO_PROXY',
    none: 'no exception',
    meaning: 'hosts to reach without the proxy, separated by commas; * for all; `no_proxy` counts too',
    isAlsoLowerCase: true,
  },
  {
    name: 'SANDBOX_RPC_PORT',
    default: '8899',
    range: [0, 65_534],
    meaning: "the sandbox's JSON-RPC, its WebSocket on the next port; 0 picks free ones",
  },
  {
    name: 'SANDBOX_STRICT_PREFLIGHT',
    default: 'false',
    meaning:
      'true: the sandbox finalizes as late as clusters did before Alpenglow, and preflights at `finalized` when no commitment is given',
  },
  {
    name: 'DATABASE_URL',
    none: 'sqlite:.splwright/keys.db, on the sandbox sqlite:.splwright/sandbox.db',
    meaning: 'where API keys and records are kept: `sqlite:` and a path, or a `postgres://` URL',
    mayHoldSecrets: true,
  },
  {
    name: 'ADMIN_KEY',
    none: 'API keys are managed by command alone',
    meaning: 'the secret of at least 32 characters with which `/v1/admin/keys` manages API keys, sent as `x-api-key`',
    mayHoldSecrets: true,
    isSecret: true,
  },
  {
    name: 'RETENTION_DAYS',
    default: '0',
    range: [0, 36_500],
    meaning: 'how long the usage of API keys, incoming payments and settled payment links are kept; 0 for no limit',
  },
  {
    name: 'RATE_LIMIT_PER_MINUTE',
    default: '600',
    range: [0, 100_000_000],
    meaning: 'requests per minute of one API key; 0 for no limit',
  },
  {
    name: 'PUBLIC_URL',
    none: 'no payment links. On the sandbox: its own address',
    meaning: 'the https origin at which payers open payment links',
  },
  {
    name: 'PAGES',
    none: 'on with the sandbox, otherwise off',
    meaning: 'on or off: the console at `/` and the API reference at `/docs`; payment pages are always on',
  },
  {
    name: 'MCP',
    none: 'on with the sandbox, otherwise off',
    meaning: 'on or off: tools for agents at `/mcp` (Model Context Protocol)',
  },
  {
    name: 'PAY_RATE_LIMIT_PER_MINUTE',
    default: '60',
    range: [0, 1_000_000],
    meaning: 'requests per minute to payment links from one client address; 0 for no limit',
  },
  {
    name: 'PAY_ICON_ORIGINS',
    none: 'no origin',
    meaning: 'origins from which the page of a payment link may load its icon, separated by commas',
  },
  {
    name: 'PAY_BRAND_NAME',
    none: 'no name',
    meaning: 'the name of the shop on payment pages, receipts and link previews',
  },
  {
    name: 'PAY_BRAND_LOGO',
    none: "the first letter of each link's label",
    meaning: 'a file with its logo: SVG, PNG or WebP, at most 256 KiB',
  },
  {
    name: 'PAY_BRAND_COLOR',
    none: 'green',
    meaning: 'the color of buttons on payment pages, such as #14532d',
  },
  {
    name: 'SPONSOR_URL',
    none: 'no sponsor',
    meaning: 'the Kora server that pays network fees for `fee_payer: "sponsor"`',
    mayHoldSecrets: true,
  },
  {
    name: 'SPONSOR_API_KEY',
    none: 'no key',
    meaning: 'the API key that it sends to Kora, as `x-api-key`',
    mayHoldSecrets: true,
    isSecret: true,
  },
  {
    name: 'SPONSOR_HMAC_SECRET',
    none: 'no secret',
    meaning: 'the secret by which it signs requests to Kora, instead of a key',
    mayHoldSecrets: true,
    isSecret: true,
  },
  {
    name: 'REDIS_URL',
    none: 'in memory',
    meaning: 'Redis or Valkey through which replicas share the limits: a `redis://` URL, or `rediss://` with TLS',
    mayHoldSecrets: true,
  },
  {
    name: 'UPSTREAM_QUORUM',
    default: '1',
    range: [1, 16],
    meaning: 'how many upstreams must show a payment before it counts as landed or a link as paid',
  },
  {
    name: 'REQUEST_DEADLINE_MS',
    default: '5000',
    range: [1, 120_000],
    meaning: 'how long a whole request may take, and one upstream call two fifths of it',
  },
  {
    name: 'DRAIN_MS',
    default: '3000',
    range: [0, 600_000],
    meaning: 'how long it keeps serving after `SIGTERM`, while `/readyz` fails and connections are told to close',
  },
  {
    name: 'CORS_ORIGINS',
    none: 'any on the sandbox, otherwise no origin',
    meaning: 'origins whose pages may call the API from a browser, separated by commas; * for any',
  },
  {
    name: 'TRUST_PROXY',
    default: '0',
    range: [0, 10],
    meaning: 'how many proxies in front are trusted to set `X-Forwarded-*` headers',
  },
  {
    name: 'WORKERS',
    default: '1',
    range: [1, 256],
    meaning: 'how many processes share the port; auto for one per processor core',
  },
  {
    name: 'METRICS_PORT',
    none: '9464, off on the sandbox',
    range: [0, 65_535],
    meaning: 'the port of `/metrics`; 0 for no metrics',
  },
  { name: 'METRICS_HOST', default: '127.0.0.1', meaning: 'the address that `/metrics` listens on' },
  { name: 'LOG_LEVEL', default: 'info', meaning: 'trace, debug, info, warn, error, fatal or silent' },
] as const satisfies readonly Variable[];

/** The name of a variable that is read. */
export type VariableName = (typeof knownVariables)[number]['name'];

/** The name of a variable that is a whole number, `auto` for `WORKERS`, or empty for `METRICS_PORT`. */
export type NumberName = Extract<(typeof knownVariables)[number], { range: unknown }>['name'];

/** Every variable that is read. A test compares `.env.example` with it. */
export const variables: readonly Variable[] = knownVariables;

/** The environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the name under which the environment has a variable. */
export function nameIn(environment: Environment, { name, isAlsoLowerCase }: Variable): string {
  return isAlsoLowerCase && !environment[name]?.trim() ? name.toLowerCase() : name;
}

/** Returns the text of a variable without surrounding white space, or its default; an empty text counts as absent. */
export function readVariable(environment: Environment, variable: Variable): string | undefined {
  return environment[nameIn(environment, variable)]?.trim() || variable.default;
}

/** Returns a sentence for each variable of the environment that is not read, but whose name is close to one that is. */
export function misspelledVariables(environment: Environment): readonly string[] {
  const names = variables.map(({ name }) => name);
  return Object.keys(environment).flatMap((name) => {
    const meant = names.includes(name) ? undefined : findSimilarName(name, names);
    const variable = variables.find((known) => known.name === meant);
    // Both may be set: then the one that is read was found.
    if (variable === undefined || environment[nameIn(environment, variable)]?.trim()) return [];
    return `${name} is not a variable of splwright: did you mean ${meant}?`;
  });
}
