import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import {
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  generateKeyPairSigner,
  type KeyPairSigner,
} from '@solana/kit';
import { SOLANA_DEVNET_CAIP2, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import { settle, verify } from 'x402/facilitator';
import { startTestService } from '../../test/setup/service.ts';
import { openOnePort } from './one-port.ts';
import { buildWithoutMemo, signAsSender, walletOf } from './payment.ts';

const amount = 1_250_000n;
const references = await Promise.all(Array.from({ length: 3 }, async () => (await generateKeyPairSigner()).address));

const service = await startTestService({ after });
const { sandbox } = service;
const portOf = (url: string): number => Number(new URL(url).port);
const port = await openOnePort(portOf(sandbox.rpcUrl), portOf(sandbox.webSocketUrl));
after(() => port.close());

interface Options {
  layout?: 'x402' | 'default';
  transaction_version?: 0;
  memo?: string;
  references?: readonly string[];
  priority_fee?: string;
  fee_payer?: string;
}

/** What is paid; `facilitator` is Carol where nobody is named. */
interface Payment {
  mint: 'USDC' | 'PYUSD';
  facilitator?: 'bob' | 'carol';
  options?: Options;
}

const payments: Readonly<Record<string, Payment>> = {
  'a payment of SPL Token': { mint: 'USDC' },
  'a payment of Token-2022': { mint: 'PYUSD' },
  'a payment in version 0 with a memo of 256 bytes': {
    mint: 'USDC',
    options: { transaction_version: 0, memo: 'é'.repeat(128) },
  },
  'a payment with references': { mint: 'PYUSD', options: { references } },
  'a payment with the highest price': { mint: 'USDC', options: { priority_fee: '5000000' } },
  'a payment to its facilitator': { mint: 'USDC', facilitator: 'bob' },
};

interface Prepared {
  transaction: string;
  asset: string;
  payTo: string;
  facilitator: KeyPairSigner;
  memo: string | undefined;
}

async function prepare(
  { mint, facilitator = 'carol', options }: Payment,
  parts: Options = {},
  hasMemo = true,
): Promise<Prepared> {
  const [alice, bob, payer] = ['alice', 'bob', facilitator].map((name) => walletOf(sandbox, name));
  const asset = sandbox.world.mints.find(({ name }) => name === mint)?.address;
  assert.ok(alice && bob && payer && asset);
  const body = {
    layout: 'x402' as const,
    from_address: alice.address,
    to_address: bob.address,
    token_mint_address: asset,
    amount: String(amount),
    fee_payer: payer.address,
    ...options,
    ...parts,
  };
  const bytes = hasMemo ? await buildOverHttp(body) : await buildWithoutMemo(sandbox, inputsOf(body));
  const transaction = await signAsSender(bytes, alice.secretKey);
  const signer = await createKeyPairSignerFromBytes(payer.secretKey);
  return { transaction, asset, payTo: bob.address, facilitator: signer, memo: body.memo };
}

async function buildOverHttp(body: object): Promise<Uint8Array> {
  const reply = await service.post('/v1/transfers', body);
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  return Uint8Array.from(Buffer.from(JSON.parse(text).data.transaction, 'base64'));
}

function inputsOf(
  body: Options & { from_address: string; to_address: string; token_mint_address: string; amount: string },
) {
  const { from_address: from, to_address: to, token_mint_address: mint, fee_payer: feePayer, amount: text } = body;
  const { layout, references: found, priority_fee: priorityFee } = body;
  return {
    layout,
    createTokenAccount: 'never' as const,
    from,
    to,
    mint,
    amount: text,
    feePayer,
    references: found,
    priorityFee,
  };
}

/** What the recipient has, in base units. */
async function received({ asset, payTo }: Prepared): Promise<bigint> {
  const rpc = createSolanaRpc(sandbox.rpcUrl);
  const { value } = await rpc
    .getTokenAccountsByOwner(
      address(payTo),
      { mint: address(asset) },
      { encoding: 'jsonParsed', commitment: 'confirmed' },
    )
    .send();
  return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
}

/** A facilitator of one of the packages: what it says of a payment, and what came of it. */
interface Facilitator {
  verify(payment: Prepared): Promise<{ isValid: boolean; invalidReason?: string | undefined }>;
  settle(payment: Prepared): Promise<{ success: boolean; errorReason?: string | undefined; transaction: string }>;
}

const rules = {
  scheme: 'exact',
  resource: 'https://shop.example/report',
  description: '',
  mimeType: '',
  maxTimeoutSeconds: 60,
} as const;
const extraOf = ({ facilitator, memo }: Prepared) => ({ feePayer: facilitator.address, ...(memo && { memo }) });

function paidOf<Network extends string>(payment: Prepared, x402Version: 1 | 2, network: Network) {
  const { transaction, asset, payTo } = payment;
  const [maxAmountRequired, extra] = [String(amount), extraOf(payment)];
  const accepted = { ...rules, network, amount: maxAmountRequired, maxAmountRequired, asset, payTo, extra };
  return [{ x402Version, scheme: rules.scheme, network, accepted, payload: { transaction } }, accepted] as const;
}

const v1Of = (payment: Prepared) => paidOf(payment, 1, 'solana-devnet');
// The class of version 1 has the types of version 2, in which its networks have other names.
const untypedV1Of = (payment: Prepared) => v1Of(payment) as unknown as Parameters<ExactSvmSchemeV1['verify']>;
const v2Of = (payment: Prepared) => paidOf(payment, 2, SOLANA_DEVNET_CAIP2);

const signerOf = ({ facilitator }: Prepared) => toFacilitatorSvmSigner(facilitator, { defaultRpcUrl: sandbox.rpcUrl });
const config = () => ({ svmConfig: { rpcUrl: port.url } });

const facilitators: Readonly<Record<string, Facilitator>> = {
  '@x402/svm, version 2 of the protocol': {
    verify: (payment) => new ExactSvmScheme(signerOf(payment)).verify(...v2Of(payment)),
    settle: (payment) => new ExactSvmScheme(signerOf(payment)).settle(...v2Of(payment)),
  },
  '@x402/svm, version 1 of the protocol': {
    verify: (payment) => new ExactSvmSchemeV1(signerOf(payment)).verify(...untypedV1Of(payment)),
    settle: (payment) => new ExactSvmSchemeV1(signerOf(payment)).settle(...untypedV1Of(payment)),
  },
};
const x402V1: Facilitator = {
  verify: (payment) => verify(payment.facilitator, ...v1Of(payment), config()),
  settle: (payment) => settle(payment.facilitator, ...v1Of(payment), config()),
};

async function assertPays(facilitator: Facilitator, payment: Prepared): Promise<void> {
  const { isValid, invalidReason } = await facilitator.verify(payment);
  assert.ok(isValid, invalidReason);
  const expected = (await received(payment)) + amount;
  const { success, errorReason, transaction } = await facilitator.settle(payment);
  assert.ok(success, errorReason);
  assert.ok(transaction.length > 80);
  assert.equal(await received(payment), expected);
}

for (const [name, facilitator] of Object.entries(facilitators)) {
  describe(`${name}, verifies and settles`, () => {
    for (const [what, payment] of Object.entries(payments)) {
      // With one memo for all, two facilitators might be sent the same transaction.
      const memo = payment.options?.memo && randomBytes(128).toString('hex');
      test(what, async () => assertPays(facilitator, await prepare(payment, memo ? { memo } : {})));
    }

    test('two payments of the same amount, one after the other', async () => {
      for (const payment of [await prepare({ mint: 'USDC' }), await prepare({ mint: 'USDC' })]) {
        await assertPays(facilitator, payment);
      }
    });
  });

  test(`${name}, refuses the default layout`, async () => {
    const parts = { layout: 'default', memo: 'order 1', priority_fee: '1' } as const;
    const { isValid } = await facilitator.verify(await prepare({ mint: 'USDC' }, parts));
    assert.equal(isValid, false);
  });
}

describe('x402 1.2, which takes three instructions,', () => {
  for (const [what, payment] of Object.entries(payments)) {
    if (payment.options?.memo !== undefined) continue;
    test(`verifies and settles ${what}, without a memo`, async () => {
      await assertPays(x402V1, await prepare(payment, {}, false));
    });
  }

  test('refuses any memo', async () => {
    assert.deepEqual(
      (await x402V1.verify(await prepare({ mint: 'USDC' }))).invalidReason,
      'invalid_exact_svm_payload_transaction_instructions_length',
    );
  });
});
