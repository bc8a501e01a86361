import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cursorAfter } from '../../src/app/list-cursor.ts';
import { compileShape } from '../../src/app/read-shape.ts';
import { readListQuery, readPayAmount, readPayBody } from '../../src/links/link-requests.ts';
import { listLinksRoute } from '../../src/links/link-route-schemas.ts';
import { asksForPayPage } from '../../src/links/page/pay-page-routes.ts';
import { payRequestSchema } from '../../src/links/pay-schema.ts';
import { isAppError } from '../../src/problems.ts';
import { readLink } from '../app/read-bodies.ts';
import { alice, bob, linkBody, usdc } from '../app/sample-bodies.ts';
import { at } from './records/links.ts';

const payShape = compileShape(payRequestSchema);
const listShape = compileShape(listLinksRoute.schema.querystring, 'query');
const readList = (query: unknown) => readListQuery(listShape(query), query, 7);

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(isAppError(error, 'invalid_request'), String(error));
    return error.findings.map(({ code, pointer }) => `${code} ${pointer}`);
  }
}

test('A link that is asked for has its defaults, and both amounts', () => {
  const defaults = {
    ...{ memo: null, message: null, icon: null, redirect: null, metadata: {}, allowsOffCurveRecipient: false },
    ...{ otherTokens: [], tokensAt: '' },
  };
  const lifetime = { expiresInSeconds: 604_800, isSingleUse: true, maxSponsorFee: null };
  const fixed = { recipient: bob, mint: usdc, label: 'Tea house', ...lifetime };
  const bounds = { minAmount: 1_500_000n, maxAmount: 1_500_000n };
  assert.deepEqual(readLink(linkBody), { ...defaults, ...fixed, ...bounds });
  const { amount: _, ...others } = linkBody;
  const tokens = { digits: 15n, fractionDigits: 1 };
  assert.deepEqual(readLink({ ...others, amount_decimal: '1.5' }), {
    ...{ ...defaults, ...fixed },
    ...{ minAmount: tokens, maxAmount: tokens },
  });
  for (const [fault, more] of [
    ['amount_and_amount_decimal /amount_decimal', { amount: '1', amount_decimal: '1' }],
    ['amount_and_amount_bounds /amount_min', { amount_decimal: '1', amount_min: '1', amount_max: '2' }],
    ['invalid_amount /amount_decimal', { amount_decimal: '1,5' }],
    ['amount_or_amount_bounds_required ', {}],
  ] as const) {
    assert.deepEqual(
      faultsOf(() => readLink({ ...others, ...more })),
      [fault],
    );
  }
  const bySponsor = readLink({ ...linkBody, sponsored: true, max_sponsor_fee: '7' });
  assert.deepEqual([bySponsor.maxSponsorFee, readLink({ ...linkBody, sponsored: true }).maxSponsorFee], [7n, 0n]);
  const chosen = {
    ...others,
    amount_min: '1',
    amount_max: '2',
    expires_in: 60,
    single_use: false,
    memo: 'm',
    message: 'n',
  };
  assert.deepEqual(readLink(chosen), {
    ...{ ...defaults, ...fixed, memo: 'm', message: 'n' },
    ...{ minAmount: 1n, maxAmount: 2n, expiresInSeconds: 60, isSingleUse: false },
  });
});

test('Every fault of a link is reported at once, each with its pointer', () => {
  const body = {
    to_address: 'x',
    token_mint_address: 7,
    amount_min: '5',
    amount_max: '4',
    label: '',
    message: 'x'.repeat(201),
    icon: 'http://shop.example',
    redirect: 'javascript:alert(1)',
    memo: '\0',
    expires_in: 59,
    single_use: 'yes',
    colour: 'red',
  };
  assert.deepEqual([...faultsOf(() => readLink(body))].sort(), [
    'invalid_address /to_address',
    'invalid_memo /memo',
    'invalid_value /amount_max',
    'invalid_value /expires_in',
    'invalid_value /icon',
    'invalid_value /label',
    'invalid_value /message',
    'invalid_value /redirect',
    'unknown_field /colour',
    'wrong_type /single_use',
    'wrong_type /token_mint_address',
  ]);
  assert.deepEqual(
    faultsOf(() => readLink({ ...linkBody, label: '\ud800' })),
    ['invalid_value /label'],
  );
  assert.deepEqual(
    faultsOf(() => readLink({ ...linkBody, memo: 'x'.repeat(1_000) })),
    ['memo_too_long /memo'],
  );
  const key = 'swk_SplwrightSandboxLoopbackOnly000000qSPrF';
  assert.deepEqual(
    faultsOf(() => readLink({ ...linkBody, memo: key })),
    ['memo_holds_api_key /memo'],
  );
});

