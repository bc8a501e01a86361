import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address } from '@solana/kit';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { verifyBatch } from '../../../client/src/verify/index.ts';
import { findAssociatedTokenAddress, readTransferIntent, toAddress, tokenProgram } from '../../../core/src/index.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { type KeyRestrictions, sandboxApiKey, unrestricted } from '../../src/keys/authenticated-key.ts';
import { openKeyStore } from '../../src/serve/store/open-key-store.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';
import type { KoraDouble } from '../setup/kora-double.ts';
import { sponsored, startSponsoredService } from '../setup/sponsored-service.ts';

const paid = { ...sponsored, max_sponsor_fee: '100000' };
const feeOfTwoSignatures = Math.ceil((10_000 + 50) * 1.1 * 2);

function margin(kora: KoraDouble): void {
  kora.rules.price = { type: 'margin', margin: 0.1 };
}

describe('a transfer with fee_payer "sponsor"', () => {
  it('is signed by a free sponsor, which pays the network fee, and lands with the signature of the sender', async (t) => {
    const { kora, build, land, solOf, tokensOf } = await startSponsoredService(t);
    const [sol, sponsorSol, tokens] = [solOf(alice), solOf(kora.address), tokensOf(bob)];
    const data = await build(sponsored);
    assert.deepEqual(data.signers, [kora.address, alice]);
    assert.equal(data.summary.sponsor_fee, undefined);
    await land(data.transaction);
    assert.deepEqual(
      [solOf(alice), sponsorSol - solOf(kora.address), tokensOf(bob) - tokens],
      [sol, 10_000n, 1_500_000n],
    );
    const called = kora.calls.map(({ method, signerKey }) => [method, signerKey]);
    assert.deepEqual(called.slice(2), [['signTransaction', kora.address]]);
    await build({ ...sponsored, memo: 'again' });
    assert.equal(kora.calls.length, 4, 'its terms are asked for once');
  });

  it('is of one wallet of a sponsor that has several and answers with each in turn', async (t) => {
    const { kora, service, build, land } = await startSponsoredService(t);
    const second = keypairFromName('second wallet of a sponsor');
    kora.pool.push(second);
    service.sandbox.ledger.airdrop(address(second.address), 1_000_000_000n);
    margin(kora);
    const data = await build(paid);
    const named = kora.calls.flatMap(({ signerKey }) => signerKey ?? []);
    assert.deepEqual(named, Array(named.length).fill(data.signers[0]));
    await land(data.transaction);
  });

  it('is built under the terms that the sponsor has now, where it has others than a moment ago', async (t) => {
    const { kora, service, build, refusalOf, people } = await startSponsoredService(t);
    await build(sponsored);
    const other = keypairFromName('another wallet of a sponsor');
    service.sandbox.ledger.airdrop(address(other.address), 1_000_000_000n);
    kora.pool = [other];
    assert.deepEqual((await build({ ...paid, memo: 'wallet' })).signers, [other.address, alice]);
    margin(kora);
    const toCarol = { ...paid, to_address: people.carol.address, max_sponsor_fee: '9000000' };
    assert.equal((await build(toCarol)).summary.sponsor_fee.recipient, bob, 'it was free');
    const paidAt = { payment_address: people.carol.address };
    kora.answer = (_, result) => ('payment_address' in result ? { ...result, ...paidAt } : result);
    const { code, detail } = await refusalOf(toCarol);
    assert.equal(code, 'recipient_token_account_not_found');
    assert.match(detail, /^The sponsor cannot be paid/);
  });

  it('pays a sponsor that asks for its costs in the token that is sent, by one more payment which the reply names', async (t) => {
    const { kora, build, land, solOf, tokensOf, people } = await startSponsoredService(t);
    margin(kora);
    const [sol, tokens] = [solOf(alice), tokensOf(alice)];
    const fee = Math.ceil((10_000 + 293 * 5_080 + 50) * 1.1 * 2);
    const data = await build({
      ...paid,
      to_address: people.carol.address,
      max_sponsor_fee: `${fee}`,
      memo: 'sponsored',
    });
    assert.deepEqual(data.summary.sponsor_fee, {
      token_mint_address: usdc,
      recipient: bob,
      recipient_token_account: ataOf(bob),
      amount: { base_units: `${fee}`, decimal: `${fee / 1e6}` },
    });
    assert.equal(data.summary.amount.base_units, '1500000');
    await land(data.transaction);
    assert.deepEqual([solOf(alice), tokens - tokensOf(alice)], [sol, 1_500_000n + BigInt(fee)]);
  });

  it('pays the fee in another token, and is found as the payment that it is', async (t) => {
    const { kora, build, land, tokensOf, mintOf } = await startSponsoredService(t);
    margin(kora);
    kora.rules.allowed_spl_paid_tokens = [mintOf('PYUSD')];
    const [sent, fees] = [tokensOf(alice), tokensOf(alice, mintOf('PYUSD'))];
    const got = tokensOf(bob, mintOf('PYUSD'));
    const asked = { ...paid, sponsor_fee_token_mint_address: mintOf('PYUSD'), max_sponsor_fee: '9000000' };
    const data = await build(asked);
    assert.equal(data.summary.sponsor_fee.amount.base_units, `${feeOfTwoSignatures}`);
    const read = readTransferIntent(Buffer.from(data.transaction, 'base64'));
    assert.ok('intent' in read && read.intent.mint === usdc && read.intent.payments.length === 1);
    await land(data.transaction);
    assert.deepEqual(
      [sent - tokensOf(alice), fees - tokensOf(alice, mintOf('PYUSD'))],
      [1_500_000n, BigInt(feeOfTwoSignatures)],
    );
    assert.equal(tokensOf(bob, mintOf('PYUSD')) - got, BigInt(feeOfTwoSignatures));
  });

  it('is refused where the sponsor has no account for the token of its fee, since its rent would be its own', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t, {}, 'carol');
    margin(kora);
    const { code, detail, errors } = await refusalOf(paid);
    assert.deepEqual(
      [code, errors?.[0]?.pointer],
      ['recipient_token_account_not_found', '/sponsor_fee_token_mint_address'],
    );
    assert.match(detail, /kora rpc initialize-atas/);
  });

  it('pays a fixed price', async (t) => {
    const { kora, build, land } = await startSponsoredService(t);
    kora.rules.price = { type: 'fixed', amount: 77, token: usdc, strict: false };
    const data = await build(paid);
    assert.equal(data.summary.sponsor_fee.amount.base_units, '77');
    await land(data.transaction);
  });

  it('is not built for a fee above max_sponsor_fee, which is 0 where it is left out: the refusal has both numbers', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    margin(kora);
    const { code, detail } = await refusalOf({ ...sponsored, max_sponsor_fee: `${feeOfTwoSignatures - 1}` });
    assert.equal(code, 'sponsor_fee_too_high');
    assert.match(detail, new RegExp(`asks for ${feeOfTwoSignatures} .*allows ${feeOfTwoSignatures - 1}\\.`));
    assert.match((await refusalOf(sponsored)).detail, /max_sponsor_fee allows 0\./);
    assert.ok(kora.calls.every(({ method }) => method !== 'signTransaction'));
  });

  it('is not built for a sender who can pay the amount, but not the fee too: the refusal has both numbers', async (t) => {
    const { kora, refusalOf, tokensOf } = await startSponsoredService(t);
    margin(kora);
    const { code, detail } = await refusalOf({ ...paid, amount: `${tokensOf(alice)}` });
    assert.equal(code, 'insufficient_token_balance');
    assert.match(
      detail,
      /\(1000000 tokens\) for the payment and 22110 base units \(0\.02211 tokens\) for the sponsor's fee/,
    );
    assert.ok(kora.calls.every(({ method }) => method !== 'signTransaction'));
  });

  it('asks once more where the sponsor wants more than it has just asked for, and not a third time', async (t) => {
    const { kora, build, refusalOf, people } = await startSponsoredService(t);
    margin(kora);
    // One that is not paid by the payment itself.
    const asked = { ...paid, to_address: people.carol.address, max_sponsor_fee: '9000000' };
    kora.answer = (method, result) => {
      if (method === 'estimateTransactionFee' && kora.rate === 2) kora.rate = 3;
      return result;
    };
    const data = await build(asked);
    assert.equal(data.summary.sponsor_fee.amount.base_units, String(Math.ceil((10_000 + 293 * 5_080 + 50) * 1.1 * 3)));
    assert.equal(kora.calls.filter(({ method }) => method === 'signTransaction').length, 2);
    kora.surcharge = 1;
    const { code, detail } = await refusalOf(asked);
    assert.equal(code, 'sponsor_refused');
    assert.match(detail, /Insufficient token payment/);
  });

  it('is not built from a wallet of the sponsor, whose signature would send its tokens', async (t) => {
    const { kora, refusalOf } = await startSponsoredService(t);
    for (const from of [kora.address, bob]) {
      const { code } = await refusalOf({ ...sponsored, from_address: from, to_address: alice });
      assert.equal(code, 'sponsor_refused', from);
    }
    assert.ok(kora.calls.every(({ method }) => method !== 'signTransaction'));
  });

  it('costs one signature under an Idempotency-Key: retries get the same bytes, also while the sponsor is away', async (t) => {
    const { kora, post } = await startSponsoredService(t);
    const headers = { 'idempotency-key': 'order-1' };
    const first = await post(sponsored, headers);
    assert.equal(first.status, 200);
    const text = await first.text();
    kora.status = 500;
    const again = await post(sponsored, headers);
    assert.deepEqual(
      [again.status, again.headers.get('idempotency-replayed'), await again.text()],
      [200, 'true', text],
    );
    assert.equal(kora.calls.filter(({ method }) => method === 'signTransaction').length, 1);
  });

  it('works with a layout of its own alone, without a tip, and only where there is a sponsor', async (t) => {
    const { service, refusalOf } = await startSponsoredService(t);
    const tipped = await refusalOf({ ...sponsored, tip: { account: bob, lamports: '1000000' } });
    assert.deepEqual(
      [tipped.code, tipped.errors?.[0]?.pointer],
      ['invalid_request', '/tip'],
      'the sponsor would pay it',
    );
    const { code, errors } = await refusalOf({ ...sponsored, layout: 'mpp' });
    assert.deepEqual([code, errors?.[0]?.pointer], ['invalid_request', '/fee_payer']);
    assert.ok(service);
    const without = await startSponsoredService(t, { SPONSOR_URL: '' });
    assert.equal((await without.refusalOf(sponsored)).code, 'sponsor_not_configured');
  });
});

