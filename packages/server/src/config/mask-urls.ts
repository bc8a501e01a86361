/** The schemes whose path names a database and is not a secret. The path of an RPC endpoint often holds a token. */
const databaseSchemes: readonly string[] = ['postgres:', 'postgresql:', 'redis:', 'rediss:'];
const schemes: readonly string[] = ['http:', 'https:', ...databaseSchemes];

/**
 * Masks comma-separated URLs: scheme, host and port remain, and the path of a database; `***` replaces the rest.
 *
 * The path of an SQLite file is shown whole, and nothing of a text that is not a URL.
 */
export function maskUrls(text: string): string {
  return text
    .split(',')
    .map((url) => maskUrl(url.trim()))
    .join(',');
}

function maskUrl(text: string): string {
  if (/^sqlite:(?!\/\/)/.test(text)) return text;
  if (!URL.canParse(text)) return '***';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return '***';
  const user = url.username === '' && url.password === '' ? '' : '***@';
  const isPathShown = databaseSchemes.includes(url.protocol) || url.pathname === '/';
  const path = isPathShown ? url.pathname : '/***';
  const rest = url.search === '' && url.hash === '' ? '' : '?***';
  return `${url.protocol}//${user}${url.host}${path}${rest}`;
}
