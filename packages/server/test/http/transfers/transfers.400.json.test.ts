import { test } from 'node:test';
import { startTestService } from '../../../../../test/setup/service.ts';
import { sandboxApiKey } from '../../../src/keys/authenticated-key.ts';
import { assertFaults, assertProblem, type Fault } from '../problem.ts';
import { createPath, memoPath, yidBody } from '../sample-bodies.ts';

const valid = JSON.stringify(yidBody);
const empty = 'The body is empty; it must be a JSON object.';
const at = (place: string): string => `The body is not valid JSON: at ${place}.`;
const name = 'where JSON has the name of a field in double quotes';
const badText = 'within a text, where JSON has an escape such as \\n or \\\\';
const noUtf8 = 'The body is not valid UTF-8.';
const twice = (name: string): string => `The body has the field "${name}" more than once.`;

const notJson: readonly [name: string, body: string | Uint8Array, detail: string][] = [
  ['is empty', '', empty],
  ['is white space', ' \n', at('line 2, column 1 it ends where JSON has a value')],
  ['is cut short', valid.slice(0, -1), at(`line 1, column ${valid.length} it ends where JSON has a comma, or }`)],
  ['goes on after its end', `${valid}}`, at(`line 1, column ${valid.length + 1} there is "}" where JSON has the end`)],
  ['is two values', `${valid}${valid}`, at(`line 1, column ${valid.length + 1} there is "{" where JSON has the end`)],
  ['is a form', 'amount=1', at('line 1, column 1 there is "a" where JSON has a value')],
  ['has single quotes', "{'amount':'1'}", at(`line 1, column 2 there is "'" ${name}, or }`)],
  ['has a comma too many', valid.replace('}', ',}'), at(`line 1, column ${valid.length + 1} there is "}" ${name}`)],
  ['has a comment', `/* */${valid}`, at('line 1, column 1 there is "/" where JSON has a value')],
  ['has NaN', '{"amount":NaN}', at('line 1, column 11 there is "N" where JSON has a value')],
  ['has an unquoted name', '{amount:"1"}', at(`line 1, column 2 there is "a" ${name}, or }`)],
  ['has a raw line break in a string', '{"memo":"a\nb"}', at(`line 1, column 11 there is "\\n" ${badText}`)],
  [
    'has a NUL after it',
    `${valid}\u0000`,
    at(`line 1, column ${valid.length + 1} there is "\\u0000" where JSON has the end`),
  ],
  ['has a bad escape', '{"memo":"\\u12"}', at(`line 1, column 10 there is "\\\\" ${badText}`)],
  ['is UTF-16', Buffer.from(`\ufeff${valid}`, 'utf16le'), noUtf8],
  ['is Latin-1', Buffer.from(valid.replace('yid-1001', 'é'), 'latin1'), noUtf8],
  ['has an overlong UTF-8 sequence', Buffer.from('{"memo":"\xc0\x80"}', 'latin1'), noUtf8],
  ['has a surrogate in UTF-8', Buffer.from('{"memo":"\xed\xa0\x80"}', 'latin1'), noUtf8],
  ['has a field twice', valid.replace('{', '{"amount":"1",'), twice('amount')],
  ['has a field twice, once in escapes', valid.replace('{', '{"\\u0061mount":"1",'), twice('amount')],
  ['has a field twice, equal both times', valid.replace('{', '{"amount":"1500000",'), twice('amount')],
  ['has __proto__ twice', '{"__proto__":{},"__proto__":{}}', twice('__proto__')],
];

const notAnObject: readonly [name: string, body: string, type: string][] = [
  ['an array', `[${valid}]`, 'an array'],
  ['null', 'null', 'null'],
  ['a string', JSON.stringify(valid), 'a string'],
  ['a number', '1e6', 'a number'],
  ['true', 'true', 'a boolean'],
  ['an array nested 8,000 deep', '['.repeat(8000) + ']'.repeat(8000), 'an array'],
];

test('A body', async (t) => {
  const service = await startTestService(t);
  const post = (path: string, body: string | Uint8Array): Promise<Response> => {
    const headers = { authorization: `Bearer ${sandboxApiKey}`, 'content-type': 'application/json' };
    return fetch(service.url + path, { method: 'POST', headers, body: Buffer.from(body) });
  };

  for (const path of [memoPath, createPath]) {
    for (const [name, body, detail] of notJson) {
      await t.test(`that ${name} is refused as invalid_json at ${path}`, async () => {
        await assertProblem(await post(path, body), 'invalid_json', detail);
      });
    }
    for (const [name, body, type] of notAnObject) {
      await t.test(`that is ${name} is refused as a whole at ${path}`, async () => {
        const fault: Fault = ['', 'wrong_type', `The body is ${type} and must be a JSON object.`];
        await assertFaults(await post(path, body), [fault]);
      });
    }
    await t.test(`that is missing, even its length, is refused as empty at ${path}`, async () => {
      await assertProblem(await service.post(path, ''), 'invalid_json', empty);
    });
  }

  await t.test('with an object nested 2,000 deep in a field is refused for the type of that field alone', async () => {
    const nested = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
    const response = await post(memoPath, valid.replace('"1500000"', nested));
    await assertFaults(response, [['/amount', 'wrong_type', /^amount is an object; send a string in base units: /]]);
  });
});
