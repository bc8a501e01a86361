import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type Address, address, generateKeyPairSigner } from '@solana/kit';
import { summarizeTransaction } from '../../../packages/core/src/index.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import type { Json } from '../../setup/json.ts';
import { signInWorld } from '../../setup/land.ts';
import { readTokenAccount } from '../../setup/token-account-data.ts';
import { freeze } from '../../setup/token-account-states.ts';
import { associatedTokenAccountOf, createTokenAccounts } from '../../setup/token-accounts.ts';
import { blockedByGate, flagOf, gatePrograms, type TokenAclPlan } from '../../setup/token-acl.ts';
import { type TokenMintKind, tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { createTokenMint, finishTokenMint, type TokenMint } from '../../setup/token-mints.ts';
import { setLamports } from '../../setup/token-wallets.ts';
import { startLinkService } from '../links/link-service.ts';

const path = '/v1/transfers';
const { service, ledger, client, alice, carol, land } = await startLinkService(test);
const freshWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address;

let made = 0;

interface MintPlan {
  kind?: TokenMintKind;
  tokenAcl?: TokenAclPlan;
  /** A wallet whose token account is there, and frozen. */
  frozenFor?: Address;
  isSenderFrozen?: boolean;
}

/** Makes a mint whose accounts begin frozen, of which alice and carol have tokens. */
async function mintOf({ kind, tokenAcl, frozenFor, isSenderFrozen }: MintPlan): Promise<TokenMint> {
  const base: TokenMintKind = kind ?? { ...tokenMintKinds['2022-acl-allow'], ...(tokenAcl && { tokenAcl }) };
  const mint = await createTokenMint(ledger, base, `token acl ${made++}`);
  const [sender, other] = [address(alice.address), address(carol.address)];
  const holders = [sender, other].map((owner) => ({ owner, amount: 1_000_000n }));
  await createTokenAccounts(ledger, mint, frozenFor ? [...holders, { owner: frozenFor, amount: 0n }] : holders);
  const frozen = [...(frozenFor ? [frozenFor] : []), ...(isSenderFrozen ? [sender] : [])];
  for (const owner of frozen) {
    freeze({ ledger, mint, address: await associatedTokenAccountOf(mint, owner) });
  }
  await finishTokenMint(ledger, mint);
  return mint;
}

const bodyOf = (mint: TokenMint, to: Address, more: object = {}) => ({
  from_address: alice.address,
  to_address: to,
  token_mint_address: mint.address,
  amount: '1000',
  ...more,
});

async function build(request: object, at = path): Promise<Json> {
  const response = await service.post(at, request);
  const reply: Json = await response.json();
  assert.equal(response.status, 200, JSON.stringify(reply));
  return reply;
}

async function codesOf(request: object, at = path): Promise<string[]> {
  const response = await service.post(at, request);
  const problem: Json = await response.json();
  assert.equal(response.status, 422, JSON.stringify(problem));
  return (problem.errors ?? [problem]).map(({ code }: { code: string }) => code);
}

const bytesOf = (reply: Json): Uint8Array => Uint8Array.from(Buffer.from(reply.data.transaction, 'base64'));

async function send(bytes: Uint8Array) {
  return ledger.sendTransaction(await signInWorld(service.sandbox, bytes));
}

/** Lets the transaction of a reply land, and compares the recipient's token account and the payer's SOL with its summary. */
async function landReply(reply: Json): Promise<void> {
  const { summary } = reply.data;
  const [payer, paid] = [address(summary.fee_payer), address(summary.recipient_token_account)];
  const lamports = ledger.getAccount(payer)?.lamports ?? 0n;
  const held = readTokenAccount(ledger, paid)?.amount ?? 0n;
  const { error, logs } = await send(bytesOf(reply));
  assert.equal(error, null, logs.join('\n'));
  const after = readTokenAccount(ledger, paid);
  assert.deepEqual([after?.amount, after?.isFrozen], [held + BigInt(summary.amount.base_units), false]);
  const cost = BigInt(summary.network_fee) + BigInt(summary.priority_fee) + BigInt(summary.rent);
  assert.equal(lamports - (ledger.getAccount(payer)?.lamports ?? 0n), cost);
}

const callsTokenAcl = (bytes: Uint8Array): boolean =>
  summarizeTransaction(bytes).instructions.some(({ kind }) => kind === 'thaw_token_account');

for (const [name, gateProgram] of Object.entries({
  'a gate program that reads nothing': gatePrograms.always_allow,
  'a gate program that reads five accounts': gatePrograms.always_allow_with_deps,
})) {
  describe(`a mint of Token ACL with ${name}`, async () => {
    const tokenAcl = { gateProgram, thaws: true };

    it('has the token account of its recipient created, thawed and paid, in every version and with a priority fee', async () => {
      const mint = await mintOf({ tokenAcl });
      for (const options of [{}, { transaction_version: 0, memo: 'order 7' }, { transaction_version: 1 }]) {
        for (const priority of [{}, { priority_fee: '25000' }]) {
          const reply = await build(bodyOf(mint, await freshWallet(), { ...options, ...priority }));
          const { summary } = reply.data;
          assert.deepEqual([summary.creates_token_account, summary.thaws_token_account], [true, true]);
          assert.ok(summary.compute_units_consumed > 0);
          const warning = summary.warnings.find(({ code }: { code: string }) => code === 'token_account_thawed');
          assert.ok(warning.detail.includes(gateProgram) && warning.detail.includes(summary.recipient_token_account));
          await landReply(reply);
        }
      }
    });

    it('has a frozen token account thawed and paid once, and then paid as any other', async () => {
      const to = await freshWallet();
      const mint = await mintOf({ tokenAcl, frozenFor: to });
      const first = await build(bodyOf(mint, to));
      assert.deepEqual(
        [first.data.summary.creates_token_account, first.data.summary.thaws_token_account],
        [false, true],
      );
      await landReply(first);
      const second = await build(bodyOf(mint, to, { memo: 'again' }));
      assert.equal(second.data.summary.thaws_token_account, false);
      assert.equal(callsTokenAcl(bytesOf(second)), false);
      await landReply(second);
    });
  });
}

describe('the thaw of a token account', async () => {
  const tokenAcl = { gateProgram: gatePrograms.always_allow_with_deps, thaws: true };
  const mint = await mintOf({ tokenAcl });

  it('is asked for by the sender, also where another wallet pays, and once for each recipient', async () => {
    const [to, other] = [await freshWallet(), await freshWallet()];
    const splits = [other, to, other].map((wallet) => ({ to_address: wallet, amount: '7' }));
    const reply = await build(
      bodyOf(mint, to, { fee_payer: carol.address, splits, transaction_version: 1, create_token_account: 'always' }),
    );
    const thaws = summarizeTransaction(bytesOf(reply)).instructions.filter(
      (each) => each.kind === 'thaw_token_account',
    );
    assert.deepEqual(
      thaws.map(({ caller, owner, gateProgram }) => [caller, owner, gateProgram]),
      [other, to].map((owner) => [alice.address, owner, tokenAcl.gateProgram]),
    );
    assert.deepEqual(
      reply.data.summary.splits.map((split: Json) => split.thaws_token_account),
      [true, true, false],
    );
    const { error, logs } = await send(bytesOf(reply));
    assert.equal(error, null, logs.join('\n'));
  });

  it('is part of the old operation that creates token accounts, and of no other', async () => {
    const to = await freshWallet();
    const request = { ...bodyOf(mint, to), encoding: 'base64' };
    const { data } = await build(request, '/v1/create-token-account-transfer');
    assert.equal((await send(Buffer.from(data, 'base64'))).error, null);
    const frozen = await freshWallet();
    const other = await mintOf({ tokenAcl, frozenFor: frozen });
    const asMemo = { ...bodyOf(other, frozen), memo: 'order 7' };
    assert.deepEqual(await codesOf(asMemo, '/v1/token-transfer-memo-hash'), ['recipient_token_account_frozen']);
    assert.deepEqual(await codesOf({ ...bodyOf(other, frozen), create_token_account: 'never' }), [
      'recipient_token_account_frozen',
    ]);
    const x402 = { layout: 'x402', fee_payer: carol.address };
    assert.deepEqual(await codesOf(bodyOf(other, frozen, x402)), ['recipient_token_account_frozen']);
    const batch = { ...bodyOf(other, frozen), transfers: [{ to_address: frozen, amount: '1' }] };
    const { to_address: _, amount: __, ...rest } = batch;
    assert.deepEqual(await codesOf(rest, '/v1/transfers/batch'), ['recipient_token_account_frozen']);
  });

  it('pays a payment link', async () => {
    const to = await freshWallet();
    const link = await client.create({
      to_address: to,
      token_mint_address: mint.address,
      amount: '1000',
      label: 'Tea',
    });
    const { transaction } = await client.pay(link.id, alice.address);
    assert.ok(callsTokenAcl(Buffer.from(transaction, 'base64')));
    await land(transaction, alice);
    const paid = readTokenAccount(ledger, await associatedTokenAccountOf(mint, to));
    assert.deepEqual([paid?.amount, paid?.isFrozen], [1000n, false]);
  });
});

describe('a gate program that refuses', async () => {
  const tokenAcl = { gateProgram: gatePrograms.always_block, thaws: true };
  const mint = await mintOf({ tokenAcl });

  it('is the reason of a refusal, and its transaction fails on chain', async () => {
    const to = await freshWallet();
    const { code, detail } = await readProblem(await service.post(path, bodyOf(mint, to)));
    assert.equal(code, 'simulation_failed');
    assert.equal(
      detail,
      `The simulation failed at instruction 2, thawing the token account by the program ${tokenAcl.gateProgram}: custom error ` +
        `0x${blockedByGate.toString(16)}.`,
    );
    const unchecked = await build(bodyOf(mint, to, { checks: 'none' }));
    assert.equal(unchecked.data.summary.compute_units_consumed, null);
    const { error } = await send(bytesOf(unchecked));
    assert.deepEqual(error, { InstructionError: [1, { Custom: blockedByGate }] });
  });

  it('tells the payer of a link to ask the seller', async () => {
    const to = await freshWallet();
    const link = await client.create({
      to_address: to,
      token_mint_address: mint.address,
      amount: '1000',
      label: 'Tea',
    });
    const problem = await readProblem(await client.askToPay(link.id, alice.address));
    assert.equal(problem.code, 'simulation_failed');
    assert.equal(problem.message, 'This payment would fail now. Ask the seller for another way to pay.');
  });
});

describe('a frozen token account stays refused', () => {
  const missing = ['new_token_account_would_be_frozen'];

  it('where the flag of a sponsored thaw has lamports, which only a caller that pays the fee can take', async () => {
    const mint = await mintOf({});
    const to = await freshWallet();
    setLamports(ledger, await flagOf(await associatedTokenAccountOf(mint, to)), 1_000_000n);
    assert.deepEqual(await codesOf(bodyOf(mint, to, { fee_payer: carol.address })), missing);
    const { data } = await build(bodyOf(mint, to));
    assert.equal((await send(bytesOf({ data }))).error, null);
  });
});
