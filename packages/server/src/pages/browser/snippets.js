import { jsonString, jsonText, keyVariable, lines, literal, pythonString } from './literals.js';

/** @import { Json } from './literals.js' */

/**
 * A request that a snippet makes.
 * @typedef {object} SnippetRequest
 * @property {'GET' | 'POST'} method
 * @property {string} path From the origin, such as `/v1/transfers`.
 * @property {Record<string, Json | undefined>} [body] JSON; none where nothing is sent.
 * @property {string} origin Of the service, such as `https://transfers.example`.
 * @property {boolean} hasKey Whether the request needs an API key. It is read from the environment and is never in a snippet.
 */

/** The languages of snippets, in the order in which they are offered. */
export const snippetLanguages = /** @type {const} */ ([
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
  { id: 'go', name: 'Go' },
  { id: 'swift', name: 'Swift' },
  { id: 'kotlin', name: 'Kotlin' },
  { id: 'dart', name: 'Dart' },
]);

/** @typedef {(typeof snippetLanguages)[number]['id']} SnippetLanguage */

/**
 * A program, or a command, that makes a request and prints the reply.
 *
 * Whatever the texts of the body hold, they stay texts in every language. A language that cannot write JSON as a value of its own gets
 * it in a raw literal, and what would end or interpolate that literal is written as `\uXXXX`.
 * @param {SnippetLanguage} language
 * @param {SnippetRequest} request
 * @returns {string}
 */
export function snippet(language, request) {
  return writers[language]({ ...request, url: urlOf(request) });
}

/** @typedef {SnippetRequest & { url: string }} Written A request and its URL, which can stand in a string of any language. */

/** @type {Readonly<Record<SnippetLanguage, (request: Written) => string>>} */
const writers = { curl, typescript, python, go, swift, kotlin, dart };

// Without the characters that mean something in a string of any language.
/** @param {SnippetRequest} request */
function urlOf({ origin, path }) {
  return (origin + path).replaceAll(
    /[^\w\-.~:/?&=%[\]]/gu,
    (character) =>
      `%${Array.from(new TextEncoder().encode(character), (byte) => byte.toString(16).padStart(2, '0')).join('%')}`,
  );
}

/** @param {Written} request */
function curl({ method, url, body, hasKey }) {
  const options = [
    `curl --silent --show-error --fail-with-body ${body || method === 'GET' ? '' : `--request ${method} `}'${url}'`,
    hasKey && `--header "Authorization: Bearer $${keyVariable}"`,
    body && "--header 'Content-Type: application/json'",
    // Not an argument: a batch would be too long for one.
    body && `--data @- <<'JSON'\n${jsonText(body)}\nJSON`,
  ];
  return lines([options.filter(Boolean).join(' \\\n  ')]);
}

/** @param {Written} request */
function python({ method, url, body, hasKey }) {
  const style = { yes: 'True', no: 'False', none: 'None', key: pythonString, string: pythonString };
  return lines([
    `import ${body ? 'json, ' : ''}${hasKey ? 'os, ' : ''}urllib.error, urllib.request`,
    '',
    body && `body = ${literal(body, style, '')}`,
    `request = urllib.request.Request("${url}", method="${method}")`,
    hasKey && `request.add_header("Authorization", "Bearer " + os.environ["${keyVariable}"])`,
    body && 'request.add_header("Content-Type", "application/json")',
    body && 'request.data = json.dumps(body).encode()',
    'try:',
    '    print(urllib.request.urlopen(request).read().decode())',
    'except urllib.error.HTTPError as refusal:',
    '    raise SystemExit(refusal.read().decode())',
  ]);
}

/** @param {Written} request */
function go({ method, url, body, hasKey }) {
  return lines([
    'package main',
    '',
    'import (',
    '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    hasKey && '\t"os"',
    body && '\t"strings"',
    ')',
    '',
    body && `const body = \`${jsonText(body, '`')}\``,
    body && '',
    'func main() {',
    `\trequest, err := http.NewRequest("${method}", "${url}", ${body ? 'strings.NewReader(body)' : 'nil'})`,
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    hasKey && `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${keyVariable}"))`,
    body && '\trequest.Header.Set("Content-Type", "application/json")',
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\treply, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tif response.StatusCode >= 400 {',
    '\t\tlog.Fatal(string(reply))',
    '\t}',
    '\tfmt.Println(string(reply))',
    '}',
  ]);
}

/** @param {Written} request */
function swift({ method, url, body, hasKey }) {
  return lines([
    'import Foundation',
    '',
    `var request = URLRequest(url: URL(string: "${url}")!)`,
    `request.httpMethod = "${method}"`,
    hasKey && `let key = ProcessInfo.processInfo.environment["${keyVariable}"] ?? ""`,
    hasKey && 'request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization")',
    body && 'request.setValue("application/json", forHTTPHeaderField: "Content-Type")',
    // In such a literal only `\#` begins an escape.
    body && `request.httpBody = Data(#"""\n${jsonText(body, '#')}\n"""#.utf8)`,
    'let (reply, _) = try await URLSession.shared.data(for: request)',
    'print(String(decoding: reply, as: UTF8.self))',
  ]);
}

/** @param {Written} request */
function kotlin({ method, url, body, hasKey }) {
  return lines([
    'import java.net.HttpURLConnection',
    'import java.net.URI',
    '',
    body && `val body = """\n${jsonText(body, '$"')}\n"""`,
    body && '',
    'fun main() {',
    `    val connection = URI("${url}").toURL().openConnection() as HttpURLConnection`,
    `    connection.requestMethod = "${method}"`,
    hasKey && `    connection.setRequestProperty("Authorization", "Bearer " + System.getenv("${keyVariable}"))`,
    body && '    connection.setRequestProperty("Content-Type", "application/json")',
    body && '    connection.doOutput = true',
    body && '    connection.outputStream.use { it.write(body.toByteArray()) }',
    '    val isRefused = connection.responseCode >= 400',
    '    val reply = if (isRefused) connection.errorStream else connection.inputStream',
    '    println(reply.reader().readText())',
    '}',
  ]);
}

/** @param {Written} request */
function dart({ method, url, body, hasKey }) {
  return lines([
    hasKey && "import 'dart:io';",
    "import 'package:http/http.dart' as http;",
    '',
    'void main() async {',
    `  final reply = await http.${method.toLowerCase()}(`,
    `    Uri.parse('${url}'),`,
    (hasKey || body) && '    headers: {',
    hasKey && `      'Authorization': 'Bearer \${Platform.environment['${keyVariable}']}',`,
    body && "      'Content-Type': 'application/json',",
    (hasKey || body) && '    },',
    body && `    body: r'''\n${jsonText(body, "'")}\n''',`,
    '  );',
    '  print(reply.body);',
    '}',
  ]);
}

/**
 * A program for Node. It uses `splwright-client` if that has a method for the request.
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
    typeof height === 'string' && `  last_valid_block_height: ${jsonString(height)},`,
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
