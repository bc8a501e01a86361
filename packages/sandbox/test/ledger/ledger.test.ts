import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, address, blockhash, createNoopSigner, getBase58Decoder, type Instruction } from '@solana/kit';
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { signedTransaction } from '../../src/ledger/signed-transaction.ts';
import { storedNonce } from '../conformance/scene.ts';
import { memo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111');
const notDecoded = { name: 'Error', message: /failed to deserialize|too large/ };

describe('the ledger', () => {
  const alice = wallet('alice');
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  const lamportsOf = (owner: Address) => sandbox.ledger.getAccount(owner)?.lamports ?? 0n;
  const transfer = (to: Address, amount: bigint) =>
    getTransferSolInstruction({ source: createNoopSigner(alice.address), destination: to, amount });

  it('accepts a blockhash for 150 slots after its own, and not for 151', () => {
    const early = signed(sandbox, [memo('within the lifetime')], alice);
    const late = signed(sandbox, [memo('past the lifetime')], alice);
    const { blockhash, blockHeight, lastValidBlockHeight } = sandbox.ledger.latestBlockhash();
    assert.equal(lastValidBlockHeight, blockHeight + 150n);
    sandbox.ledger.advanceSlots(150);
    assert.ok(sandbox.ledger.isBlockhashValid(blockhash));
    assert.equal(sandbox.ledger.sendTransaction(early).error, null);
    sandbox.ledger.advanceSlots(1);
    assert.ok(!sandbox.ledger.isBlockhashValid(blockhash));
    assert.equal(sandbox.ledger.sendTransaction(late).error, 'BlockhashNotFound');
  });

  it('with 32 slots to finality has an older blockhash at finalized, where newer ones are unknown', () => {
    const ledger = new Ledger({ slotsToFinalize: 32 });
    const newest = ledger.latestBlockhash('confirmed');
    const final = ledger.latestBlockhash('finalized');
    assert.equal(newest.slot - final.slot, 32n);
    assert.notEqual(newest.blockhash, final.blockhash);
    assert.ok(!ledger.isBlockhashValid(newest.blockhash, 'finalized'));
    assert.ok(ledger.isBlockhashValid(final.blockhash, 'confirmed'));
  });

  it('accepts a transaction once', () => {
    const bytes = signed(sandbox, [memo('only once')], alice);
    assert.equal(sandbox.ledger.sendTransaction(bytes).error, null);
    sandbox.ledger.advanceSlots(10);
    const again = sandbox.ledger.sendTransaction(bytes);
    assert.equal(again.error, 'AlreadyProcessed');
    assert.equal(again.landed, false);
  });

  it('accepts 1,232 bytes and refuses 1,233', () => {
    const empty = signed(sandbox, [memo('')], alice);
    // A memo of over 127 bytes needs one byte more for its length.
    const longest = 1232 - empty.length - 1;
    const full = signed(sandbox, [memo('x'.repeat(longest))], alice);
    assert.equal(full.length, 1232);
    assert.equal(sandbox.ledger.sendTransaction(full).error, null);
    const tooLong = signed(sandbox, [memo('x'.repeat(longest + 1))], alice);
    assert.equal(tooLong.length, 1233);
    assert.throws(() => sandbox.ledger.sendTransaction(tooLong), /too large: 1233 bytes \(max: 1232 bytes\)/);
  });

  it('refuses a byte after the end, a missing byte and no bytes at all', () => {
    const bytes = signed(sandbox, [memo('exact')], alice);
    assert.throws(() => sandbox.ledger.sendTransaction(Uint8Array.from([...bytes, 0])), notDecoded);
    assert.throws(() => sandbox.ledger.sendTransaction(bytes.slice(0, -1)), notDecoded);
    assert.throws(() => sandbox.ledger.sendTransaction(new Uint8Array()), notDecoded);
  });

  it('refuses a signature that is wrong or missing', () => {
    const wrong = signed(sandbox, [memo('forged')], alice);
    wrong[1] = (wrong[1] ?? 0) ^ 1;
    assert.equal(sandbox.ledger.sendTransaction(wrong).error, 'SignatureFailure');
    const missing = signed(sandbox, [memo('unsigned')], alice).fill(0, 1, 65);
    assert.equal(sandbox.ledger.sendTransaction(missing).error, 'SignatureFailure');
  });

  it('charges the signatures and the priority fee that it reports', () => {
    const limit = Uint8Array.from([2, ...new Uint8Array(Uint32Array.of(30_001).buffer)]);
    const price = Uint8Array.from([3, ...new Uint8Array(BigUint64Array.of(1_000_001n).buffer)]);
    const budget = [limit, price].map((data) => ({ programAddress: computeBudgetProgram, data }));
    for (const instructions of [
      [memo('plain')],
      [...budget, memo('limit and price')],
      [budget[1] ?? memo(''), memo('price')],
    ]) {
      const before = lamportsOf(alice.address);
      const { signature } = sandbox.ledger.sendTransaction(signed(sandbox, instructions, alice));
      assert.equal(sandbox.ledger.transactionRecord(signature)?.fee, before - lamportsOf(alice.address));
    }
  });

  it('records a transaction that fails, and not one that cannot pay', () => {
    const failing = sandbox.ledger.sendTransaction(
      signed(sandbox, [transfer(wallet('bob').address, 10n ** 15n)], alice),
    );
    assert.deepEqual(failing.error, { InstructionError: [0, { Custom: 1 }] });
    assert.equal(sandbox.ledger.transactionRecord(failing.signature)?.fee, 5000n);
    const dave = wallet('dave');
    const unpaid = sandbox.ledger.sendTransaction(signed(sandbox, [memo('no money')], dave));
    assert.equal(unpaid.error, 'AccountNotFound');
    assert.equal(sandbox.ledger.transactionRecord(unpaid.signature), undefined);
  });

  it('names the account that is left below the rent-exempt minimum', () => {
    const outcome = sandbox.ledger.sendTransaction(signed(sandbox, [transfer(wallet('dave').address, 1n)], alice));
    assert.deepEqual(outcome.error, { InsufficientFundsForRent: { account_index: 1 } });
  });

  it('has the rent of mainnet now, or the one that it is started with', () => {
    assert.equal(sandbox.ledger.minimumBalanceForRentExemption(165n), 1_488_440n);
    for (const lamportsPerByte of [6_960n, 696n]) {
      const ledger = new Ledger({ lamportsPerByte });
      assert.equal(ledger.minimumBalanceForRentExemption(0n), 128n * lamportsPerByte);
      const sysvar = ledger.getAccount(address('SysvarRent111111111111111111111111111111111'));
      assert.ok(sysvar);
      const view = new DataView(sysvar.data.buffer, sysvar.data.byteOffset);
      assert.deepEqual([view.getBigUint64(0, true), view.getFloat64(8, true)], [lamportsPerByte, 1]);
    }
  });

  it('makes equal airdrops distinct transactions', () => {
    const recipient = keypairFromName('airdrop').address;
    const signatures = [1, 2, 3].map(() => sandbox.ledger.airdrop(recipient, 1_000_000_000n).signature);
    assert.equal(new Set(signatures).size, 3);
    assert.equal(lamportsOf(recipient), 3_000_000_000n);
  });

  it('moves the clock of the programs with the slots', () => {
    const clock = () => {
      const account = sandbox.ledger.getAccount(address('SysvarC1ock11111111111111111111111111111111'));
      assert.ok(account);
      const view = new DataView(account.data.buffer, account.data.byteOffset);
      return { slot: view.getBigUint64(0, true), seconds: view.getBigInt64(32, true) };
    };
    const before = clock();
    sandbox.ledger.advanceSlots(100);
    assert.equal(clock().slot - before.slot, 100n);
    assert.equal(clock().slot, sandbox.ledger.slot());
    assert.equal(clock().seconds - before.seconds, 20n);
  });

  describe('with a durable nonce', () => {
    const nonceAccount = () => sandbox.world.nonce_accounts[0]?.address ?? assert.fail();
    const nonceOf = () => storedNonce(sandbox, nonceAccount());
    const durable = (instruction: Instruction, nonce = nonceOf()) => {
      const nonceAuthority = createNoopSigner(alice.address);
      const advance = getAdvanceNonceAccountInstruction({ nonceAccount: nonceAccount(), nonceAuthority });
      // A nonce is 32 bytes in base58 like a blockhash, and stands in its place.
      const lifetime = { ...sandbox.ledger.latestBlockhash(), blockhash: blockhash(nonce) };
      return signedTransaction([advance, instruction], [alice], lifetime);
    };

    it('accepts a transaction long after, once, and changes the nonce', () => {
      const stored = nonceOf();
      const bytes = durable(memo('durable'));
      sandbox.ledger.advanceSlots(500);
      assert.equal(sandbox.ledger.sendTransaction(bytes).error, null);
      assert.notEqual(nonceOf(), stored);
      assert.equal(sandbox.ledger.sendTransaction(bytes).error, 'BlockhashNotFound');
    });

    it('changes the nonce of a transaction that fails', () => {
      const stored = nonceOf();
      const bytes = durable(transfer(wallet('bob').address, 10n ** 15n));
      const outcome = sandbox.ledger.sendTransaction(bytes);
      assert.deepEqual(outcome.error, { InstructionError: [1, { Custom: 1 }] });
      assert.ok(outcome.landed);
      assert.notEqual(nonceOf(), stored);
      assert.equal(sandbox.ledger.sendTransaction(bytes).error, 'BlockhashNotFound');
    });

    it('refuses a nonce that is not the stored one', () => {
      const bytes = durable(memo('stale'), getBase58Decoder().decode(new Uint8Array(32).fill(7)));
      assert.equal(sandbox.ledger.sendTransaction(bytes).error, 'BlockhashNotFound');
    });
  });
});
