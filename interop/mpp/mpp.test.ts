import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import {
  address,
  createKeyPairFromBytes,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import { charge } from '@solana/mpp/server';
import { startTestService } from '../../test/setup/service.ts';

const amount = 1_250_000n;
const service = await startTestService({ after });
const { sandbox } = service;
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => {
  const wallet = sandbox.world.wallets.find((each) => each.name === name);
  assert.ok(wallet);
  return { address: wallet.address, secretKey: Uint8Array.from(getBase58Encoder().encode(wallet.secret_key)) };
});
assert.ok(alice && bob && carol);
const sponsor = await createKeyPairSignerFromBytes(carol.secretKey);
const freshWallet = async (): Promise<string> => (await generateKeyPairSigner()).address;

interface Split {
  recipient: string;
  amount: string;
  ataCreationRequired?: boolean;
}

/** What a server asks for; the recipient is Bob where no other is named. */
interface Charge {
  mint: 'USDC' | 'PYUSD';
  isSponsored?: boolean;
  externalId?: string;
  splits?: readonly Split[];
  recipient?: string;
}

interface Challenge {
  amount: string;
  currency: string;
  recipient: string;
  externalId?: string;
  methodDetails: {
    feePayer?: boolean;
    feePayerKey?: string;
    recentBlockhash?: string;
    splits?: readonly Split[];
  };
}

/** A server of `@solana/mpp`: the challenge that it makes, and its verification and settlement of a payment. */
async function challengeOf({ mint, isSponsored, externalId, splits, recipient = bob?.address ?? '' }: Charge) {
  const token = sandbox.world.mints.find(({ name }) => name === mint);
  assert.ok(token);
  const method = charge({
    recipient,
    currency: token.address,
    decimals: token.decimals,
    tokenProgram: token.token_program,
    network: 'localnet',
    rpcUrl: sandbox.rpcUrl,
    ...(isSponsored && { signer: sponsor }),
    ...(splits && { splits: [...splits] }),
  });
  const asked = { amount: String(amount), currency: token.address, recipient, methodDetails: {}, externalId };
  // Its types are those of a framework that hands over more, of which it reads nothing.
  const request = method.request as unknown as (asked: object) => Promise<Challenge>;
  const verify = method.verify as unknown as (paid: object) => Promise<{ status: string; reference: string }>;
  const challenge = await request({ request: asked });
  const settle = (transaction: string) => {
    const payload = { type: 'transaction', transaction };
    return verify({ credential: { challenge: { id: randomUUID(), request: challenge }, payload }, request: challenge });
  };
  return { challenge, settle };
}

/** The request that `docs/mpp.md` makes of a challenge. */
function bodyOf({ amount: total, currency, recipient, externalId, methodDetails }: Challenge) {
  const { feePayer, feePayerKey, recentBlockhash, splits = [] } = methodDetails;
  const ofSplits = splits.reduce((sum, split) => sum + BigInt(split.amount), 0n);
  return {
    layout: 'mpp',
    from_address: alice?.address,
    to_address: recipient,
    token_mint_address: currency,
    amount: String(BigInt(total) - ofSplits),
    splits: splits.map((split) => ({ to_address: split.recipient, amount: split.amount })),
    ...(splits.some(({ ataCreationRequired }) => ataCreationRequired) && { create_token_account: 'always' }),
    ...(feePayer && { fee_payer: feePayerKey }),
    ...(externalId && { memo: externalId }),
    ...(recentBlockhash && { recent_blockhash: recentBlockhash }),
  };
}

async function build(body: object): Promise<string> {
  const reply = await service.post('/v1/transfers', body);
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  const bytes = Uint8Array.from(Buffer.from(JSON.parse(text).data.transaction, 'base64'));
  const keyPair = await createKeyPairFromBytes(alice?.secretKey ?? new Uint8Array());
  const decoded = getTransactionDecoder().decode(bytes);
  return getBase64EncodedWireTransaction(await partiallySignTransaction([keyPair], decoded));
}

