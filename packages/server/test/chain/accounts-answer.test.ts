import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from 'splwright-core';
import { isRecord } from '../../src/chain/json-values.ts';
import { parseAccountsAnswer } from '../../src/chain/reads/accounts-answer.ts';
import { ChainHead } from '../../src/chain/reads/chain-head.ts';
import { accountsRequest } from '../../src/chain/reads/chain-requests.ts';

const wallet = '{"data":["","base64"],"executable":false,"lamports":0,"owner":"11111111111111111111111111111111",';
const other =
  '{"data":["AQIDBA==","base64"],"executable":false,"lamports":2039280,"owner":"SysvarC1ock11111111111111111111111111111111",';
const accounts = [
  `${wallet}"rentEpoch":18446744073709551615,"space":0}`,
  'null',
  `${other}"rentEpoch":0,"space":4}`,
  'null',
];
const context = '{"apiVersion":"3.0.0","slot":350000014}';

/** An answer as Agave writes it. */
const answer = `{"jsonrpc":"2.0","result":{"context":${context},"value":[${accounts.join()}]},"id":17}`;
const answers = [
  answer,
  `${answer}\n`,
  `{"jsonrpc":"2.0","id":17,"result":{"context":${context},"value":[${accounts.join()}]}}`,
  `{"jsonrpc":"2.0","id":17,"result":{"context":{"slot":1},"value":[null]}}`,
];

/** What `JSON.parse` makes of a text, without the members that nobody reads; `undefined` where it is no JSON. */
function parsedPlainly(text: string): unknown {
  try {
    return JSON.parse(text, function (name, value) {
      return name === 'rentEpoch' && isRecord(this) && 'owner' in this ? undefined : value;
    });
  } catch {
    return undefined;
  }
}

function parsedOurWay(text: string): unknown {
  try {
    return parseAccountsAnswer(text);
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return undefined;
  }
}

test('Answers as nodes write them are parsed as JSON is', () => {
  for (const text of answers) {
    assert.notEqual(parsedPlainly(text), undefined);
    assert.deepEqual(parseAccountsAnswer(text), parsedPlainly(text));
  }
});

test('An answer that differs anywhere in one character is parsed as JSON is, or left to it', () => {
  let parsed = 0;
  for (const text of answers) {
    for (let at = 0; at <= text.length; at++) {
      const variants = [text.slice(0, at) + text.slice(at + 1), text.slice(0, at)];
      for (const character of '"\\,:[]{}0195a.-+e =/') {
        variants.push(
          text.slice(0, at) + character + text.slice(at),
          text.slice(0, at) + character + text.slice(at + 1),
        );
      }
      for (const variant of variants) {
        const own = parsedOurWay(variant);
        if (own === undefined) continue;
        parsed += 1;
        assert.deepEqual(own, parsedPlainly(variant), variant);
      }
    }
  }
  assert.ok(parsed > 1_000, `${parsed} variants were parsed`);
});

test('Answers in another form are left to JSON', () => {
  const others = [
    '{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind"},"id":17}',
    answer.replace('"value":[', '"value": ['),
    answer.replace('"executable":false', '"executable":true'),
    answer.replace('"lamports":2039280', '"lamports":9007199254740993'),
    answer.replace('AQIDBA==', 'AQI\\u0044BA=='),
    answer.replace('{"data":["AQI', 'AQI'),
    answer.replace('"base64"', '"base58"'),
    answer.replace(/,"space":4/, ''),
    answer.replace('"value":[', '"more":{"value":[null]},"value":['),
    answer.replace('"id":17', '"result":{},"id":17'),
    answer.replace(accounts.join(), ''),
  ];
  for (const text of others) {
    assert.notEqual(text, answer);
    assert.equal(parseAccountsAnswer(text), undefined, text);
  }
});

test('Accounts are read from it as from JSON', () => {
  const head = new ChainHead({ maxSlotLag: 100, hasSeveralUpstreams: false, now: () => 0 });
  const addresses = Array.from({ length: 4 }, () => toAddress('11111111111111111111111111111111'));
  const { parse, read } = accountsRequest(addresses, head);
  const resultOf = (parsed: unknown): unknown => (isRecord(parsed) ? parsed.result : undefined);
  const { slot, accounts: received } = read(resultOf(parse?.(answer)));
  assert.deepEqual(received, read(resultOf(JSON.parse(answer))).accounts);
  assert.deepEqual([slot, received[2]?.data.length, received[2]?.lamports], [350_000_014n, 4, 2_039_280n]);
});