describe('GET /v1/sponsor', () => {
  it('says who pays, what it has, what it takes and what it signs', async (t) => {
    const { kora, service, mintOf } = await startSponsoredService(t);
    margin(kora);
    kora.rules.allowed_spl_paid_tokens = [mintOf('PYUSD')];
    kora.rules.allowed_programs = 'All';
    const headers = { authorization: `Bearer ${sandboxApiKey}` };
    const response = await fetch(`${service.url}/v1/sponsor`, { headers });
    assert.deepEqual(Object(await response.json()).data, {
      address: kora.address,
      payment_address: bob,
      balance: '1000000000',
      is_free: false,
      fee_token_mint_addresses: [mintOf('PYUSD')],
      allowed_programs: null,
      creates_token_accounts: true,
      max_lamports: '2000000',
      takes_nonces: false,
    });
  });
});

describe('an API key with limits on what sponsors pay', () => {
  it('is held to its lamports of a day by parallel requests, and pays no rent unless it may', async (t) => {
    const databaseUrl = `sqlite:${temporaryFolder(t)}/keys.db`;
    const { kora, people, post } = await startSponsoredService(t, { DATABASE_URL: databaseUrl });
    const store = await openKeyStore(databaseUrl);
    t.after(() => store.close());
    const keyWith = async (restrictions: Partial<KeyRestrictions>) => {
      const settings = { name: 'app', expiresAt: null, restrictions: { ...unrestricted, ...restrictions } };
      return { authorization: `Bearer ${(await store.create(settings)).key}` };
    };
    const limited = await keyWith({ sponsoredLamportsPerDay: 25_000n });
    const replies = await Promise.all(['a', 'b', 'c', 'd'].map((memo) => post({ ...sponsored, memo }, limited)));
    const codes = await Promise.all(replies.map(async (reply) => Object(await reply.json()).code ?? 'built'));
    assert.deepEqual(codes.toSorted(), ['built', 'built', 'daily_limit_reached', 'daily_limit_reached']);
    const toCarol = { ...sponsored, to_address: people.carol.address };
    const signed = kora.calls.length;
    assert.equal(Object(await (await post(toCarol, limited)).json()).code, 'key_not_allowed');
    const toClosed = { ...sponsored, create_token_account: 'always' };
    const problem = Object(await (await post(toClosed, limited)).json());
    assert.equal(
      problem.code,
      'key_not_allowed',
      'bob may close his account, and have it made again by this transaction',
    );
    assert.equal(kora.calls.length, signed, 'the sponsor is not asked');
    const withRent = await keyWith({ sponsorsRent: true });
    assert.equal((await post(toCarol, withRent)).status, 200);
    const ofMint = await keyWith({ mints: new Set([usdc]), fromAddresses: new Set([alice]) });
    assert.equal((await post(sponsored, ofMint)).status, 200, 'the sponsor is no sender');
    const perTransfer = new Map([[usdc, { perTransfer: 1_000_000n, perDay: null }]]);
    const once = await keyWith({ sponsoredLamportsPerDay: 10_000n, amounts: perTransfer });
    const ofTokens = { ...sponsored, amount: undefined };
    assert.equal((await post({ ...ofTokens, amount_decimal: '1.5' }, once)).status, 403, 'signed, and too much');
    assert.equal(
      (await post({ ...ofTokens, amount_decimal: '0.5' }, once)).status,
      200,
      'what is refused costs nothing',
    );
    const inBobs = await post({ ...paid, sponsor_fee_token_mint_address: bob }, ofMint);
    assert.equal(Object(await inBobs.json()).code, 'key_not_allowed');
  });
});

