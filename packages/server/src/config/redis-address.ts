import { type TlsFiles, tlsFilesFault } from '../tls-files.ts';

/** Where the limits are counted, as `REDIS_URL` says it. Passwords are secrets. */
export interface RedisAddress {
  /** One server, a Redis Cluster, or Sentinels that know which server is the primary. */
  kind: 'single' | 'cluster' | 'sentinel';
  /** The server, some nodes of the cluster, or the Sentinels. */
  nodes: readonly RedisNode[];
  username: string | undefined;
  password: string | undefined;
  database: number;
  /** The IP version that names are resolved to; both without it. */
  family: 4 | 6 | undefined;
  /** Present when every connection uses TLS. */
  tls:
    | { files: TlsFiles /** The name that certificates must have, instead of the host's. */; servername?: string }
    | undefined;
  /** Present when the nodes are Sentinels: the name of the primary, and what they themselves ask for. */
  sentinel: { name: string; username: string | undefined; password: string | undefined } | undefined;
}

/** A server by its name or IP address. */
export interface RedisNode {
  host: string;
  port: number;
}

const form =
  'REDIS_URL must be a redis:// or rediss:// URL, such as redis://127.0.0.1:6379; several with commas between them, or ' +
  'redis+cluster://host1,host2, for a Redis Cluster; or redis+sentinel://host1:26379,host2:26379/name for Sentinels';

const redisPort = 6379;
const sentinelPort = 26_379;

const tlsParameters = ['ssl_ca_certs', 'ssl_certfile', 'ssl_keyfile', 'ssl_servername'] as const;
const sentinelParameters = ['sentinel_username', 'sentinel_password'] as const;

/** Returns what `REDIS_URL` says, undefined for an empty text. Adds a sentence to `faults`, without secrets, for what is wrong. */
export function readRedisAddress(text: string, faults: string[]): RedisAddress | undefined {
  if (text === '') return undefined;
  const parts = splitUrl(text);
  const nodes = parts?.hosts.map((host) => nodeOf(host, parts.kind === 'sentinel' ? sentinelPort : redisPort));
  if (!parts || !nodes?.every((node) => node !== undefined)) {
    faults.push(`${form}. Percent-encode what is special in a password.`);
    return undefined;
  }
  const { kind, isTls, path, parameters } = parts;
  const [, first = '', second = ''] = path.split('/').map(decodeURIComponent);
  const [name, database] = kind === 'sentinel' ? [first, second] : ['', first];
  if (!/^[0-9]{0,4}$/.test(database) || (kind === 'sentinel') === (name === '') || path.split('/').length > 3) {
    faults.push(
      `${form}. The path is the number of a database, after the name of the primary where there are Sentinels.`,
    );
  }
  if (kind === 'cluster' && Number(database) > 0)
    faults.push('REDIS_URL: a Redis Cluster has one database: leave out its number.');
  const known = ['family', ...(isTls ? tlsParameters : []), ...(kind === 'sentinel' ? sentinelParameters : [])];
  // Not named: a mistyped URL may have its password there.
  if (![...parameters.keys()].every((key) => known.includes(key))) {
    faults.push(`REDIS_URL has a parameter that does not belong there; ${parts.scheme}: takes ${known.join(', ')}.`);
  }
  const value = (key: string): string | undefined => parameters.get(key) || undefined;
  return {
    kind,
    nodes,
    username: parts.username,
    password: parts.password,
    database: Number(database),
    family: familyOf(value('family')),
    tls: isTls ? readTls(value, faults) : undefined,
    sentinel:
      kind === 'sentinel'
        ? { name, username: value('sentinel_username'), password: value('sentinel_password') }
        : undefined,
  };
}

interface UrlParts {
  scheme: string;
  kind: RedisAddress['kind'];
  isTls: boolean;
  username: string | undefined;
  password: string | undefined;
  hosts: readonly string[];
  path: string;
  parameters: URLSearchParams;
}

/** Takes a URL with one host, a URL with several, or several URLs with one each apart; undefined when it is none of them. */
function splitUrl(text: string): UrlParts | undefined {
  const [, scheme = '', second] = /^(rediss?)(\+sentinel|\+cluster)?:\/\//.exec(text) ?? [];
  if (scheme === '') return undefined;
  if (second !== undefined) {
    const [, user = '', hosts = '', rest = ''] = /^[^:]+:\/\/([^/?#@]*@)?([^/?#@]+)([^#]*)$/.exec(text) ?? [];
    const kind = second === '+sentinel' ? 'sentinel' : 'cluster';
    return partsOf(scheme, kind, `${scheme}://${user}host${rest}`, hosts.split(','), second);
  }
  const urls = text.split(',').map((url) => url.trim());
  // A cluster has one user, and TLS on every node or on none.
  if (!urls.every((url) => url.startsWith(`${scheme}://`) && URL.canParse(url))) return undefined;
  const hosts = urls.map((url) => new URL(url).host);
  return partsOf(scheme, urls.length > 1 ? 'cluster' : 'single', urls[0] ?? '', hosts);
}

function partsOf(
  scheme: string,
  kind: UrlParts['kind'],
  url: string,
  hosts: readonly string[],
  suffix = '',
): UrlParts | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password, pathname, searchParams } = new URL(url);
  try {
    return {
      scheme: `${scheme}${suffix}`,
      kind,
      isTls: scheme === 'rediss',
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
      hosts,
      path: pathname.replace(/\/$/, ''),
      parameters: searchParams,
    };
  } catch {
    return undefined;
  }
}

function nodeOf(host: string, defaultPort: number): RedisNode | undefined {
  const url = `redis://${host.trim()}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, host: whole } = new URL(url);
  if (hostname === '' || whole !== host.trim()) return undefined;
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || defaultPort };
}

function familyOf(text: string | undefined): 4 | 6 | undefined {
  if (text === '4') return 4;
  return text === '6' ? 6 : undefined;
}

function readTls(value: (key: string) => string | undefined, faults: string[]): NonNullable<RedisAddress['tls']> {
  const [ca, cert, key, servername] = tlsParameters.map(value);
  const files: TlsFiles = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const fault = tlsFilesFault(files);
  if (fault !== undefined)
    faults.push(`REDIS_URL: the files of ssl_ca_certs, ssl_certfile and ssl_keyfile cannot be used: ${fault}.`);
  else if ((cert === undefined) !== (key === undefined))
    faults.push('REDIS_URL: ssl_certfile and ssl_keyfile need each other.');
  return { files, ...(servername && { servername }) };
}
