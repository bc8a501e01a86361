import { find } from './page.js';

/**
 * A reply of the service.
 * @typedef {{ ok: boolean, status: number, headers: Headers, body: any }} ServiceReply
 */

const name = 'api-key';
const input = /** @type {HTMLInputElement | null} */ (find(name));

/** Keeps the API key in this tab, so that another form has it too. */
export function keepApiKey() {
  if (!input) return;
  const kept = sessionStorage.getItem(name);
  if (kept !== null) input.value = kept;
  input.form?.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', () => sessionStorage.setItem(name, input.value.trim()));
}

/**
 * Asks the service with the API key. A service that cannot be reached is a reply too, of status 0.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<ServiceReply>}
 */
export async function ask(method, path, body, headers = {}) {
  const key = input?.value.trim();
  const all = {
    accept: 'application/json',
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  try {
    const json = body === undefined ? null : JSON.stringify(body);
    const reply = await fetch(path, { method, headers: all, body: json, cache: 'no-store' });
    return { ok: reply.ok, status: reply.status, headers: reply.headers, body: await reply.json() };
  } catch {
    const detail = 'The service cannot be reached, or its reply was cut off. Try again.';
    return { ok: false, status: 0, headers: new Headers(), body: { title: 'No reply', detail } };
  }
}

/**
 * How long to wait before the service is asked again.
 * @param {ServiceReply} reply
 * @param {number} usualMs
 */
export function pauseAfter({ headers }, usualMs) {
  return Math.max(usualMs, 1_000 * Number(headers.get('retry-after') ?? 0) || 0);
}