describe('a batch with fee_payer "sponsor"', () => {
  it('has each of its transactions signed and paid for by itself, within one bound for all', async (t) => {
    const { kora, service, land, tokensOf, solOf } = await startSponsoredService(t);
    margin(kora);
    const transfers = Array.from({ length: 40 }, (_, index) => ({
      to_address: bob,
      amount: '1000',
      memo: `payout ${index}`,
    }));
    const batch = { from_address: alice, token_mint_address: usdc, transfers, fee_payer: 'sponsor' };
    const refused = await service.post('/v1/transfers/batch', { ...batch, max_sponsor_fee: `${feeOfTwoSignatures}` });
    const { code, detail } = Object(await refused.json());
    assert.deepEqual([code, refused.status], ['sponsor_fee_too_high', 422]);
    const total = Number(/asks for (\d+)/.exec(detail)?.[1]);
    const response = await service.post('/v1/transfers/batch', { ...batch, max_sponsor_fee: `${total}` });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { data } = JSON.parse(text);
    assert.ok(data.transactions.length > 1);
    assert.equal(total, data.transactions.length * feeOfTwoSignatures);
    assert.equal(data.summary.sponsor_fee.amount.base_units, `${total}`);
    const [sol, tokens] = [solOf(alice), tokensOf(alice)];
    for (const { transaction, sponsor_fee: fee } of data.transactions) {
      assert.equal(fee.amount.base_units, `${feeOfTwoSignatures}`);
      await land(transaction);
    }
    assert.deepEqual([solOf(alice), tokens - tokensOf(alice)], [sol, 40_000n + BigInt(total)]);
  });
});

