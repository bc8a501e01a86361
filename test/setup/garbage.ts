import { type Fault, isJsonObject } from './fault-proxy.ts';
import {
  drip,
  edited,
  editedResult,
  editedValue,
  htmlPage,
  httpError,
  hugeBody,
  nodeError,
  resetMidBody,
} from './faults.ts';

/** Answers with a text as it is. */
function text(body: string): Fault {
  return ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

function slot(value: unknown): Fault {
  return editedResult((result) =>
    isJsonObject(result) && isJsonObject(result.context)
      ? { ...result, context: { ...result.context, slot: value } }
      : result,
  );
}

function accounts(edit: (accounts: readonly unknown[]) => unknown): Fault {
  return editedValue((value) => (Array.isArray(value) ? edit(value) : value));
}

function eachAccount(part: object): Fault {
  return accounts((all) => all.map((account) => (isJsonObject(account) ? { ...account, ...part } : account)));
}

function blockhash(part: object): Fault {
  return editedValue((value) => (isJsonObject(value) && 'blockhash' in value ? { ...value, ...part } : value));
}

/** Every kind of answer that is no answer, by what it is. */
export const garbage: Readonly<Record<string, Fault>> = {
  'HTTP 500': httpError(500),
  'HTTP 503': httpError(503),
  'HTTP 403': httpError(403),
  'HTML page, status 502': htmlPage(502),
  'HTML page, status 200': htmlPage(200),
  'empty body': text(''),
  'truncated JSON': ({ response, answer }) => {
    const whole = answer();
    response.writeHead(200).end(whole.slice(0, whole.length / 2));
  },
  'reset in mid-body': resetMidBody,
  'slow drip': drip,
  '100 MB body with Content-Length': hugeBody({ tellsLength: true }),
  '100 MB body without Content-Length': hugeBody({ tellsLength: false }),
  'deeply nested JSON': text('['.repeat(1_000_000)),
  'JSON text instead of an object': text('"ok"'),
  'id of another call': edited((reply) => ({ ...reply, id: 987_654_321 })),
  'id null': edited((reply) => ({ ...reply, id: null })),
  'no id': edited(({ id: _, ...reply }) => reply),
  'no result': edited(({ result: _, ...reply }) => reply),
  'result null': editedResult(() => null),
  'result a list': editedResult(() => [1, 'a']),
  'node error -32603, internal': nodeError(-32_603, 'Internal error'),
  'node error -32005, behind': nodeError(-32_005, 'Node is behind by 200 slots'),
  'node error -32602, invalid parameters': nodeError(-32_602, 'Invalid params'),
  'node error 429 in HTTP 200': nodeError(429, 'Too many requests'),
  'error a text': edited(({ id }) => ({ jsonrpc: '2.0', id, error: 'failed' })),
  'no context': editedResult((result) => (isJsonObject(result) ? { value: result.value } : result)),
  'slot negative': slot(-1),
  'slot a text': slot('1000'),
  'slot past 2^64': slot(2n ** 64n),
  'slot far in the future': slot(2n ** 62n),
  'value null': editedValue(() => null),
  'accounts an object': accounts((all) => ({ ...all })),
  'too few accounts': accounts((all) => all.slice(1)),
  'too many accounts': accounts((all) => [...all, null]),
  'every account null': accounts((all) => all.map(() => null)),
  'accounts numbers': accounts((all) => all.map((_, index) => index)),
  'lamports a text': eachAccount({ lamports: '5000' }),
  'lamports negative': eachAccount({ lamports: -1 }),
  'lamports a fraction': eachAccount({ lamports: 1.5 }),
  'lamports past 2^64': eachAccount({ lamports: 2n ** 64n }),
  'owner no address': eachAccount({ owner: 'nobody' }),
  'executable a text': eachAccount({ executable: 'false' }),
  'data not base64': eachAccount({ data: ['***', 'base64'] }),
  'data in another encoding': eachAccount({ data: ['3yZe7d', 'base58'] }),
  'data a text': eachAccount({ data: 'AAAA' }),
  'data empty': eachAccount({ data: ['', 'base64'] }),
  'blockhash too short': blockhash({ blockhash: '1111111111111111' }),
  'blockhash a number': blockhash({ blockhash: 7 }),
  'last valid block height a text': blockhash({ lastValidBlockHeight: '1000' }),
  'last valid block height negative': blockhash({ lastValidBlockHeight: -1 }),
};
