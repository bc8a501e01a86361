import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, addressToBytes } from '../../src/addresses/address.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { type AccountMeta, role } from '../../src/transaction/instruction.ts';
import { type DemandedRole, MessageReading } from '../../src/transaction/message-reading.ts';
import { readTransactionLayout } from '../../src/transaction/read-transaction-layout.ts';
import { freshAddress, legacyTransaction } from '../fixtures.ts';

const [payer, program, account] = [freshAddress(), freshAddress(), freshAddress()];

function readingOf(...accounts: AccountMeta[]): MessageReading {
  return new MessageReading(legacyTransaction(payer, [{ program, accounts, data: Uint8Array.of(1) }], freshAddress()));
}

/** Whether the one account of an instruction is taken for what is expected. */
function fits(meta: AccountMeta, wanted: Address, wantedRole: DemandedRole): boolean {
  const reading = readingOf(meta);
  const instruction = reading.nextInstruction('sample', program, 1);
  try {
    reading.expectAccounts('sample', instruction, [wanted], [wantedRole]);
    return true;
  } catch (error) {
    assert.equal(String(error), `ReadBackError: sample: account 0 is not ${wanted} (${wantedRole})`);
    return false;
  }
}

test('an account fits when it has the role that the instruction demands, or more', () => {
  const roles = { readonly: 0b00, writable: 0b01, readonlySigner: 0b10, writableSigner: 0b11 } as const;
  const demands = [
    ['readonly', 0b00],
    ['writable', 0b01],
    ['signer', 0b10],
    ['writable signer', 0b11],
  ] as const;
  for (const [name, has] of Object.entries(roles)) {
    for (const [demand, needs] of demands) {
      const meta = role[name as keyof typeof roles](account);
      assert.equal(fits(meta, account, demand), (has & needs) === needs, `${name} for ${demand}`);
    }
  }
  assert.equal(fits(role.writableSigner(freshAddress()), account, 'readonly'), false);
});

test('an instruction is of its program, with its length of data and its number of accounts', () => {
  assert.throws(() => readingOf().nextInstruction('sample', freshAddress()), /^ReadBackError: sample program/);
  assert.throws(
    () => readingOf().nextInstruction('sample', program, 2),
    /^ReadBackError: sample data length: .* 1, the plan 2/,
  );
  const reading = readingOf(role.readonly(account));
  assert.throws(() => reading.expectNoFurtherInstruction(), /^ReadBackError: number of instructions/);
  const instruction = reading.nextInstruction('sample', program);
  reading.expectNoFurtherInstruction();
  assert.throws(() => reading.nextInstruction('next', program), /^ReadBackError: the next instruction is missing/);
  assert.throws(() => reading.expectAccounts('sample', instruction, [], []), /1 accounts instead of 0/);
  assert.throws(() => reading.expectAccounts('sample', instruction, [account, account], []), /1 accounts instead of 2/);
});

test('the accounts of an instruction are compared in their order, also those that were compared before', () => {
  const accounts = [role.writable(account), role.readonly(payer)];
  const one = { program, accounts, data: Uint8Array.of() };
  const reading = new MessageReading(legacyTransaction(payer, [one, one], freshAddress()));
  for (const name of ['first', 'second']) {
    const instruction = reading.nextInstruction(name, program);
    reading.expectAccounts(name, instruction, [account, payer], ['writable']);
    assert.throws(() => reading.expectAccounts(name, instruction, [payer, account], []), /account 0 is not/);
    assert.throws(() => reading.expectAccounts(name, instruction, [account, account], []), /account 1 is not/);
  }
});

test('an integer is compared in all its bytes, and a larger one differs', () => {
  const reading = new MessageReading(
    legacyTransaction(payer, [{ program, accounts: [], data: Uint8Array.of(1, 2, 0x80) }], freshAddress()),
  );
  const { dataOffset } = reading.nextInstruction('sample', program, 3);
  reading.expectInteger('number', dataOffset, 3, 0x80_02_01n);
  for (const wrong of [0x80_02_02n, 0x80_03_01n, 0x81_02_01n, 0x02_01n, 0x01_80_02_01n]) {
    assert.throws(() => reading.expectInteger('number', dataOffset, 3, wrong), /^ReadBackError: number/);
  }
});

