import { jsonString, keyVariable, lines, literal } from './literals.js';

/** @import { SnippetRequest, Written } from './snippets.js' */

/**
 * A program for Node, by `splwright-client` where that has a method for the request.
 * @param {Written} request
 */
export function typescript({ method, url, origin, path, body, hasKey }) {
  const call = hasKey ? clientCall(method, path, body ?? {}) : undefined;
  if (!call) return byFetch({ method, url, hasKey, ...(body && { body }) });
  return lines([
    'import { SplwrightClient } from "splwright-client";',
    '',
    `const client = new SplwrightClient({ url: ${jsonString(origin)}, apiKey: process.env.${keyVariable} ?? "" });`,
    `const reply = await client.${call};`,
    'console.log(reply);',
  ]);
}

/** @type {import('./literals.js').Style} */
const scriptStyle = {
  yes: 'true',
  no: 'false',
  none: 'null',
  // Written as a name it would set the prototype.
  key: (name) => (/^[a-z_]+$/.test(name) && name !== '__proto__' ? name : `[${jsonString(name)}]`),
  string: (text) => jsonString(text),
};

/** The methods of `splwright-client` that take the body of a path as it is. */
const clientMethods = new Map([
  ['/v1/transfers', 'buildTransfer'],
  ['/v1/transfers/batch', 'buildBatch'],
  ['/v1/token-transfer-memo-hash', 'buildTokenTransfer'],
  ['/v1/create-token-account-transfer', 'buildCreateTokenAccountTransfer'],
  ['/v1/payment-links', 'createPaymentLink'],
]);

/**
 * The call of `splwright-client` that makes a request; `undefined` for what it has no method for.
 * @param {SnippetRequest['method']} method
 * @param {string} path
 * @param {NonNullable<SnippetRequest['body']>} body
 */
function clientCall(method, path, body) {
  const [, id, action] = /^\/v1\/payment-links\/(\w+)(?:\/(cancel))?$/.exec(path) ?? [];
  if (id && method === (action ? 'POST' : 'GET')) return `${action ?? 'read'}PaymentLink(${jsonString(id)})`;
  if (method !== 'POST') return undefined;
  if (path === '/v1/transfers/outcome') return outcomeCall(body);
  const name = clientMethods.get(path);
  // The client has an encoding of its own.
  return name && `${name}(${literal({ ...body, encoding: undefined }, scriptStyle, '')})`;
}

/** @param {NonNullable<SnippetRequest['body']>} body */
function outcomeCall({ transaction, last_valid_block_height: height, ...others }) {
  // The client takes bytes, and the language reads base64 only: a text without one of its own characters may be base58.
  if (typeof transaction !== 'string' || Object.keys(others).length > 0) return undefined;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(transaction) || !/[+/=0OIl]/.test(transaction)) return undefined;
  return lines([
    'findOutcome({',
    `  transaction: Uint8Array.from(atob(${jsonString(transaction)}), (character) => character.charCodeAt(0)),`,
    typeof height === 'string' && `  lastValidBlockHeight: ${jsonString(height)},`,
    '})',
  ]).trimEnd();
}

/** @param {Pick<Written, 'method' | 'url' | 'body' | 'hasKey'>} request */
function byFetch({ method, url, body, hasKey }) {
  return lines([
    `const response = await fetch("${url}", {`,
    `  method: "${method}",`,
    '  headers: {',
    hasKey && `    "Authorization": \`Bearer \${process.env.${keyVariable}}\`,`,
    body && '    "Content-Type": "application/json",',
    '  },',
    body && `  body: JSON.stringify(${literal(body, scriptStyle, '  ')}),`,
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    'console.log(await response.text());',
  ]);
}
