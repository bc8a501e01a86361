/** The schemes of which the path names a database, and is no secret; a provider of RPC puts its token there. */
const databaseSchemes: readonly string[] = ['postgres:', 'postgresql:', 'redis:', 'rediss:'];
const schemes: readonly string[] = ['http:', 'https:', ...databaseSchemes];

/**
 * What can be shown of comma-separated URLs: scheme, host and port, and of databases the path; `***` for the rest.
 *
 * A path of an SQLite file is shown whole, and of what is no URL nothing.
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
