import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address, generateKeyPairSigner } from '@solana/kit';
import { Check } from 'typebox/schema';
import { verifyTransfer } from '../../../packages/client/src/verify/index.ts';
import { summarizeTransaction } from '../../../packages/core/src/index.ts';
import { replySchemas } from '../../../packages/server/src/transfers/reply-schema.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { startTestService } from '../../setup/service.ts';
import { tokensIn } from '../../setup/token-account-data.ts';
import { named, peopleOf } from '../../setup/wallets.ts';

const path = '/v1/transfers';
const service = await startTestService({ after });
const { world, ledger } = service.sandbox;
const { alice, bob, carol } = peopleOf(world);
const usdc = named(world.mints, 'USDC').address;
const taxed = named(world.mints, 'TAXED').address;
const [nonceAccount] = world.nonce_accounts;

const tokensOf = (tokenAccount: string): bigint => tokensIn(ledger, tokenAccount);
const lamportsOf = (wallet: string): bigint => BigInt(ledger.getAccount(address(wallet))?.lamports ?? 0);
const freshWallet = async (): Promise<string> => (await generateKeyPairSigner()).address;

const bodyOf = (more: object) => {
  return { from_address: alice.address, to_address: bob.address, token_mint_address: usdc, ...more };
};

async function ask(more: object): Promise<{ status: number; reply: Json }> {
  const fields = bodyOf(more);
  const response = await service.post(path, fields);
  return { status: response.status, reply: await response.json() };
}

/** Builds a transfer, lets it land, and compares every balance with what its summary promised. */
async function land(more: object): Promise<Json> {
  const { status, reply } = await ask(more);
  assert.equal(status, 200, JSON.stringify(reply));
  assert.ok(Check(replySchemas.transfer, reply), JSON.stringify(reply));
  await verifyTransfer(bodyOf(more), reply, { operation: path });
  const { transaction, signers, summary } = reply.data;
  assert.deepEqual(signers, summary.signers);
  const payments = [...summary.splits, summary];
  const paid = [...new Set<string>(payments.map(({ recipient_token_account: account }) => `${account}`))];
  const before = {
    payer: lamportsOf(summary.fee_payer),
    sender: tokensOf(`${summary.sender_token_account}`),
    paid: paid.map(tokensOf),
  };
  await landInWorld(service.sandbox, transaction, signers);
  const sum = (amounts: readonly string[]): bigint => amounts.reduce((total, each) => total + BigInt(each), 0n);
  assert.equal(
    before.sender - tokensOf(`${summary.sender_token_account}`),
    sum(payments.map(({ amount }) => amount.base_units)),
  );
  for (const [index, tokenAccount] of paid.entries()) {
    const own = payments.filter(({ recipient_token_account }) => recipient_token_account === tokenAccount);
    const received = tokensOf(tokenAccount) - (before.paid[index] ?? 0n);
    assert.equal(received, sum(own.map(({ received_amount }) => received_amount.base_units)), tokenAccount);
  }
  const cost = sum([summary.network_fee, summary.priority_fee, summary.rent]);
  assert.equal(before.payer - lamportsOf(summary.fee_payer), cost);
  ledger.advanceSlots(1);
  return reply.data;
}

describe('POST /v1/transfers lands exactly as its summary promised', () => {
  it('without a memo, in base units and in decimal tokens', async () => {
    const inBaseUnits = await land({ amount: '1500001' });
    const inTokens = await land({ amount_decimal: '1.500002' });
    assert.deepEqual(
      [inBaseUnits, inTokens].map(({ summary }) => summary.amount.base_units),
      ['1500001', '1500002'],
    );
    assert.match(inBaseUnits.lifetime.last_valid_block_height, /^[0-9]+$/);
  });

  it('with the token account created only where it is missing', async () => {
    const to = await freshWallet();
    const first = await land({ to_address: to, amount: '1' });
    const second = await land({ to_address: to, amount: '2', memo: 'again' });
    assert.deepEqual(
      [first, second].map(({ summary }) => [summary.creates_token_account, summary.rent]),
      [
        [true, '1488440'],
        [false, '0'],
      ],
    );
    const always = await land({ to_address: to, amount: '3', create_token_account: 'always' });
    assert.ok(always.summary.size > second.summary.size);
  });

  it('with splits to wallets with and without token accounts, to one twice, and to the recipient', async () => {
    const [fee, partner] = [await freshWallet(), await freshWallet()];
    const data = await land({
      token_mint_address: taxed,
      amount: '1000000',
      memo: 'order 7',
      fee_payer: carol.address,
      priority_fee: '25000',
      splits: [
        { to_address: fee, amount: '5000' },
        { to_address: partner, amount: '7000' },
        { to_address: fee, amount: '1' },
        { to_address: bob.address, amount: '9' },
      ],
    });
    assert.deepEqual(
      data.summary.splits.map((split: Json) => split.creates_token_account),
      [true, true, false, false],
    );
    assert.deepEqual(data.signers, [carol.address, alice.address]);
  });

  it('with a nonce, in every version', async () => {
    const data = await land({ amount: '1', nonce_account: nonceAccount?.address, simulate: true });
    assert.deepEqual(Object.keys(data.lifetime), ['nonce', 'nonce_account']);
    for (const transactionVersion of [0, 1]) {
      const splits = [{ to_address: await freshWallet(), amount: '1' }];
      const built = await land({ amount: '2', transaction_version: transactionVersion, splits });
      assert.equal(built.transaction_version, transactionVersion);
    }
  });
});