test('A label has something to see, and a URL has the characters of URLs', () => {
  const wrong = (change: object): readonly string[] => faultsOf(() => readLink({ ...linkBody, ...change }));
  for (const label of [' ', '\u202e', '\n\t', '\u200b\u200d', '\ufeff', '\u3164']) {
    assert.deepEqual(wrong({ label }), ['invalid_value /label'], JSON.stringify(label));
  }
  for (const label of ['支付', 'é', '☕', '𝒳', '\u202e.', ' x ']) assert.deepEqual(wrong({ label }), [], label);
  for (const icon of [
    'https://a/"><script>',
    'https://a/<x>',
    "https://a'/",
    'https://a\\b',
    'https://[x',
    'https://a/{x}',
  ]) {
    assert.deepEqual(wrong({ icon }), ['invalid_value /icon'], icon);
  }
  for (const icon of ['https://[::1]:8443/a.png?x=1&y=[2]#z', 'https://a.example?x', "https://a.example/o'b"]) {
    assert.deepEqual(wrong({ icon }), [], icon);
  }
});

test('A link leads back to a machine of its maker on the sandbox alone', () => {
  const faults = (redirect: string, isOnSandbox: boolean) =>
    faultsOf(() => readLink({ ...linkBody, redirect }, isOnSandbox));
  for (const redirect of ['http://localhost:5173/thanks?order=1', 'http://127.0.0.1', 'http://[::1]:80/']) {
    assert.deepEqual(faults(redirect, true), []);
    assert.deepEqual(faults(redirect, false), ['invalid_value /redirect']);
  }
  for (const redirect of ['http://shop.example', 'http://localhost.example', 'http://localhost@shop.example']) {
    assert.deepEqual(faults(redirect, true), ['invalid_value /redirect'], redirect);
  }
});

test('Whatever is sent for a link or by a wallet, it is read or has a fault', () => {
  const text = fc.oneof(
    fc.constantFrom(
      '',
      '1',
      '-1',
      '1e6',
      '\0',
      '\ud800',
      '\u202e',
      alice,
      'https://a.example/',
      '__proto__',
      '9'.repeat(30),
    ),
    fc.string({ unit: 'binary', maxLength: 90 }),
  );
  const name = fc.oneof(
    fc.constantFrom(...Object.keys(linkBody), 'amount_min', 'amount_max', 'amount_decimal', 'memo', 'message', 'icon'),
    fc.constantFrom('redirect', 'expires_in', 'single_use', 'allow_off_curve_recipient', 'from_address', 'account'),
    fc.string({ maxLength: 9 }),
  );
  const changed = fc.array(fc.tuple(name, fc.oneof(text, fc.jsonValue())), { maxLength: 3 });
  fc.assert(
    fc.property(changed, fc.jsonValue(), (changes, other) => {
      const body = { ...linkBody, ...Object.fromEntries(changes) };
      for (const sent of [body, other]) {
        faultsOf(() => readLink(sent));
        const read = readPayBody(payShape(sent));
        assert.ok('value' in read || read.finding.pointer === '' || read.finding.pointer === '/account');
      }
    }),
  );
});

test('A cursor leads to the page after its link, and nothing else is one', () => {
  const last = { createdAt: at(3), id: '8sXq2LtYvWm4DbRk' };
  const { filter: _, ...read } = readList({ cursor: cursorAfter(last), limit: '100' });
  assert.deepEqual(read, { limit: 101, before: last });
  assert.equal(readList({}).limit, 21);
  for (const limit of ['0', '101', '-1', '1.5', '', 'x', '01', '1e1', ' 1']) {
    assert.deepEqual(
      faultsOf(() => readList({ limit })),
      ['invalid_value /limit'],
    );
  }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ maxLength: 2_000 })), (cursor) => {
      assert.deepEqual(
        faultsOf(() => readList({ cursor })),
        ['invalid_value /cursor'],
      );
    }),
  );
  const twice = JSON.parse('{"limit":["1","2"],"before":["x","y"],"__proto__":"1"}');
  assert.deepEqual(
    faultsOf(() => readList(twice)),
    ['invalid_value /limit', 'unknown_field /before', 'unknown_field /__proto__'],
  );
});

