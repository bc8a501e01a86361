import type { Problem } from 'splwright-client';
import { find } from './dom.ts';

/** A reply of the service. One that did not arrive is a refusal of status 0. */
export type ServiceReply<Body> = { status: number; headers: Headers } & (
  | { ok: true; body: Body }
  | { ok: false; body: Partial<Problem> }
);

const name = 'api-key';
const input = find<HTMLInputElement>(name);

/** Keeps the API key in this tab, so that another form has it too. */
export function keepApiKey(): void {
  if (!input) return;
  try {
    input.value = sessionStorage.getItem(name) ?? input.value;
  } catch {
    // A browser that keeps nothing has it typed in each form.
  }
  input.form?.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', () => sessionStorage.setItem(name, input.value.trim()));
}

export function hasApiKey(): boolean {
  return Boolean(input?.value.trim());
}

/** Calls `act` when another API key has been typed. */
export function onOtherApiKey(act: () => void): void {
  input?.addEventListener('change', act);
}

/** Asks the service with the API key. */
export async function ask<Body>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<ServiceReply<Body>> {
  const key = input?.value.trim();
  const headers = {
    accept: 'application/json',
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...more,
  };
  try {
    const json = body === undefined ? null : JSON.stringify(body);
    const reply = await fetch(path, { method, headers, body: json, cache: 'no-store' });
    return { ok: reply.ok, status: reply.status, headers: reply.headers, body: await reply.json() };
  } catch {
    const detail = 'The service cannot be reached, or its reply was cut off. Try again.';
    return { ok: false, status: 0, headers: new Headers(), body: { title: 'No reply', detail } };
  }
}

/** How many milliseconds to wait before the service is asked again. */
export function pauseAfter({ headers }: { headers: Headers }, usualMs: number): number {
  return Math.max(usualMs, 1_000 * Number(headers.get('retry-after') ?? 0) || 0);
}
