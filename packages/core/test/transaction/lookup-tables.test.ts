import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { decodeTransaction, type LoadedAddresses } from '../../src/transaction/decode-transaction.ts';
import { freshAddress } from '../random-plans.ts';
import { witnessInstructions } from '../witness-transaction.ts';
import { blockhash, legacyBytes, payerKey, plan, versionedBytes } from './sample-transactions.ts';

function tableOf(...addresses: string[]): AddressLookupTableAccount {
  return new AddressLookupTableAccount({
    key: new PublicKey(freshAddress()),
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: addresses.map((address) => new PublicKey(address)),
    },
  });
}

// Two tables, of which one also has an account that is not used.
const tables = [
  tableOf(plan.mint, plan.recipientTokenAccount),
  tableOf(freshAddress(), plan.senderTokenAccount, plan.recipient),
];
const message = new TransactionMessage({
  payerKey,
  recentBlockhash: blockhash,
  instructions: witnessInstructions(plan),
});
const compiled = message.compileToV0Message(tables);
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
      const copy = message.compileToV0Message(tables);
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
