import type { ClientOptions } from '../src/index.ts';

/** What a request had. */
export interface Asked {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Undefined where none was sent. */
  body: Readonly<Record<string, unknown>> | undefined;
}

/** What is answered: a reply, an error that `fetch` rejects with, or nothing at all. */
export type Reply = { status: number; body: unknown; headers?: Record<string, string> } | Error | 'silence';

/** A service that gives these answers, one after the other, and notes what it was asked. */
export function fakeService(...replies: readonly Reply[]): { options: ClientOptions; asked: readonly Asked[] } {
  const asked: Asked[] = [];
  const fetch: ClientOptions['fetch'] = (url, init) => {
    const { method = 'GET', headers, body } = init;
    const sent = body === undefined ? undefined : JSON.parse(String(body));
    asked.push({ method, url, headers: { ...Object(headers) }, body: sent });
    const reply = replies[asked.length - 1] ?? new Error('there are no more answers');
    if (reply instanceof Error) return Promise.reject(reply);
    if (reply === 'silence') {
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return Promise.resolve(new Response(text, { status: reply.status, headers: reply.headers ?? {} }));
  };
  return { options: { url: 'https://service.example/', apiKey: 'swk_test', fetch }, asked };
}

/** A refusal as the service writes it. */
export function refusal(code: string, status: number, more: object = {}, headers: Record<string, string> = {}): Reply {
  const body = {
    type: `/problems/${code}`,
    title: code,
    status,
    detail: `because of ${code}`,
    code,
    request_id: '1',
    ...more,
  };
  return { status, body, headers };
}

/** A reply to `/v1/transfers` with these bytes. */
export function built(base64: string, headers: Record<string, string> = {}): Reply {
  const lifetime = { blockhash: '4TF3UwZFddjQhcDCbPfe2J8HhUxLunQt2ENgJ7Y2rAzn', last_valid_block_height: '151' };
  return { status: 200, body: { data: { transaction: base64, lifetime, signers: ['a'] }, status: 'ok' }, headers };
}