test('two bytes are taken for no other integer than theirs, whatever stands next to them', () => {
  const samples = [0, 1, 2, 3, 128, 254, 255];
  const pairs = samples.flatMap((low) => samples.map((high) => [low, high] as const));
  for (const [low, high] of pairs) {
    const data = Uint8Array.of(1, 0, low, high, 0, 1);
    const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
    const offset = reading.nextInstruction('sample', program).dataOffset + 2;
    const own = BigInt(low + 256 * high);
    reading.expectInteger('number', offset, 2, own);
    const others = pairs.map(([otherLow, otherHigh]) => BigInt(otherLow + 256 * otherHigh));
    // With the bytes next to it, it would be one of these.
    const longer = [own + (1n << 24n), (own << 8n) + 1n, own << 8n, (own << 16n) + 1n];
    for (const other of [...others, ...longer]) {
      if (other === own) continue;
      assert.throws(() => reading.expectInteger('number', offset, 2, other), /^ReadBackError: number/);
    }
  }
});

test('integers that are equal as floating-point numbers are told apart', () => {
  const data = Uint8Array.of(1, 0, 0, 0, 0, 0, 0x20, 0);
  const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
  const { dataOffset } = reading.nextInstruction('sample', program, 8);
  reading.expectInteger('number', dataOffset, 8, 2n ** 53n + 1n);
  assert.throws(() => reading.expectInteger('number', dataOffset, 8, 2n ** 53n), /^ReadBackError: number/);
});

test('an address in the data is compared in all its bytes', () => {
  const data = Uint8Array.of(9, ...addressToBytes(account), 9);
  const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
  const { dataOffset } = reading.nextInstruction('sample', program);
  reading.expectAddress('owner', dataOffset + 1, account);
  for (const [offset, wrong] of [
    [dataOffset, account],
    [dataOffset + 2, account],
    [dataOffset + 1, payer],
  ] as const) {
    assert.throws(() => reading.expectAddress('owner', offset, wrong), /^ReadBackError: owner/);
  }
});

test('a text is compared in its length and its UTF-8', () => {
  for (const text of ['plain', 'José 漢']) {
    const data = Buffer.from(text);
    const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
    const { dataOffset } = reading.nextInstruction('sample', program);
    reading.expectText('memo', dataOffset, data.length, text);
    const shorter = [text.slice(1), text.slice(0, -1)];
    const asLong = [`X${text.slice(1)}`, `${text.slice(0, -1)}X`, 'X'.repeat(text.length)];
    for (const wrong of [`${text}!`, ...shorter, ...asLong]) {
      assert.throws(() => reading.expectText('memo', dataOffset, data.length, wrong), /^ReadBackError: memo/);
    }
  }
});

test('a text is compared with its own bytes alone, whatever stands behind them', () => {
  for (const text of ['plain', 'José 漢']) {
    const own = Buffer.from(text);
    const data = Uint8Array.of(...own, 1, 2);
    const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
    const { dataOffset } = reading.nextInstruction('sample', program);
    reading.expectText('memo', dataOffset, own.length, text);
    reading.expectBytes('memo', dataOffset, own);
  }
});

test('a byte that is no ASCII is no text of one character', () => {
  for (const byte of [0x80, 0x81, 0xff]) {
    const data = Uint8Array.of(byte);
    const reading = new MessageReading(legacyTransaction(payer, [{ program, accounts: [], data }], freshAddress()));
    const { dataOffset } = reading.nextInstruction('sample', program);
    const text = String.fromCharCode(byte);
    assert.throws(() => reading.expectText('memo', dataOffset, 1, text), /^ReadBackError: memo length/);
  }
});

