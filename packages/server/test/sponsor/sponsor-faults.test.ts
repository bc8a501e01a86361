import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeBase58, toAddress } from '../../../core/src/index.ts';
import type { ProblemCode } from '../../src/problems.ts';
import { assertSponsorAccepts, type Draft } from '../../src/sponsor/sponsor-rules.ts';
import { alice, bob } from '../app/sample-bodies.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';
import { type KoraDouble, KoraError, messageOf } from '../setup/kora-double.ts';
import { sponsored, startSponsoredService } from '../setup/sponsored-service.ts';

const stranger = generateKeyPairSync('ed25519');
const strangersAddress = encodeBase58(
  Uint8Array.from(Buffer.from(String(stranger.publicKey.export({ format: 'jwk' }).x), 'base64url')),
);

/** Makes a double answer other bytes than those that it signs. */
function tamper(change: (signed: Buffer) => Uint8Array) {
  return (kora: KoraDouble): void => {
    kora.answer = (method, result) => {
      if (method !== 'signTransaction') return result;
      const changed = change(Buffer.from(String(result.signed_transaction), 'base64'));
      return { ...result, signed_transaction: Buffer.from(changed).toString('base64') };
    };
  };
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

function withSignature(bytes: Buffer, signature: Uint8Array): Buffer {
  bytes.set(signature, 1);
  return bytes;
}

const answers = (wanted: string, change: Record<string, unknown>) => (kora: KoraDouble) => {
  kora.answer = (method, result) => (method === wanted ? { ...result, ...change } : result);
};

/** What a lying sponsor does to take more than it was given. */
const thefts: readonly [name: string, lie: (kora: KoraDouble) => void][] = [
  ['another amount', tamper((signed) => flip(signed, signed.length - 3))],
  ['another recipient', tamper((signed) => flip(signed, signed.length - 40))],
  ['one more instruction', tamper((signed) => Buffer.concat([signed, Buffer.from([5, 0, 0])]))],
  ['fewer bytes', tamper((signed) => signed.subarray(0, -1))],
  ['another blockhash', tamper((signed) => flip(signed, signed.length - 30))],
  ["something in the place of the sender's signature", tamper((signed) => flip(signed, 1 + 64))],
  ['no signature', tamper((signed) => signed.fill(0, 1, 65))],
  [
    'a signature of other bytes',
    tamper((signed) => withSignature(signed, sign(null, Buffer.from('x'), stranger.privateKey))),
  ],
  [
    "a stranger's signature",
    tamper((signed) => withSignature(signed, sign(null, messageOf(signed), stranger.privateKey))),
  ],
  ['a wallet that it was not asked for', answers('signTransaction', { signer_pubkey: strangersAddress })],
  ['nothing', answers('signTransaction', { signed_transaction: undefined })],
];

describe('a lying sponsor', () => {
  it('answers another transaction than it was given: that is its fault, and its transaction goes nowhere', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    for (const [name, lie] of thefts) {
      lie(kora);
      const problem = await refusalOf(sponsored);
      assert.deepEqual([problem.code, problem.status], ['sponsor_error', 502], name);
      assert.match(problem.detail, /^The sponsor is at fault: .* Nothing was handed out\.$/);
    }
  });

  it('asks to be paid elsewhere, or what is no amount', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    kora.rules.price = { type: 'margin', margin: 0 };
    for (const change of [
      { payment_address: alice },
      { fee_in_token: null },
      { fee_in_token: -1 },
      { fee_in_token: 2 ** 60 },
    ]) {
      answers('estimateTransactionFee', change)(kora);
      assert.equal((await refusalOf({ ...sponsored, max_sponsor_fee: '18446744073709551615' })).code, 'sponsor_error');
    }
  });

  it('names a wallet of others as its own, or rules that are none', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    for (const [method, change] of [
      ['getPayerSigner', { signer_address: alice }],
      ['getPayerSigner', { payment_address: 'x' }],
      ['getConfig', { validation_config: { max_signatures: 'many' } }],
    ] as const) {
      answers(method, change)(kora);
      assert.equal((await refusalOf(sponsored)).code, 'sponsor_error', method);
    }
  });
});

describe('a sponsor that does not answer', () => {
  const outages: readonly [name: string, code: ProblemCode, fail: (kora: KoraDouble) => void][] = [
    ['is broken', 'sponsor_unavailable', (kora) => void Object.assign(kora, { status: 503 })],
    ['has too many requests', 'sponsor_unavailable', (kora) => void Object.assign(kora, { status: 429 })],
    [
      'wants other credentials',
      'sponsor_unavailable',
      (kora) => void Object.assign(kora, { credentials: { apiKey: 'another' } }),
    ],
    ['speaks no JSON', 'sponsor_error', (kora) => void Object.assign(kora, { answer: () => '<html>' })],
    [
      'speaks without end',
      'sponsor_error',
      (kora) => void Object.assign(kora, { answer: () => `"${'x'.repeat(300_000)}"` }),
    ],
    [
      'cannot sign',
      'sponsor_unavailable',
      (kora) => {
        kora.answer = () => {
          throw new KoraError(-32_020, 'Signing error');
        };
      },
    ],
    [
      'has a method turned off',
      'sponsor_unavailable',
      (kora) => {
        kora.answer = () => {
          throw new KoraError(-32_601, 'Method not found');
        };
      },
    ],
    ['is slow', 'sponsor_timeout', (kora) => void Object.assign(kora, { wait: () => new Promise(() => undefined) })],
  ];
  for (const [name, code, fail] of outages) {
    it(`${name}: ${code}`, async (t) => {
      const { kora, refusalOf, build } = await startSponsoredService(t, { REQUEST_DEADLINE_MS: '1000' });
      fail(kora);
      assert.equal((await refusalOf(sponsored)).code, code);
      Object.assign(kora, { status: 200, credentials: {}, wait: async () => undefined });
      kora.answer = (_, result) => result;
      await build(sponsored);
    });
  }

  it('gets the API key, or a signature of each request', async (t) => {
    const key = await startSponsoredService(t, { SPONSOR_API_KEY: 'key-of-kora' });
    key.kora.credentials = { apiKey: 'key-of-kora' };
    await key.build(sponsored);
    const secret = await startSponsoredService(t, { SPONSOR_HMAC_SECRET: 'secret-of-kora' });
    secret.kora.credentials = { hmacSecret: 'secret-of-kora' };
    await secret.build(sponsored);
    assert.doesNotMatch([...key.service.log, ...secret.service.log].join(), /of-kora/);
  });
});

