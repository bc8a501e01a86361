import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { Keypair, PublicKey, Transaction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { decodeTransaction, type LoadedAddresses } from '../../src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { readTransactionLayout } from '../../src/transaction/transaction-layout.ts';
import { freshAddress, recipientOf } from '../fixtures.ts';
import { lookupTableOf } from '../witness-transaction.ts';
import { blockhash, legacyBytes, plan, versionedBytes, versionedMessage } from './sample-transactions.ts';

/** A transaction of one instruction with one account and so many bytes of data. */
function transactionWith(version: 'legacy' | 0 | 1, dataLength: number): Uint8Array {
  const accounts = [role.writable(freshAddress())];
  const instructions = [{ program: freshAddress(), accounts, data: new Uint8Array(dataLength).fill(7) }];
  const config = { priorityFee: 1n, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 };
  return encodeTransaction({ version, feePayer: freshAddress(), instructions, lifetimeToken: freshAddress(), config });
}

describe('a transaction decodes', () => {
  test('with several signers, read and written, signed by web3.js', () => {
    const [payer, owner, cosigner] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
    const [program, writable, readonly] = [freshAddress(), freshAddress(), freshAddress()];
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as const).add({
      programId: new PublicKey(program),
      keys: [
        { pubkey: new PublicKey(readonly), isSigner: false, isWritable: false },
        { pubkey: cosigner.publicKey, isSigner: true, isWritable: false },
        { pubkey: new PublicKey(writable), isSigner: false, isWritable: true },
        { pubkey: owner.publicKey, isSigner: true, isWritable: true },
      ],
      data: Buffer.from([1, 2, 3]),
    });
    transaction.sign(payer, owner, cosigner);
    const decoded = decodeTransaction(Uint8Array.from(transaction.serialize()));
    assert.deepEqual(
      decoded.signers,
      [payer, owner, cosigner].map(({ publicKey }) => publicKey.toBase58()),
    );
    assert.deepEqual(
      decoded.signatures.map((signature) => Buffer.from(signature).toString('hex')),
      transaction.signatures.map(({ signature }) => signature?.toString('hex')),
    );
    assert.deepEqual(decoded.instructions, [
      {
        program,
        accounts: [
          { address: readonly, signer: false, writable: false },
          { address: cosigner.publicKey.toBase58(), signer: true, writable: false },
          { address: writable, signer: false, writable: true },
          { address: owner.publicKey.toBase58(), signer: true, writable: true },
        ],
        data: Uint8Array.of(1, 2, 3),
      },
    ]);
  });

  test('of version 0, made by kit', () => {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(address(plan.feePayer), empty),
      (paid) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: blockhash as string as Blockhash, lastValidBlockHeight: 0n },
          paid,
        ),
      (alive) =>
        appendTransactionMessageInstruction(
          { programAddress: address(plan.tokenProgram), data: Uint8Array.of(9) },
          alive,
        ),
    );
    const bytes = Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
    assert.deepEqual(decodeTransaction(bytes), {
      version: 0,
      signatures: [new Uint8Array(64)],
      message: bytes.subarray(65),
      signers: [plan.feePayer],
      blockhash,
      config: undefined,
      accounts: [
        { address: plan.feePayer, signer: true, writable: true },
        { address: plan.tokenProgram, signer: false, writable: false },
      ],
      instructions: [{ program: plan.tokenProgram, accounts: [], data: Uint8Array.of(9) }],
      byteLength: bytes.length,
    });
  });

  test('with data of any length that it has room for, in every version', () => {
    for (const version of ['legacy', 0, 1] as const) {
      for (const length of [0, 1, 127, 128, 255, 256, 300, 1_000]) {
        const [instruction] = decodeTransaction(transactionWith(version, length)).instructions;
        assert.deepEqual(instruction?.data, new Uint8Array(length).fill(7));
      }
    }
  });
});