test('a byte is compared with what it should be', () => {
  const reading = readingOf();
  const { dataOffset } = reading.nextInstruction('sample', program, 1);
  reading.expectByte('data', dataOffset, 1);
  assert.throws(() => reading.expectByte('data', dataOffset, 2), /^ReadBackError: data: the bytes say 1, the plan 2/);
});

test('no account is writable but the one that pays the fee and those of which an instruction is expected to demand it', () => {
  const demanded = readingOf(role.writable(account));
  expectSample(demanded, 'writable');
  demanded.expectRoles();
  const excessive = readingOf(role.writable(account));
  expectSample(excessive, 'readonly');
  assert.throws(() => excessive.expectRoles(), /^ReadBackError: account 1: the bytes say writable, the plan not/);
  const readonly = readingOf(role.readonly(account));
  expectSample(readonly, 'readonly');
  readonly.expectRoles();
});

function expectSample(reading: MessageReading, wantedRole: DemandedRole): void {
  reading.expectAccounts('sample', reading.nextInstruction('sample', program), [account], [wantedRole]);
}

test('every account is there once, and is used', () => {
  const { bytes, layout } = readingOf(role.readonly(account));
  const addressAt = (index: number): number => layout.addressesOffset + 32 * index;
  const twice = bytes.slice();
  twice.copyWithin(addressAt(2), addressAt(1), addressAt(2));
  assert.throws(() => new MessageReading(twice).expectRoles(), /^ReadBackError: account 2 is there twice/);
  // They may differ in their first byte alone, or in their last.
  for (const position of [0, 31]) {
    const at = addressAt(2) + position;
    const similar = twice.with(at, (twice[at] ?? 0) ^ 1);
    new MessageReading(similar).expectRoles();
  }
  const unused = bytes.slice();
  unused[layout.instructions[0]?.accountsOffset ?? 0] = 0;
  assert.throws(() => new MessageReading(unused).expectRoles(), /^ReadBackError: account 1 is not used/);
});

const config = { priorityFee: 1n, computeUnitLimit: 5, loadedAccountsDataSizeLimit: 6 };

/** A transaction of one instruction with one account and so many bytes of data. */
function transactionOf(version: 'legacy' | 0 | 1, dataLength: number): Uint8Array {
  const accounts = [role.writable(freshAddress())];
  const instructions = [{ program: freshAddress(), accounts, data: new Uint8Array(dataLength).fill(7) }];
  return encodeTransaction({ version, feePayer: freshAddress(), instructions, lifetimeToken: freshAddress(), config });
}

test('data of any length that a transaction has room for is found whole', () => {
  for (const version of ['legacy', 0, 1] as const) {
    for (const length of [0, 1, 127, 128, 255, 256, 300, 1_000]) {
      const bytes = transactionOf(version, length);
      const [instruction] = readTransactionLayout(bytes).instructions;
      assert.ok(instruction);
      const { dataOffset, dataLength } = instruction;
      assert.deepEqual(bytes.subarray(dataOffset, dataOffset + dataLength), new Uint8Array(length).fill(7));
    }
  }
});

test('an account or a program that the message does not have is refused', () => {
  for (const version of ['legacy', 0, 1] as const) {
    const bytes = transactionOf(version, 1);
    const { addressCount, instructions } = readTransactionLayout(bytes);
    const accountAt = instructions[0]?.accountsOffset ?? assert.fail('there is an instruction');
    const last = bytes.with(accountAt, addressCount - 1);
    assert.equal(readTransactionLayout(last).addressCount, addressCount);
    assert.throws(() => readTransactionLayout(bytes.with(accountAt, addressCount)), /account 3 of 3 is used/);
    // The index of the program stands before the number of accounts; in version 1, before those of the data too.
    const programAt = accountAt - (version === 1 ? 4 : 2);
    assert.throws(() => readTransactionLayout(bytes.with(programAt, addressCount)), /account 3 of 3 is used/);
  }
});