describe('what the sponsor would refuse', () => {
  const nonceAccount = 'gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU';
  const refusals: readonly [rule: string, rules: object, request: object, remedy: RegExp][] = [
    [
      'allowed_programs',
      { allowed_programs: ['11111111111111111111111111111111'] },
      {},
      /calls the program Token.*adds it/,
    ],
    ['disallowed_accounts', { disallowed_accounts: [alice] }, {}, /names FeX3.*takes it off/],
    ['max_signatures', { max_signatures: 1 }, {}, /2 signatures.*2 or more/],
    ['allow_durable_transactions', {}, { nonce_account: nonceAccount }, /sets it to true/],
    ['allow_create_account', { fee_payer_policy: {} }, { to_address: 'carol' }, /creates no token accounts/],
    [
      'max_allowed_lamports',
      { max_allowed_lamports: 1_000_000 },
      { to_address: 'carol' },
      /1000000 lamports.*1488440 or more/,
    ],
    ['require_one_of_programs', { require_one_of_programs: [bob] }, {}, /calls 7Py7/],
    [
      'allowed_spl_paid_tokens',
      { price: { type: 'margin', margin: 0 }, allowed_spl_paid_tokens: [bob] },
      {},
      /it takes 7Py7/,
    ],
    [
      'token_2022.blocked_mint_extensions',
      { price: { type: 'margin', margin: 0 }, token_2022: { blocked_mint_extensions: ['transfer_fee_config'] } },
      { token_mint_address: 'TAXED' },
      /takes no fees in a token with transfer_fee_config/,
    ],
    ['version 1', {}, { transaction_version: 1 }, /Leave transaction_version out/],
  ];
  it('is said before it is asked, with the rule and what its operator would set', async (t) => {
    for (const [rule, rules, request, remedy] of refusals) {
      const { kora, refusalOf, people, mintOf } = await startSponsoredService(t);
      Object.assign(kora.rules, rules);
      const to = 'to_address' in request ? { to_address: people.carol.address } : {};
      const token =
        'token_mint_address' in request ? { token_mint_address: mintOf(`${request.token_mint_address}`) } : {};
      const asked = { ...sponsored, max_sponsor_fee: '9000000', ...request, ...to, ...token };
      const { code, detail } = await refusalOf(asked);
      assert.equal(code, 'sponsor_refused', rule);
      assert.match(detail, new RegExp(`${rule}`));
      assert.match(detail, remedy);
      assert.ok(
        kora.calls.every(({ method }) => method.startsWith('get')),
        rule,
      );
    }
  });

  it('is said as it says it, where no rule of its configuration does', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    kora.countsUsers = true;
    const { code, detail } = await refusalOf(sponsored);
    assert.equal(code, 'sponsor_refused');
    assert.match(detail, /user_id is required.* \(-32001\)\.$/);
  });

  it('is also a token whose transfer hook can still change, unless it lets all pass', async () => {
    const built = await builderOf(new FakeChain()).build(sampleRequest, Number.POSITIVE_INFINITY);
    const hooked = { ...built, mint: { ...built.mint, transferHookAuthority: toAddress(bob) } };
    const rules = {
      ...{ max_allowed_lamports: 9_000_000, max_signatures: 2, disallowed_accounts: [], allowed_spl_paid_tokens: [] },
      ...{ allowed_programs: 'All' as const, fee_payer_policy: { system: { allow_create_account: true } } },
    };
    const accept = (policy: string, draft: Draft = hooked) =>
      assertSponsorAccepts({ ...rules, token_2022: { transfer_hook_policy: policy } }, draft);
    for (const policy of ['deny_all', 'deny_mutable_for_delayed_signing']) {
      assert.throws(() => accept(policy), /hook 7Py7\w+ can change, by its rule token_2022\.transfer_hook_policy\./);
      accept(policy, built);
    }
    accept('allow_all');
  });

  it('and cannot pay is refused by what it has', async (t) => {
    const empty = await startSponsoredService(t);
    empty.service.sandbox.ledger.setAccount({
      address: empty.kora.address,
      data: new Uint8Array(),
      executable: false,
      lamports: 0n,
      programAddress: '11111111111111111111111111111111',
      space: 0n,
    } as never);
    const { code, errors } = await empty.refusalOf(sponsored);
    assert.deepEqual([code, errors?.[0]?.pointer], ['insufficient_sol', '/fee_payer']);
  });
});