// Two tables, of which one also has an account that is not used.
const tables = [
  lookupTableOf([plan.mint, recipientOf(plan).recipientTokenAccount]),
  lookupTableOf([freshAddress(), plan.senderTokenAccount, recipientOf(plan).recipient]),
];
const compiled = versionedMessage.compileToV0Message(tables);
const bytes = new VersionedTransaction(compiled).serialize();
const resolved = compiled.resolveAddressTableLookups(tables);
const textsOf = (keys: readonly PublicKey[]): Address[] => keys.map((key) => toAddress(key.toBase58()));
const loaded: LoadedAddresses = { writable: textsOf(resolved.writable), readonly: textsOf(resolved.readonly) };

describe('a transaction with accounts from address lookup tables', () => {
  test('decodes with what they gave into what it says without them', () => {
    assert.ok(loaded.writable.length >= 2 && loaded.readonly.length >= 1);
    const { instructions, accounts, signers } = decodeTransaction(bytes, loaded);
    assert.deepEqual(instructions, decodeTransaction(legacyBytes).instructions);
    assert.deepEqual(signers, [plan.feePayer]);
    const addresses = accounts.map(({ address }) => address);
    assert.deepEqual(addresses.slice(-loaded.readonly.length), loaded.readonly);
    assert.equal(addresses.length, compiled.staticAccountKeys.length + loaded.writable.length + loaded.readonly.length);
  });

  test('is refused with fewer or more than they gave, and with nothing known of them', () => {
    const { writable, readonly } = loaded;
    const refused: (LoadedAddresses | undefined)[] = [
      undefined,
      { writable: [], readonly: [] },
      { writable: writable.slice(1), readonly },
      { writable, readonly: [...readonly, freshAddress()] },
    ];
    for (const each of refused) assert.throws(() => decodeTransaction(bytes, each), TransactionDecodeError);
  });

  test('is refused when it uses an account after the last of them, or a program that is loaded', () => {
    const decoded = (change: (copy: typeof compiled) => void): object => {
      const copy = versionedMessage.compileToV0Message(tables);
      change(copy);
      return decodeTransaction(new VersionedTransaction(copy).serialize(), loaded);
    };
    const staticCount = compiled.staticAccountKeys.length;
    const count = staticCount + loaded.writable.length + loaded.readonly.length;
    const usesAccount = (index: number) => (copy: typeof compiled) => {
      const last = copy.compiledInstructions.at(-1);
      last?.accountKeyIndexes.splice(0, 1, index);
    };
    const usesProgram = (index: number) => (copy: typeof compiled) => {
      for (const each of copy.compiledInstructions) each.programIdIndex = index;
    };
    assert.doesNotThrow(() => decoded(usesAccount(count - 1)));
    assert.throws(() => decoded(usesAccount(count)), /account \d+ of \d+ is used/);
    assert.doesNotThrow(() => decoded(usesProgram(staticCount - 1)));
    assert.throws(() => decoded(usesProgram(staticCount)), /account \d+ of \d+ is used/);
  });

  test('is refused wherever its bytes end early, and when they go on', () => {
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => decodeTransaction(bytes.subarray(0, length), loaded), TransactionDecodeError);
    }
    assert.throws(() => decodeTransaction(Uint8Array.of(...bytes, 0), loaded), TransactionDecodeError);
  });
});

test('A transaction without lookup tables decodes as ever when nothing was loaded, and is refused when something was', () => {
  for (const each of [legacyBytes, versionedBytes]) {
    assert.deepEqual(decodeTransaction(each, { writable: [], readonly: [] }), decodeTransaction(each));
    const some = { writable: [freshAddress()], readonly: [] };
    assert.throws(() => decodeTransaction(each, some), /1 accounts instead of 0 are loaded/);
  }
});

function refusal(message: RegExp): { name: string; message: RegExp } {
  return { name: 'TransactionDecodeError', message };
}

function decodesOrRefuses(bytes: Uint8Array): void {
  try {
    decodeTransaction(bytes);
  } catch (error) {
    assert.ok(error instanceof TransactionDecodeError, `threw ${error}`);
  }
}