describe('POST /v1/transfers in the layout of x402', () => {
  it('lands with limit, price, transfer and a random memo, in this order', async () => {
    const fields = { amount: '1', layout: 'x402', fee_payer: carol.address };
    const [first, second] = [await land(fields), await land(fields)];
    for (const { transaction, summary } of [first, second]) {
      const kinds = summarizeTransaction(Uint8Array.from(Buffer.from(transaction, 'base64'))).instructions;
      assert.deepEqual(
        kinds.map(({ kind }) => kind),
        ['set_compute_unit_limit', 'set_compute_unit_price', 'transfer_checked', 'memo'],
      );
      assert.match(summary.memo, /^[0-9a-f]{32}$/);
    }
    assert.notEqual(first.summary.memo, second.summary.memo);
    assert.equal((await land({ ...fields, memo: 'order 7' })).summary.memo, 'order 7');
  });
});

describe('POST /v1/transfers in the layout of MPP', () => {
  const kindsOf = ({ transaction }: Json) =>
    summarizeTransaction(Uint8Array.from(Buffer.from(transaction, 'base64'))).instructions.map(({ kind }) => kind);

  it('lands with a limit and the memo, and creates the token accounts of splits alone', async () => {
    const splits = [
      { to_address: await freshWallet(), amount: '2' },
      { to_address: carol.address, amount: '3' },
    ];
    const data = await land({ amount: '1', layout: 'mpp', memo: 'order 7', splits, token_mint_address: taxed });
    assert.deepEqual(kindsOf(data), [
      'set_compute_unit_limit',
      'create_associated_token_account_idempotent',
      'transfer_checked',
      'create_associated_token_account_idempotent',
      'transfer_checked',
      'memo',
      'transfer_checked',
    ]);
    const always = { create_token_account: 'always', fee_payer: carol.address, priority_fee: '1' };
    const sponsored = await land({ amount: '1', layout: 'mpp', splits, ...always });
    assert.deepEqual(kindsOf(sponsored), [
      'set_compute_unit_limit',
      'set_compute_unit_price',
      'create_associated_token_account_idempotent',
      'transfer_checked',
      'create_associated_token_account_idempotent',
      'transfer_checked',
      'transfer_checked',
    ]);
  });
});

describe('POST /v1/transfers with a blockhash of the caller', () => {
  const latest = () => {
    const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash();
    return { recent_blockhash: blockhash, last_valid_block_height: lastValidBlockHeight.toString() };
  };

  it('lands, and its lifetime is the one that was sent', async () => {
    const { recent_blockhash, last_valid_block_height } = latest();
    ledger.advanceSlots(20);
    const data = await land({ amount: '1', recent_blockhash, last_valid_block_height });
    assert.deepEqual(data.lifetime, { blockhash: recent_blockhash, last_valid_block_height });
  });

  it('lands in the x402 layout, without the height: it is called valid for no shorter than it is', async () => {
    const { recent_blockhash, last_valid_block_height } = latest();
    ledger.advanceSlots(20);
    const data = await land({ amount: '1', layout: 'x402', fee_payer: carol.address, recent_blockhash });
    assert.equal(data.lifetime.blockhash, recent_blockhash);
    assert.ok(BigInt(data.lifetime.last_valid_block_height) >= BigInt(last_valid_block_height));
  });

  it('is refused once the blockhash has expired, and the ledger refuses it, too', async () => {
    const { recent_blockhash } = latest();
    ledger.advanceSlots(151);
    const { status, reply } = await ask({ amount: '1', recent_blockhash });
    assert.deepEqual([status, reply.code, reply.errors[0].pointer], [422, 'blockhash_not_valid', '/recent_blockhash']);
    assert.ok(reply.detail.includes(recent_blockhash));
    assert.equal(ledger.isBlockhashValid(recent_blockhash), false);
  });

  it('is refused with a height that cannot be its last', async () => {
    const { recent_blockhash, last_valid_block_height } = latest();
    for (const difference of [1_000_000n, -1_000n]) {
      const height = BigInt(last_valid_block_height) + difference;
      const more = { recent_blockhash, last_valid_block_height: `${height < 0n ? 0n : height}` };
      const { status, reply } = await ask({ amount: '1', ...more });
      assert.deepEqual([status, reply.code], [422, 'blockhash_not_valid']);
      assert.equal(reply.errors[0].pointer, '/last_valid_block_height');
    }
  });
});