/** What a wallet has, in base units. */
async function balanceOf(wallet: string, mint: string): Promise<bigint> {
  const rpc = createSolanaRpc(sandbox.rpcUrl);
  const config = { encoding: 'jsonParsed', commitment: 'confirmed' } as const;
  const { value } = await rpc.getTokenAccountsByOwner(address(wallet), { mint: address(mint) }, config).send();
  return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
}

async function assertPays(asked: Charge, options: object = {}): Promise<void> {
  const { challenge, settle } = await challengeOf(asked);
  const { currency, recipient, methodDetails } = challenge;
  const paid: Split[] = [...(methodDetails.splits ?? [])];
  const rest = amount - paid.reduce((sum, split) => sum + BigInt(split.amount), 0n);
  const parts = [{ recipient, amount: String(rest) }, ...paid];
  const before = await Promise.all(parts.map((part) => balanceOf(part.recipient, currency)));
  const receipt = await settle(await build({ ...bodyOf(challenge), ...options }));
  assert.equal(receipt.status, 'success');
  const afterwards = await Promise.all(parts.map((part) => balanceOf(part.recipient, currency)));
  assert.deepEqual(
    afterwards.map((balance, index) => balance - (before[index] ?? 0n)),
    parts.map((part) => BigInt(part.amount)),
  );
}

const [references, known] = [[await freshWallet(), await freshWallet()], await freshWallet()];
const charges: Readonly<Record<string, [Charge, options?: object]>> = {
  'a charge of SPL Token': [{ mint: 'USDC' }],
  'a charge of Token-2022, in version 0': [{ mint: 'PYUSD' }, { transaction_version: 0 }],
  'a charge with an externalId of 400 bytes': [{ mint: 'USDC', externalId: 'order '.padEnd(400, '7') }],
  'a charge with references and the highest price': [
    { mint: 'USDC', externalId: '9' },
    { references, priority_fee: '5000000' },
  ],
  'a charge whose split has its token account created': [
    { mint: 'USDC', splits: [{ recipient: known, amount: '50000' }] },
  ],
  'a charge that requires the creation of an account that is there': [
    { mint: 'USDC', splits: [{ recipient: known, amount: '1', ataCreationRequired: true }], externalId: 'again' },
  ],
  'a charge whose fee the server pays': [{ mint: 'USDC', isSponsored: true, externalId: 'sponsored' }],
  'a charge whose fee, and rent of splits, the server pays': [
    {
      mint: 'PYUSD',
      isSponsored: true,
      splits: [
        { recipient: await freshWallet(), amount: '2', ataCreationRequired: true },
        { recipient: await freshWallet(), amount: '3', ataCreationRequired: true },
      ],
    },
    { transaction_version: 0 },
  ],
};

describe('@solana/mpp verifies and settles', () => {
  for (const [what, [asked, options]] of Object.entries(charges)) test(what, () => assertPays(asked, options));
});

describe('@solana/mpp refuses what the layout excludes:', () => {
  const refused = async (asked: Charge, options: object): Promise<void> => {
    const { challenge, settle } = await challengeOf(asked);
    await assert.rejects(
      settle(await build({ ...bodyOf(challenge), ...options })),
      /Unexpected|not authorized|exceeds/,
    );
  };
  const layout = 'default';

  test('the creation of the token account of the recipient', async () => {
    const recipient = await freshWallet();
    await refused({ mint: 'USDC', recipient }, { layout, create_token_account: 'if_missing' });
    const { challenge } = await challengeOf({ mint: 'USDC', recipient });
    assert.equal((await service.post('/v1/transfers', bodyOf(challenge))).status, 422);
  });

  test('a memo that it did not ask for', async () => refused({ mint: 'USDC' }, { memo: 'mine' }));

  test('a durable nonce', async () => {
    const [nonce] = sandbox.world.nonce_accounts;
    await refused({ mint: 'USDC' }, { layout, nonce_account: nonce?.address, recent_blockhash: undefined });
  });

  test('a higher compute limit', async () => {
    await refused({ mint: 'USDC', externalId: '漢'.repeat(60) }, { layout, priority_fee: '1' });
  });
});