describe('a retry of a batch with a sponsor that is paid', () => {
  it('names the fee of each transaction that may still land, so that the client verifies it', async (t) => {
    const { kora, service, land } = await startSponsoredService(t);
    margin(kora);
    const transfers = Array.from({ length: 40 }, (_, index) => ({
      to_address: bob,
      amount: '1000',
      memo: `payout ${index}`,
    }));
    const batch = { from_address: alice, token_mint_address: usdc, transfers, ...{ fee_payer: 'sponsor' } };
    const request = { ...batch, max_sponsor_fee: '9000000' };
    const ask = async () => {
      const response = await service.post('/v1/transfers/batch', request, { 'idempotency-key': 'payday' });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text);
    };
    const first = await ask();
    const total = feeOfTwoSignatures * first.data.transactions.length;
    await verifyBatch({ ...request, max_sponsor_fee: `${total}` }, first);
    const tooLow = verifyBatch({ ...request, max_sponsor_fee: `${total - 1}` }, first);
    await assert.rejects(tooLow, { code: 'sponsor_fee_not_allowed' }, 'the bound is of all together');
    await land(first.data.transactions[0].transaction);
    service.sandbox.ledger.advanceSlots(2);
    const again = await ask();
    const { landed, pending, sentence } = await verifyBatch(request, again);
    assert.equal(landed.length, 1);
    assert.ok(sentence.includes(`; ${kora.address} pays the network fee; `), sentence);
    const fees = feeOfTwoSignatures * pending.length;
    assert.ok(sentence.includes(`; ${fees} base units of the mint ${usdc} are the sponsor's fee; `), sentence);
    assert.deepEqual(
      pending.map(({ sponsorFee }) => sponsorFee?.amount),
      first.data.transactions.slice(1).map(() => BigInt(feeOfTwoSignatures)),
    );
  });

  it('pays it no more than max_sponsor_fee in all, with what has landed', async (t) => {
    const { kora, service, land } = await startSponsoredService(t);
    margin(kora);
    const transfers = [...Array(40).keys()].map((index) => ({ to_address: bob, amount: '1', memo: `payout ${index}` }));
    const max = `${2 * feeOfTwoSignatures}`;
    const batch = {
      from_address: alice,
      token_mint_address: usdc,
      transfers,
      fee_payer: 'sponsor',
      max_sponsor_fee: max,
    };
    const ask = () => service.post('/v1/transfers/batch', batch, { 'idempotency-key': 'payday' });
    const { data } = Object(await (await ask()).json());
    assert.equal(data.transactions.length, 2);
    await land(data.transactions[0].transaction);
    service.sandbox.ledger.advanceSlots(200);
    kora.rate += 1;
    const { code, detail } = Object(await (await ask()).json());
    assert.equal(code, 'sponsor_fee_too_high');
    const fee = feeOfTwoSignatures * 1.5;
    assert.match(
      detail,
      new RegExp(`asks for ${fee} .*, and earlier .* ${feeOfTwoSignatures}; max_sponsor_fee allows ${max}\\.`),
    );
    kora.rate -= 1;
    assert.equal((await ask()).status, 200);
  });
});

function ataOf(owner: string): string {
  return findAssociatedTokenAddress({ owner: toAddress(owner), tokenProgram, mint: toAddress(usdc) }).address;
}
