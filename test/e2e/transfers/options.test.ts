import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Address, address, generateKeyPairSigner, getBase58Encoder, getTransactionDecoder } from '@solana/kit';
import { Transaction, VersionedTransaction } from '@solana/web3.js';
import { decodeToken } from '@solana-program/token-2022';
import { findAssociatedTokenAddress, toAddress } from '../../../packages/core/src/index.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { named, signWith } from '../../setup/wallets.ts';

// The tests let slots pass by the hundred: a blockhash of a second ago may be long dead.
const service = await startTestService({ after }, { BLOCKHASH_MAX_AGE_MS: '0' });
const { world, ledger } = service.sandbox;
const alice = named(world.wallets, 'alice');
const bob = named(world.wallets, 'bob');
const carol = named(world.wallets, 'carol');
const [nonceAccount] = world.nonce_accounts;
assert.ok(nonceAccount);
const secretKeys = new Map(world.wallets.map((wallet) => [String(wallet.address), wallet.secret_key]));

const operations = {
  memo: { path: '/v1/token-transfer-memo-hash', fields: { memo: 'paid' } },
  yid: { path: '/v1/token-transfer-memo-hash', fields: { yid: 'yid-7' } },
  create: { path: '/v1/create-token-account-transfer', fields: {} },
};
type OperationName = keyof typeof operations;

const reference = String((await generateKeyPairSigner()).address);
const otherReference = String((await generateKeyPairSigner()).address);

/** Every option, with values that are valid with those of any other option. */
const options: Readonly<Record<string, readonly object[]>> = {
  fee_payer: [{ fee_payer: carol.address }],
  priority_fee: [{ priority_fee: '25000' }, { priority_fee: 'high' }],
  nonce_account: [{ nonce_account: nonceAccount.address }],
  transaction_version: [{ transaction_version: 0 }, { transaction_version: 1 }],
  encoding: [{ encoding: 'base64' }, { encoding: 'base58' }],
  references: [{ references: [reference, otherReference] }],
  allow_off_curve_recipient: [{ allow_off_curve_recipient: true }],
  checks: [{ checks: 'none' }],
  simulate: [{ simulate: true }],
};

function readBytes(data: number[] | string, encoding: string | undefined): Uint8Array {
  if (typeof data !== 'string') return Uint8Array.from(data);
  return Uint8Array.from(encoding === 'base58' ? getBase58Encoder().encode(data) : Buffer.from(data, 'base64'));
}

function tokensOf(tokenAccount: string): bigint {
  const account = ledger.getAccount(address(tokenAccount));
  return account === undefined ? 0n : decodeToken(account).data.amount;
}

const lamportsOf = (wallet: string): bigint => BigInt(ledger.getAccount(address(wallet))?.lamports ?? 0);

let counter = 0;

async function build(
  operation: OperationName,
  more: object,
  mintName = 'TAXED',
): Promise<{ status: number; reply: Json }> {
  const { path, fields } = operations[operation];
  const creates = operation === 'create';
  counter += 1;
  const response = await service.post(path, {
    from_address: alice.address,
    to_address: creates ? (await generateKeyPairSigner()).address : bob.address,
    token_mint_address: named(world.mints, mintName).address,
    amount: String(1_000_000 + counter),
    ...fields,
    ...more,
  });
  return { status: response.status, reply: await response.json() };
}

async function land(operation: OperationName, more: Json, mintName?: string): Promise<Json> {
  const { status, reply } = await build(operation, { ...more, summary: true }, mintName);
  assert.equal(status, 200, JSON.stringify(reply));
  assert.deepEqual(Object.keys(reply), ['data', 'status', 'summary']);
  const { summary } = reply;
  const bytes = readBytes(reply.data.transaction ?? reply.data, more.encoding);
  assert.equal(summary.size, bytes.length);
  const signed = await signWith(
    bytes,
    summary.signers.map((signer: string) => secretKeys.get(signer)),
  );

  const before = {
    payer: lamportsOf(summary.fee_payer),
    sender: tokensOf(summary.sender_token_account),
    recipient: tokensOf(summary.recipient_token_account),
    recipientExists: ledger.getAccount(address(summary.recipient_token_account)) !== undefined,
  };
  const outcome = ledger.sendTransaction(signed);
  assert.equal(outcome.error, null, outcome.logs.join('\n'));

  const paid = BigInt(summary.network_fee) + BigInt(summary.priority_fee) + BigInt(summary.rent);
  assert.equal(before.payer - lamportsOf(summary.fee_payer), paid);
  assert.equal(before.sender - tokensOf(summary.sender_token_account), BigInt(summary.amount.base_units));
  const received = tokensOf(summary.recipient_token_account) - before.recipient;
  assert.equal(received, BigInt(summary.received_amount.base_units));
  assert.equal(received, BigInt(summary.amount.base_units) - BigInt(summary.transfer_fee.base_units));
  assert.equal(summary.creates_token_account, !before.recipientExists);
  if (summary.compute_unit_limit !== null) assert.ok(outcome.unitsConsumed <= BigInt(summary.compute_unit_limit));
  for (const each of more.references ?? []) {
    assert.equal(ledger.transactionRecordsOf(each)[0]?.signature, outcome.signature);
  }
  if (more.nonce_account) assert.equal(summary.nonce.account, more.nonce_account);
  ledger.advanceSlots(1);
  return { reply, summary, outcome, bytes };
}

