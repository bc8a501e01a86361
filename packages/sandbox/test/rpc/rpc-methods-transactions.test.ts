import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { address, createNoopSigner, getBase58Decoder } from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { base64, memo, sendMemo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111');
const confirmedConfig = { commitment: 'confirmed' };
const base64Config = { encoding: 'base64', preflightCommitment: 'confirmed' };

describe("the sandbox's JSON-RPC for transactions", () => {
  const alice = wallet('alice');
  const bob = wallet('bob');
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox({ slotsToFinalize: 32 });
  });
  after(() => sandbox.close());

  const result = async (method: string, ...parameters: unknown[]) => {
    const { json } = await sandbox.call(method, parameters);
    assert.equal(json.error, undefined, `${method}: ${JSON.stringify(json.error)}`);
    return json.result;
  };
  const error = async (method: string, ...parameters: unknown[]) => (await sandbox.call(method, parameters)).json.error;
  const transfer = (amount: bigint) =>
    getTransferSolInstruction({ source: createNoopSigner(alice.address), destination: bob.address, amount });

  it('lands a sent transaction, and reports it from then on', async () => {
    const bytes = signed(sandbox, [transfer(1_000n), memo('paid')], alice);
    const before = sandbox.ledger.getAccount(alice.address)?.lamports ?? 0n;
    const signature = await result('sendTransaction', base64(bytes), base64Config);
    const { value } = await result('getSignatureStatuses', [signature, getBase58Decoder().decode(new Uint8Array(64))]);
    const again = await error('sendTransaction', base64(bytes), base64Config);
    assert.equal(again.message, 'Transaction simulation failed: This transaction has already been processed');
    assert.partialDeepStrictEqual(again.data, { fee: null, logs: [], unitsConsumed: 0, loadedAccountsDataSize: 0 });
    const slot = Number(sandbox.ledger.slot());
    const status = { slot, err: null, status: { Ok: null } };
    assert.deepEqual(value, [{ ...status, confirmations: 1, confirmationStatus: 'confirmed' }, null]);
    const found = await result('getTransaction', signature, { ...confirmedConfig, maxSupportedTransactionVersion: 0 });
    assert.equal(found.slot, slot);
    assert.equal(found.version, 'legacy');
    assert.equal(found.transaction.signatures[0], signature);
    const index = found.transaction.message.accountKeys.indexOf(bob.address);
    assert.equal(found.meta.preBalances[0], Number(before));
    assert.equal(found.meta.postBalances[0], Number(before) - 6_000);
    assert.equal(found.meta.postBalances[index] - found.meta.preBalances[index], 1_000);
    const inBase64 = await result('getTransaction', signature, { ...confirmedConfig, encoding: 'base64' });
    assert.deepEqual(inBase64.transaction, [base64(bytes), 'base64']);
    const inBase58 = await result('getTransaction', signature, { ...confirmedConfig, encoding: 'base58' });
    assert.deepEqual(inBase58.transaction, [getBase58Decoder().decode(bytes), 'base58']);
    assert.equal(await result('getTransaction', signature), null);
    sandbox.ledger.advanceSlots(32);
    assert.equal((await result('getTransaction', signature)).slot, slot);
    const final = (await result('getSignatureStatuses', [signature])).value[0];
    assert.deepEqual(final, { ...status, confirmations: null, confirmationStatus: 'finalized' });
  });

  it('shows in a simulation what a transaction does then, and inner instructions raw in json and in words in jsonParsed', async () => {
    const [mint, owner] = [sandbox.mint('USDC'), keypairFromName('a holder inside').address];
    const [ata] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
    const create = { payer: createNoopSigner(alice.address), ata, owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS };
    const price = { programAddress: computeBudgetProgram, data: Uint8Array.of(3, 7, 0, 0, 0, 0, 0, 0, 0) };
    const bytes = base64(signed(sandbox, [price, getCreateAssociatedTokenIdempotentInstruction(create)], alice));
    const simulation = { ...confirmedConfig, encoding: 'base64', innerInstructions: true };
    const simulated = await result('simulateTransaction', bytes, simulation);
    const signature = await result('sendTransaction', bytes, base64Config);
    const shown = (encoding: string) => result('getTransaction', signature, { ...confirmedConfig, encoding });
    const [parsed, raw] = [await shown('jsonParsed'), await shown('json')];
    for (const member of ['innerInstructions', 'fee', 'preBalances', 'postBalances']) {
      assert.deepEqual(simulated.value[member], parsed.meta[member], member);
    }
    // A node shows 0 tokens as no number in a transaction, and as one in a simulation.
    const [balance] = parsed.meta.postTokenBalances;
    assert.equal(balance.uiTokenAmount.uiAmount, null);
    const simulatedBalance = { ...balance, uiTokenAmount: { ...balance.uiTokenAmount, uiAmount: 0 } };
    assert.deepEqual(simulated.value.postTokenBalances, [simulatedBalance]);
    const [inner] = raw.meta.innerInstructions;
    assert.deepEqual(
      [inner.index, inner.instructions.length],
      [1, parsed.meta.innerInstructions[0].instructions.length],
    );
    const keys = raw.transaction.message.accountKeys;
    for (const { programIdIndex, accounts, data, ...rest } of inner.instructions) {
      assert.ok([TOKEN_PROGRAM_ADDRESS, SYSTEM_PROGRAM_ADDRESS].includes(keys[programIdIndex]));
      assert.ok(accounts.every((index: number) => index in keys) && typeof data === 'string');
      assert.deepEqual(rest, { stackHeight: 2 });
    }
    // A program that is not put into words is shown as accounts and bytes.
    const data = getBase58Decoder().decode(price.data);
    const shownPrice = { accounts: [], data, programId: computeBudgetProgram, stackHeight: 1 };
    assert.deepEqual(parsed.transaction.message.instructions[0], shownPrice);
  });

  it('sends base58 when no encoding is named', async () => {
    const bytes = signed(sandbox, [memo('base58')], alice);
    const config = { preflightCommitment: 'confirmed' };
    const signature = await result('sendTransaction', getBase58Decoder().decode(bytes), config);
    assert.notEqual(sandbox.ledger.transactionRecord(signature), undefined);
  });

  it("lists an address's signatures, newest first, in pages", async () => {
    const [first, second, third] = ['one', 'two', 'three'].map((text) => sendMemo(sandbox, text));
    const list = (config: object) =>
      result('getSignaturesForAddress', alice.address, { ...confirmedConfig, ...config });
    const signatures = async (config: object) =>
      (await list(config)).map((entry: { signature: string }) => entry.signature);
    assert.deepEqual(await signatures({ limit: 3 }), [third, second, first]);
    assert.deepEqual(await signatures({ before: third, limit: 1 }), [second]);
    assert.deepEqual(await signatures({ until: first }), [third, second]);
    assert.equal((await list({ limit: 1 }))[0].confirmationStatus, 'confirmed');
  });

  it('lists a memo that is not UTF-8 by its length, as agave `extract_and_fmt_memo_data` does', async () => {
    const unreadable = { ...memo(''), data: Uint8Array.of(0xff, 0x61) };
    // The memo program refuses it, so that it lands as failed.
    const bytes = signed(sandbox, [memo('read'), unreadable], alice);
    const { signature } = sandbox.ledger.sendTransaction(bytes);
    const [newest] = await result('getSignaturesForAddress', alice.address, { ...confirmedConfig, limit: 1 });
    assert.deepEqual([newest.signature, newest.memo], [signature, '[4] read; [2] (unparseable)']);
    assert.equal(newest.err.InstructionError[0], 1);
  });

  it("refuses a transaction that would fail, with a validator's text", async () => {
    const unfunded = await error(
      'sendTransaction',
      base64(signed(sandbox, [memo('dave')], wallet('dave'))),
      base64Config,
    );
    assert.equal(unfunded.data.err, 'AccountNotFound');
    assert.match(unfunded.message, /Attempt to debit an account but found no record of a prior credit\.$/);
  });

  it('drops a failing transaction silently when preflight is skipped', async () => {
    const bytes = signed(sandbox, [memo('no money')], wallet('dave'));
    const signature = await result('sendTransaction', base64(bytes), { encoding: 'base64', skipPreflight: true });
    assert.deepEqual((await result('getSignatureStatuses', [signature])).value, [null]);
  });

  it('simulates an unsigned transaction, with a new blockhash and with the accounts after it', async () => {
    const unsigned = signed(sandbox, [transfer(5n)], alice).fill(0, 1, 65);
    const config = {
      ...confirmedConfig,
      encoding: 'base64',
      accounts: { encoding: 'base64', addresses: [bob.address] },
    };
    const before = Number(sandbox.ledger.getAccount(bob.address)?.lamports);
    const { value } = await result('simulateTransaction', base64(unsigned), config);
    assert.equal(value.err, null);
    assert.ok(value.unitsConsumed > 0);
    assert.equal(value.accounts[0].lamports, before + 5);
    assert.equal(Number(sandbox.ledger.getAccount(bob.address)?.lamports), before);
    const verified = await result('simulateTransaction', base64(unsigned), { ...config, sigVerify: true });
    assert.equal(verified.value.err, 'SignatureFailure');
    sandbox.ledger.advanceSlots(151);
    assert.equal((await result('simulateTransaction', base64(unsigned), config)).value.err, 'BlockhashNotFound');
    const replaced = await result('simulateTransaction', base64(unsigned), { ...config, replaceRecentBlockhash: true });
    assert.equal(replaced.value.err, null);
    const { blockhash, lastValidBlockHeight } = sandbox.ledger.latestBlockhash();
    const replacement = { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) };
    assert.deepEqual(replaced.value.replacementBlockhash, replacement);
  });
});