test('A list is of the links that every filter takes', () => {
  const { filter } = readList({
    ...{ state: 'paid', metadata: 'order:10:01 é', reference: bob },
    ...{ created_from: '2026-11-22T12:00:00Z', created_to: '2026-11-22T13:00:00.5+01:00' },
  });
  const times = { createdFrom: at(0).getTime(), createdTo: at(500).getTime() };
  assert.deepEqual(filter, {
    ...{ state: { name: 'paid', at: 7 }, metadata: 'order:10:01 é', reference: bob },
    ...times,
  });
  assert.deepEqual(
    faultsOf(() =>
      readList({
        state: 'x',
        metadata: '"a":b',
        reference: 'x',
        created_from: '2026',
        created_to: '2026-13-01T00:00:00Z',
      }),
    ),
    [
      'invalid_value /state',
      'invalid_value /created_to',
      'invalid_value /metadata',
      'invalid_value /reference',
      'invalid_value /created_from',
    ],
  );
});

test('Of what a wallet sends only the account is read', () => {
  assert.deepEqual(readPayBody(payShape({ account: alice, type: 'transaction', data: {}, signature: 'x' })), {
    value: alice,
  });
  const faults = [null, [], 'x', {}, { account: 1 }, { account: null }, { account: 'x' }, { account: `${alice} ` }].map(
    (body) => {
      const read = readPayBody(payShape(body));
      return 'finding' in read && `${read.finding.code} ${read.finding.pointer}`;
    },
  );
  assert.deepEqual(faults, [
    ...['wrong_type ', 'wrong_type ', 'wrong_type ', 'missing_field /account'],
    ...['wrong_type /account', 'wrong_type /account', 'invalid_address /account', 'invalid_address /account'],
  ]);
});

test('An amount in the query is exact decimal text of whole tokens', () => {
  const read = (text: string, decimals = 2): unknown => {
    const amount = readPayAmount(new URLSearchParams(text), { decimals });
    return 'value' in amount ? amount.value : amount.finding.code;
  };
  assert.deepEqual(
    [read(''), read('amount=5'), read('amount=5.00'), read('amount=1.5'), read('amount=0.01')],
    [undefined, 500n, 500n, 150n, 1n],
  );
  assert.deepEqual([read('amount=1.500'), read('amount=7.0', 0)], [150n, 7n]);
  for (const wrong of ['', '1.501', '-1', '1,5', '1e3', '.5', '5.', ' 5', '%EF%BC%95', 'Infinity', '1'.repeat(21)]) {
    assert.equal(read(`amount=${wrong}`), 'invalid_amount', wrong);
  }
  assert.equal(read('amount=1&amount=1'), 'invalid_amount');
  assert.equal(read('amount=0.5', 0), 'invalid_amount');
});

const asksWith = (headers: Record<string, string>): boolean => asksForPayPage(Object({ headers }));

test('Browsers get the page of a link, and wallets get JSON', () => {
  for (const accept of [
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html',
    'application/json;q=0.5, Text/HTML;q=0.5',
    'application/xhtml+xml',
  ]) {
    assert.equal(asksWith({ accept }), true, accept);
  }
  for (const accept of [
    '',
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0',
    'text/html;q=0.4, application/json',
    'text/*',
    'image/svg+xml',
  ]) {
    assert.equal(asksWith({ accept }), false, accept);
  }
});

test('A robot that makes previews gets the page whatever it accepts, and a wallet that accepts anything gets JSON', () => {
  for (const agent of [
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'WhatsApp/2.23.20.0 A',
    'TelegramBot (like TwitterBot)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    'Synapse (bot; +https://github.com/matrix-org/synapse)',
  ]) {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'text/html' }]) {
      assert.equal(asksWith({ ...headers, 'user-agent': agent }), true, agent);
    }
    assert.equal(asksWith({ accept: 'application/json', 'user-agent': agent }), false, agent);
  }
  for (const agent of ['', 'okhttp/4.12.0', 'Phantom/24.5 CFNetwork/1490 Darwin/23.1.0', 'node', 'curl/8.5.0']) {
    for (const headers of [{}, { accept: '*/*' }]) {
      assert.equal(asksWith({ ...headers, 'user-agent': agent }), false, agent);
    }
  }
});