describe('each option, alone and in pairs, lands exactly as the summary promised', () => {
  const names = Object.keys(options);
  for (const operation of ['memo', 'yid', 'create'] as const) {
    for (const [index, name] of names.entries()) {
      for (const other of names.slice(index)) {
        it(`${operation}: ${name === other ? name : `${name} and ${other}`}`, async () => {
          for (const value of options[name] ?? []) {
            for (const more of name === other ? [{}] : (options[other] ?? []))
              await land(operation, { ...value, ...more });
          }
        });
      }
    }
  }
});

describe('the options', () => {
  it('change nothing when they hold their defaults', async () => {
    const defaults = {
      priority_fee: 'none',
      transaction_version: 'legacy',
      encoding: 'array',
      references: [],
      allow_off_curve_recipient: false,
      checks: 'full',
      simulate: false,
      summary: false,
    };
    const plain = { amount: '77' };
    const { reply: one } = await build('memo', plain);
    const { reply: other } = await build('memo', { ...plain, ...defaults });
    assert.deepEqual(Object.keys(other), ['data', 'status']);
    const instructionsOf = (reply: Json) => Transaction.from(reply.data.transaction).instructions;
    assert.deepEqual(instructionsOf(other), instructionsOf(one));
  });

  it('let a sender without any SOL pay tokens', async () => {
    const poor = await generateKeyPairSigner();
    const rich = await land('create', { to_address: poor.address });
    assert.equal(lamportsOf(poor.address), 0n);
    assert.ok(tokensOf(rich.summary.recipient_token_account) > 0n);
    const { status, reply } = await build('memo', {
      from_address: poor.address,
      amount: '10',
      fee_payer: carol.address,
    });
    assert.equal(status, 200, JSON.stringify(reply));
    const { status: alone, reply: refused } = await build('memo', { from_address: poor.address, amount: '10' });
    assert.equal(alone, 422);
    assert.equal(refused.code, 'insufficient_sol');
  });

  it('let a nonce transaction land after the blockhashes of its time have expired', async () => {
    const { reply } = await build('memo', { nonce_account: nonceAccount.address, summary: true });
    const bytes = Uint8Array.from(reply.data.transaction);
    assert.equal(reply.data.latestBlockhash, reply.summary.nonce.value);
    assert.equal(reply.summary.blockhash, null);
    ledger.advanceSlots(400);
    const outcome = ledger.sendTransaction(await signWith(bytes, [alice.secret_key]));
    assert.equal(outcome.error, null, outcome.logs.join('\n'));
    assert.equal(ledger.sendTransaction(await signWith(bytes, [alice.secret_key])).error, 'BlockhashNotFound');
    ledger.advanceSlots(1);
  });

  it('carry a memo of 3,000 bytes in version 1, and of 3,767 at most', async () => {
    await land('memo', { transaction_version: 1, memo: 'm'.repeat(3000) });
    await land('memo', { transaction_version: 1, memo: 'm'.repeat(3767) });
    const { status, reply } = await build('memo', { transaction_version: 1, memo: 'm'.repeat(3768) });
    assert.equal(status, 400);
    assert.match(reply.errors[0].detail, /room for 3767\./);
  });

  it('count in the room for a memo, to the byte', async () => {
    const cases: Json[] = [
      {},
      { transaction_version: 0 },
      { fee_payer: carol.address },
      { references: [reference] },
      { references: [reference, otherReference], fee_payer: bob.address },
      { nonce_account: nonceAccount.address },
      { priority_fee: '1000' },
      { transaction_version: 1, priority_fee: '1000', fee_payer: carol.address, references: [reference] },
      { transaction_version: 0, priority_fee: '1000', nonce_account: nonceAccount.address, fee_payer: carol.address },
    ];
    for (const operation of ['memo', 'create'] as const) {
      for (const more of cases) {
        const long = await build(operation, { ...more, memo: 'm'.repeat(4000) });
        assert.equal(long.status, 400, JSON.stringify(long.reply));
        const limit = Number(/room for (\d+)\./.exec(long.reply.errors[0].detail)?.[1]);
        const { summary } = await land(operation, { ...more, memo: 'm'.repeat(limit) }, 'USDC');
        assert.equal(summary.size, summary.size_limit, JSON.stringify(more));
      }
    }
  });

  it('put a memo between the create and the transfer', async () => {
    for (const field of ['memo', 'yid']) {
      const { outcome } = await land('create', { [field]: 'with the account' });
      assert.equal(ledger.transactionRecord(outcome.signature)?.memo, '[16] with the account');
    }
    const { status, reply } = await build('create', { memo: 'a', yid: 'b' });
    assert.equal(status, 400);
    assert.equal(reply.errors[0].code, 'memo_and_yid');
  });

  it('are read by decoders that are not ours, in every version and encoding', async () => {
    for (const version of ['legacy', 0, 1] as const) {
      for (const encoding of ['array', 'base64', 'base58'] as const) {
        const { reply } = await build('yid', { transaction_version: version, encoding });
        const bytes = readBytes(reply.data, encoding);
        assert.ok(getTransactionDecoder().decode(bytes).signatures[alice.address as Address] === null);
        if (version === 1) continue;
        const web3 = VersionedTransaction.deserialize(bytes);
        assert.equal(web3.version, version);
        assert.deepEqual(web3.serialize(), bytes);
      }
    }
  });

  it('pay an off-curve recipient only when that is allowed', async () => {
    const vault = findAssociatedTokenAddress({
      owner: toAddress(bob.address),
      tokenProgram: toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
      mint: toAddress(carol.address),
    }).address;
    const { status, reply } = await build('create', { to_address: vault });
    assert.deepEqual([status, reply.code], [422, 'recipient_off_curve']);
    await land('create', { to_address: vault, allow_off_curve_recipient: true });
  });

  it('build without judging balances and states when checks are off, and change no byte', async () => {
    const much = { amount: '18446744073709551615', memo: 'much' };
    const { status, reply } = await build('memo', much);
    assert.deepEqual([status, reply.code], [422, 'insufficient_token_balance']);
    const unchecked = await build('memo', { ...much, checks: 'none' });
    assert.equal(unchecked.status, 200);
    const missing = await build('memo', { checks: 'none', token_mint_address: carol.address });
    assert.deepEqual([missing.status, missing.reply.code], [422, 'not_a_mint'], 'the mint is still read');
  });

  it('say in words what a simulation found, with the logs', async () => {
    const { status, reply } = await build('memo', { simulate: true, checks: 'none', amount: '18446744073709551615' });
    assert.deepEqual([status, reply.code], [422, 'simulation_failed']);
    assert.equal(
      reply.detail,
      'The simulation failed at instruction 2, the transfer by Token-2022: the balance is too small (custom error 0x1).',
    );
    assert.ok(reply.logs.some((line: string) => line.includes('insufficient funds')));
    const { summary, outcome } = await land('memo', { simulate: true });
    assert.equal(BigInt(summary.compute_units_consumed), outcome.unitsConsumed);
  });

  it('refuse a nonce account that cannot be used, each for its own reason', async () => {
    const cases: [string, string][] = [
      [String((await generateKeyPairSigner()).address), 'nonce_account_not_found'],
      [bob.address, 'not_a_nonce_account'],
      [named(world.mints, 'USDC').address, 'not_a_nonce_account'],
    ];
    for (const [nonceAddress, code] of cases) {
      const { status, reply } = await build('memo', { nonce_account: nonceAddress });
      assert.deepEqual([status, reply.code], [422, code]);
    }
    const foreign = await build('memo', {
      from_address: bob.address,
      to_address: alice.address,
      nonce_account: nonceAccount.address,
    });
    assert.ok(foreign.reply.errors.some((error: Json) => error.code === 'nonce_authority_not_a_signer'));
  });

  it('report every fault of every option at once', async () => {
    const { status, reply } = await build('memo', {
      fee_payer: 'nobody',
      priority_fee: '-1',
      nonce_account: 7,
      transaction_version: 2,
      encoding: 'hex',
      references: ['x', 5],
      allow_off_curve_recipient: 'yes',
      checks: 'some',
      simulate: 1,
      summary: 1,
    });
    assert.equal(status, 400);
    assert.deepEqual(reply.errors.map((error: Json) => `${error.pointer} ${error.code}`).sort(), [
      '/allow_off_curve_recipient wrong_type',
      '/checks invalid_value',
      '/encoding invalid_value',
      '/fee_payer invalid_address',
      '/nonce_account wrong_type',
      '/priority_fee invalid_value',
      '/references/1 wrong_type',
      '/simulate wrong_type',
      '/summary wrong_type',
      '/transaction_version invalid_value',
    ]);
    const many = Array.from({ length: 11 }, () => reference);
    const tooMany = await build('memo', { references: many });
    assert.match(tooMany.reply.errors[0].detail, /11 addresses; one transfer takes 10/);
    const twice = await build('memo', { references: [reference, reference] });
    assert.equal(twice.reply.errors[0].pointer, '/references/1');
  });

  it('refuse a priority fee above the maximum, and hold a level to it', async () => {
    const { status, reply } = await build('memo', { priority_fee: '1000000000' });
    assert.deepEqual([status, reply.code], [422, 'priority_fee_too_high']);
    assert.match(reply.detail, /allows 1000000/);
  });
});
