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
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { planInstructions } from '../../src/plan/plan-message.ts';
import { decodeTransaction, type LoadedAddresses } from '../../src/transaction/decode-transaction.ts';
import { freshAddress } from '../fixtures.ts';
import { anyBlockhash, anyPlan } from '../random-plans.ts';
import { rolesOf, witnessInstructions, witnessMessage } from '../witness-transaction.ts';
import { blockhash, legacyBytes, payerKey, plan, versionedBytes } from './sample-transactions.ts';

describe('a transaction decodes', () => {
  test('that was built here, into what its plan says', () => {
    const property = fc.property(anyPlan, anyBlockhash, (anyOther, hash) => {
      const bytes = buildTransaction(anyOther, hash);
      const decoded = decodeTransaction(bytes);
      assert.equal(decoded.version, 'legacy');
      assert.equal(decoded.blockhash, hash);
      assert.equal(decoded.byteLength, bytes.length);
      assert.deepEqual(decoded.signers, [anyOther.feePayer]);
      assert.deepEqual(decoded.signatures, [new Uint8Array(64)]);
      const roles = decoded.accounts.map(({ address: each, signer, writable }) => {
        return `${each}${signer ? ' signer' : ''}${writable ? ' writable' : ''}`;
      });
      assert.deepEqual(roles.sort(), rolesOf(witnessMessage(anyOther, hash)));
      const parts = decoded.instructions.map(({ program, accounts, data }) => ({
        program,
        accounts: accounts.map((account) => account.address),
        data: [...data],
      }));
      const planned = planInstructions(anyOther).map(({ program, accounts, data }) => ({
        program,
        accounts: accounts.map((account) => account.address),
        data: [...data],
      }));
      assert.deepEqual(parts, planned);
    });
    fc.assert(property, { numRuns: 100 });
  });

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

  test('of version 0, made by web3.js', () => {
    const decoded = decodeTransaction(versionedBytes);
    assert.equal(decoded.version, 0);
    assert.deepEqual(decoded.instructions, decodeTransaction(legacyBytes).instructions);
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
    const decoded = decodeTransaction(Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message))));
    assert.deepEqual(decoded, {
      version: 0,
      signatures: [new Uint8Array(64)],
      signers: [plan.feePayer],
      blockhash,
      config: undefined,
      accounts: [
        { address: plan.feePayer, signer: true, writable: true },
        { address: plan.tokenProgram, signer: false, writable: false },
      ],
      instructions: [{ program: plan.tokenProgram, accounts: [], data: Uint8Array.of(9) }],
      byteLength: decoded.byteLength,
    });
  });

  test('of a message whose lists are longer than 127', () => {
    const data = Buffer.alloc(1000, 7);
    const programId = new PublicKey(freshAddress());
    const transaction = new Transaction({ feePayer: payerKey, recentBlockhash: blockhash } as const);
    transaction.add({ programId, keys: [], data });
    const decoded = decodeTransaction(Uint8Array.from(transaction.serialize({ requireAllSignatures: false })));
    assert.deepEqual(decoded.instructions[0]?.data, Uint8Array.from(data));
  });
});

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