/** The bytes with some of them replaced by others. */
function spliced(bytes: Uint8Array, start: number, deleteCount: number, ...inserted: number[]): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, start), ...inserted, ...bytes.subarray(start + deleteCount)]);
}

describe('bytes that are not a transaction are refused', () => {
  test('random bytes where a message should be', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400, size: 'max' }), fc.nat({ max: 2 }), (bytes, count) => {
      decodesOrRefuses(Uint8Array.from([count, ...new Uint8Array(64 * count), ...bytes]));
    });
    fc.assert(property, { numRuns: propertyRuns(1000) });
  });

  test('small changes of real transactions', () => {
    const anyByte = fc.nat({ max: 255 });
    const edit = fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 3 }), fc.array(anyByte, { maxLength: 3 }));
    const property = fc.property(fc.boolean(), fc.array(edit, { maxLength: 4 }), (legacy, edits) => {
      const original = legacy ? legacyBytes : versionedBytes;
      decodesOrRefuses(
        edits.reduce((bytes, [at, count, inserted]) => spliced(bytes, at, count, ...inserted), original),
      );
    });
    fc.assert(property, { numRuns: propertyRuns(1000) });
  });

  test('a transaction that ends early, wherever it ends', () => {
    for (const bytes of [legacyBytes, versionedBytes]) {
      for (let length = 0; length < bytes.length; length++) {
        assert.throws(() => decodeTransaction(bytes.subarray(0, length)), refusal(/too early/));
      }
    }
  });

  test('a transaction that goes on after its end', () => {
    for (const bytes of [legacyBytes, versionedBytes]) {
      for (const extra of [[0], [1], [0, 0, 0]]) {
        const message = new RegExp(`^${extra.length} bytes follow`);
        assert.throws(() => decodeTransaction(Uint8Array.from([...bytes, ...extra])), refusal(message));
      }
    }
  });

  test('a message of a version that is not known', () => {
    for (const version of [1, 2, 127]) {
      const bytes = spliced(versionedBytes, 65, 1, 0x80 | version);
      assert.throws(() => decodeTransaction(bytes), refusal(new RegExp(`version ${version} is not known`)));
    }
  });

  test('another number of signatures than of signers', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 65, 1, 2)), refusal(/1 signatures for 2 signers/));
    const twice = spliced(legacyBytes, 0, 1, 2, ...new Uint8Array(64));
    assert.throws(() => decodeTransaction(twice), refusal(/2 signatures for 1 signers/));
  });

  test('no signer', () => {
    const bytes = spliced(legacyBytes, 0, 66, 0, 0);
    assert.throws(() => decodeTransaction(bytes), refusal(/nobody signs/));
  });

  test('more signers than accounts', () => {
    const message = [2, 0, 0, 1, ...new Uint8Array(32).fill(5), ...new Uint8Array(32).fill(6), 0];
    const bytes = Uint8Array.from([2, ...new Uint8Array(128), ...message]);
    assert.throws(() => decodeTransaction(bytes), TransactionDecodeError);
  });

  test('a fee payer that is not writable, which the runtime refuses', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 66, 1, 1)), TransactionDecodeError);
  });

  test('more readonly accounts than there are', () => {
    assert.throws(() => decodeTransaction(spliced(legacyBytes, 67, 1, 200)), TransactionDecodeError);
  });

  test('an instruction that uses an account or a program that is not there, in every version', () => {
    for (const version of ['legacy', 0, 1] as const) {
      const bytes = transactionWith(version, 1);
      const { addressCount, instructions } = readTransactionLayout(bytes);
      const accountAt = instructions[0]?.accountsOffset ?? assert.fail('there is an instruction');
      assert.doesNotThrow(() => decodeTransaction(bytes.with(accountAt, addressCount - 1)));
      // The index of the program stands before the number of accounts; in version 1, before those of the data too.
      for (const at of [accountAt, accountAt - (version === 1 ? 4 : 2)]) {
        assert.throws(() => decodeTransaction(bytes.with(at, addressCount)), refusal(/account 3 of 3 is used/));
      }
    }
  });
});
