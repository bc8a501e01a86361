/** Returns the entries of a list with commas between them; none of an empty text. */
function readList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

/** Returns the origins of `CORS_ORIGINS`, on the sandbox any unless some are named. Adds a sentence to `faults` for each entry that is not an origin. */
export function readOrigins(text: string, isOnSandbox: boolean, faults: string[]): readonly string[] {
  const origins = readList(text);
  if (origins.length === 0) return isOnSandbox ? ['*'] : [];
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    const remedy = 'must be origins as browsers send them, such as https://app.example or http://localhost:5173, or *';
    faults.push(`CORS_ORIGINS ${remedy}: not ${JSON.stringify(origin)}.`);
  }
  return Object.freeze(origins);
}

/** Returns the origin of `PUBLIC_URL`, if there is one. Adds a sentence to `faults` when payers cannot reach it. */
export function readPublicUrl(text: string, faults: string[]): string | undefined {
  if (text === '') return undefined;
  const origin = publicOriginOf(text);
  if (origin === undefined) {
    faults.push(
      'PUBLIC_URL must be an https:// origin without user, path and query, such as https://pay.example; http:// is for this ' +
        'machine alone, such as http://localhost:3000.',
    );
  }
  return origin;
}

/** Returns the origins of `PAY_ICON_ORIGINS`. Adds a sentence to `faults` for each entry that is not an https origin. */
export function readIconOrigins(text: string, faults: string[]): readonly string[] {
  const origins = readList(text);
  for (const origin of origins) {
    if (isHttpsOrigin(origin)) continue;
    faults.push(`PAY_ICON_ORIGINS must be https origins, such as https://cdn.example: not ${JSON.stringify(origin)}.`);
  }
  return Object.freeze(origins);
}

/** Returns the URLs of `SOLANA_RPC_URLS`. Adds a sentence to `faults` for each entry that is not a URL, without its text, which may hold a secret. */
export function readUrls(text: string, faults: string[]): readonly string[] {
  const urls = readList(text);
  for (const [index, url] of urls.entries()) {
    const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isHttp) faults.push(`SOLANA_RPC_URLS: entry ${index + 1} is not an http:// or https:// URL.`);
  }
  return Object.freeze(urls);
}

/** A proxy, whose URL may hold a password, and the hosts that are reached without it. */
export interface ProxyConfig {
  url: string;
  exceptions: string;
}

/**
 * Reads the proxy of upstreams of `https://`; `undefined` where there is no such upstream, whatever else the proxy is set for.
 *
 * Without a scheme it is `http://`.
 */
export function readProxy(
  text: string,
  exceptions: string,
  upstreams: readonly string[],
  faults: string[],
): ProxyConfig | undefined {
  if (text === '' || !upstreams.some((url) => /^https:/i.test(url))) return undefined;
  const url = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return { url, exceptions };
  faults.push('HTTPS_PROXY must be an http:// or https:// URL, such as http://proxy.example:3128.');
  return undefined;
}

const httpsOrigin = /^https:\/\/[a-z0-9.-]+(?::[0-9]+)?$/;
const loopbackHost = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/** Whether a text is the origin of pages on https, as browsers write it; it needs no quotes in a header. */
function isHttpsOrigin(text: string): boolean {
  return httpsOrigin.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Returns the origin that a URL is, with or without a slash at its end; undefined unless it is https, or http of this machine. */
function publicOriginOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  // The rest of it would be lost, and a password would end up in QR codes.
  if (href !== `${origin}/`) return undefined;
  return protocol === 'https:' || (protocol === 'http:' && loopbackHost.test(hostname)) ? origin : undefined;
}

/** The entry that stands for every origin. */
const anyOrigin = '*';

// Browsers write the scheme and the host in lower case. Apps with a web view have schemes of their own, such as capacitor://localhost.
const customOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::[0-9]+)?$/;

/** Whether a text is an origin exactly as browsers send it, or `*`. */
function isOrigin(text: string): boolean {
  if (text === anyOrigin) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? text === origin : customOrigin.test(text);
}

const form =
  'REDIS_URL must be the redis:// or rediss:// URL of one server, such as redis://user:password@127.0.0.1:6379/0, as ' +
  'docs/operate/stores.md says; percent-encode what is special in a password.';

/** Returns `REDIS_URL`, undefined for an empty text. Adds a sentence to `faults`, without secrets, where it is no such URL. */
export function readRedisUrl(text: string, faults: string[]): string | undefined {
  if (text === '') return undefined;
  if (!isRedisUrl(text)) faults.push(form);
  return text;
}

/** Whether the client of Redis can read a text, and nothing in it would set another option of the client or be ignored. */
function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '') return false;
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return false;
  }
  return /^(?:\/[0-9]{0,4})?(?:\?family=[46])?$/.test(url.pathname + url.search + url.hash);
}

/** Returns `DATABASE_URL`. Adds a sentence to `faults`, without the text, which may hold a secret, where it is no such URL. */
export function readDatabaseUrl(text: string, faults: string[]): string {
  if (text !== '' && !/^sqlite:./.test(text) && !(/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))) {
    faults.push(
      'DATABASE_URL must be sqlite: and a path, such as sqlite:.splwright/keys.db, or a postgres:// URL, such as ' +
        'postgres://user:password@host/database with its password percent-encoded.',
    );
  }
  return text;
}

/** Returns `ADMIN_KEY`, undefined for an empty text. Adds a sentence to `faults`, without the text, where it is too short or an API key. */
export function readAdminKey(text: string, faults: string[]): string | undefined {
  if (text === '') return undefined;
  // An API key builds transfers, which the admin key must not.
  if (!/^(?!swk_)[!-~]{32,}$/.test(text)) {
    faults.push(
      'ADMIN_KEY must be at least 32 visible ASCII characters, such as `openssl rand -hex 32` makes, and no API key.',
    );
  }
  return text;
}

/** A Kora server, and how this service proves to it who it is. */
export interface SponsorConfig {
  url: string;
  apiKey: string | undefined;
  hmacSecret: string | undefined;
}

/** Returns the sponsor, if there is one. Adds a sentence to `faults`, without the values, when it cannot be used. */
export function readSponsor(
  url: string,
  apiKey: string,
  hmacSecret: string,
  faults: string[],
): SponsorConfig | undefined {
  if (apiKey !== '' && hmacSecret !== '') faults.push('Set SPONSOR_API_KEY or SPONSOR_HMAC_SECRET, not both.');
  if (url === '') {
    if (apiKey !== '' || hmacSecret !== '') faults.push('SPONSOR_URL is missing: without it there is no sponsor.');
    return undefined;
  }
  const { protocol = '' } = URL.canParse(url) ? new URL(url) : {};
  if (protocol !== 'http:' && protocol !== 'https:') faults.push('SPONSOR_URL must be an http:// or https:// URL.');
  return { url, apiKey: apiKey || undefined, hmacSecret: hmacSecret || undefined };
}
