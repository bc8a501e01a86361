import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getAddressEncoder,
  getTransactionEncoder,
  type Instruction,
  lamports,
  pipe,
  type SignatureBytes,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  setTransactionMessagePriorityFeeLamports,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { keypairFromName } from '../src/ledger/keypair.ts';
import { base64, memo, signed, startTestSandbox, type TestSandbox, wallet } from './fixtures.ts';

describe('transaction versions and token programs in the sandbox', () => {
  const alice = wallet('alice');
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  function version1(instruction: Instruction, dataSizeLimit: number): Uint8Array {
    const compiled = pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayer(alice.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(sandbox.ledger.latestBlockhash(), message),
      (message) => appendTransactionMessageInstruction(instruction, message),
      (message) => setTransactionMessageComputeUnitLimit(20_000, message),
      (message) => setTransactionMessageLoadedAccountsDataSizeLimit(dataSizeLimit, message),
      (message) => setTransactionMessagePriorityFeeLamports(1_234n, message),
      compileTransaction,
    );
    const signature = alice.sign(Uint8Array.from(compiled.messageBytes)) as SignatureBytes;
    const transaction = { ...compiled, signatures: { [alice.address]: signature } };
    return Uint8Array.from(getTransactionEncoder().encode(transaction));
  }

  it('accepts a version 1 transaction of 4,096 bytes, and refuses one of 4,097', async () => {
    const limit = 1_000_000;
    const longest = 4096 - version1(memo(''), limit).length;
    const full = version1(memo('x'.repeat(longest)), limit);
    assert.equal(full.length, 4096);
    const { error, signature } = sandbox.ledger.sendTransaction(full);
    assert.equal(error, null);
    assert.equal(sandbox.ledger.transactionRecord(signature)?.fee, 6_234n);
    const found = async (config: object) =>
      (await sandbox.call('getTransaction', [signature, { commitment: 'confirmed', ...config }])).json;
    assert.equal((await found({ maxSupportedTransactionVersion: 1 })).result.version, 1);
    assert.equal((await found({ maxSupportedTransactionVersion: 0 })).error.code, -32015);
    const tooLong = version1(memo('x'.repeat(longest + 1)), limit);
    assert.throws(() => sandbox.ledger.sendTransaction(tooLong), /too large: 4097 bytes \(max: 4096 bytes\)/);
  });

  it('reports the loaded data that a limit is measured against', async () => {
    const simulate = async (dataSizeLimit: number) => {
      const config = { encoding: 'base64', commitment: 'confirmed' };
      const text = base64(version1(memo('measured'), dataSizeLimit));
      return (await sandbox.call('simulateTransaction', [text, config])).json.result.value;
    };
    const { loadedAccountsDataSize } = await simulate(1_000_000);
    assert.equal((await simulate(loadedAccountsDataSize)).err, null);
    assert.equal((await simulate(loadedAccountsDataSize - 1)).err, 'MaxLoadedAccountsDataSizeExceeded');
  });

  it('reads the addresses of a lookup table', async () => {
    const table = keypairFromName('lookup table').address;
    const recipient = wallet('bob').address;
    // u32 kind 1, u64 slot of deactivation (never), u64 and u8 of the last extension, an absent authority, padding.
    const meta = Buffer.alloc(56);
    meta.writeUInt32LE(1);
    meta.writeBigUInt64LE(2n ** 64n - 1n, 4);
    const data = Uint8Array.from([...meta, ...getAddressEncoder().encode(recipient)]);
    sandbox.ledger.setAccount({
      address: table,
      lamports: lamports(sandbox.ledger.minimumBalanceForRentExemption(BigInt(data.length))),
      data,
      space: BigInt(data.length),
      executable: false,
      programAddress: address('AddressLookupTab1e1111111111111111111111111'),
    });
    const before = sandbox.ledger.getAccount(recipient)?.lamports ?? 0n;
    const compiled = pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(alice.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(sandbox.ledger.latestBlockhash(), message),
      (message) =>
        appendTransactionMessageInstruction(
          getTransferSolInstruction({ source: createNoopSigner(alice.address), destination: recipient, amount: 77n }),
          message,
        ),
      (message) => compressTransactionMessageUsingAddressLookupTables(message, { [table]: [recipient] }),
      compileTransaction,
    );
    const signature = alice.sign(Uint8Array.from(compiled.messageBytes)) as SignatureBytes;
    const bytes = getTransactionEncoder().encode({ ...compiled, signatures: { [alice.address]: signature } });
    const outcome = sandbox.ledger.sendTransaction(Uint8Array.from(bytes));
    assert.equal(outcome.error, null);
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const { result } = (await sandbox.call('getTransaction', [outcome.signature, config])).json;
    assert.deepEqual(result.meta.loadedAddresses, { writable: [recipient], readonly: [] });
    assert.equal(result.meta.postBalances[2], Number(before) + 77);
    assert.equal(result.transaction.message.addressTableLookups[0].accountKey, table);
    const parsed = await sandbox.call('getTransaction', [outcome.signature, { ...config, encoding: 'jsonParsed' }]);
    assert.deepEqual(parsed.json.result.transaction.message.accountKeys[2], {
      pubkey: recipient,
      signer: false,
      writable: true,
      source: 'lookupTable',
    });
  });

  it('runs p-token by default, and the classic token program as an option', async () => {
    const logsOf = async (classicTokenProgram: boolean) => {
      const other = await startTestSandbox({ classicTokenProgram });
      const mint = other.mint('USDC');
      const tokenAccount = (name: string) =>
        findAssociatedTokenPda({ owner: wallet(name).address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
      const [[source], [destination]] = await Promise.all([tokenAccount('alice'), tokenAccount('bob')]);
      const authority = createNoopSigner(alice.address);
      const transfer = getTransferCheckedInstruction({ source, mint, destination, authority, amount: 1n, decimals: 6 });
      const { error, logs } = other.ledger.sendTransaction(signed(other, [transfer], alice));
      assert.equal(error, null);
      await other.close();
      return logs.join('\n');
    };
    assert.doesNotMatch(await logsOf(false), /Instruction: TransferChecked/);
    assert.match(await logsOf(true), /Instruction: TransferChecked/);
  });

  it('has the native mint', () => {
    const mint = sandbox.ledger.getAccount(address('So11111111111111111111111111111111111111112'));
    assert.equal(mint?.programAddress, TOKEN_PROGRAM_ADDRESS);
  });
});
