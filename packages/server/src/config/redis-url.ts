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
