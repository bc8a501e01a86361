import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createNoopSigner, getBase58Decoder } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { findAssociatedTokenPda, getTransferCheckedInstruction } from '@solana-program/token-2022';
import { base64, memo, sendMemo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

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
  const tokenAccount = async (owner: typeof alice, mint: string) => {
    const { token_program: tokenProgram } = sandbox.world.mints.find(({ name }) => name === mint) ?? assert.fail();
    return (await findAssociatedTokenPda({ owner: owner.address, mint: sandbox.mint(mint), tokenProgram }))[0];
  };

  it('lands a sent transaction, and reports it from then on', async () => {
    const bytes = signed(sandbox, [transfer(1_000n), memo('paid')], alice);
    const before = sandbox.ledger.getAccount(alice.address)?.lamports ?? 0n;
    const signature = await result('sendTransaction', base64(bytes), base64Config);
    const { value } = await result('getSignatureStatuses', [signature, getBase58Decoder().decode(new Uint8Array(64))]);
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

  it('sends base58 when no encoding is named', async () => {
    const bytes = signed(sandbox, [memo('base58')], alice);
    const config = { preflightCommitment: 'confirmed' };
    const signature = await result('sendTransaction', getBase58Decoder().decode(bytes), config);
    assert.notEqual(sandbox.ledger.transactionRecord(signature), undefined);
  });

  it('reports the token balances before and after a transaction', async () => {
    const mint = sandbox.mint('TAXED');
    const [source, destination] = [await tokenAccount(alice, 'TAXED'), await tokenAccount(bob, 'TAXED')];
    const authority = createNoopSigner(alice.address);
    const instruction = getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority,
      amount: 1_000_000n,
      decimals: 6,
    });
    const signature = await result('sendTransaction', base64(signed(sandbox, [instruction], alice)), base64Config);
    const { meta } = await result('getTransaction', signature, confirmedConfig);
    const amounts = (balances: { owner: string; mint: string; uiTokenAmount: { amount: string } }[]) =>
      Object.fromEntries(balances.map((balance) => [balance.owner, balance.uiTokenAmount.amount]));
    assert.deepEqual(amounts(meta.preTokenBalances), { [alice.address]: '1000000000000', [bob.address]: '0' });
    assert.deepEqual(amounts(meta.postTokenBalances), { [alice.address]: '999999000000', [bob.address]: '990000' });
    assert.ok(meta.postTokenBalances.every((balance: { mint: string }) => balance.mint === mint));
  });

  it("lists an address's signatures with their memos, newest first", async () => {
    const first = sendMemo(sandbox, 'hello');
    const second = sendMemo(sandbox, 'é');
    const bytes = signed(sandbox, [memo('one'), memo('two')], alice);
    const third = sandbox.ledger.sendTransaction(bytes).signature;
    const list = (config: object = {}) =>
      result('getSignaturesForAddress', alice.address, { ...confirmedConfig, ...config });
    const newest = await list({ limit: 3 });
    assert.deepEqual(
      newest.map((entry: { signature: string; memo: string }) => [entry.signature, entry.memo]),
      [
        [third, '[3] one; [3] two'],
        [second, '[2] é'],
        [first, '[5] hello'],
      ],
    );
    assert.equal(newest[0].confirmationStatus, 'confirmed');
    const signatures = async (config: object) =>
      (await list(config)).map((entry: { signature: string }) => entry.signature);
    assert.deepEqual(await signatures({ before: third, limit: 1 }), [second]);
    assert.deepEqual(await signatures({ until: first }), [third, second]);
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

    const fresh = base64(signed(sandbox, [memo('too new for finalized')], alice));
    const final = { encoding: 'base64', preflightCommitment: 'finalized' };
    const unknown = await error('sendTransaction', fresh, final);
    assert.equal(unknown.message, 'Transaction simulation failed: Blockhash not found');
    await result('sendTransaction', fresh, { encoding: 'base64' });
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
    assert.equal(replaced.value.replacementBlockhash.blockhash, sandbox.ledger.latestBlockhash().blockhash);
  });
});
