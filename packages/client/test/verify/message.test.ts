import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { memoProgram, systemProgram } from '../../../core/src/addresses/programs.ts';
import { type Message, readMessage } from '../../src/verify/message.ts';
import { thief } from './mutations.ts';
import { type Parts, putTogether } from './parts.ts';

const payer = toAddress('FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn');
const sender = toAddress('7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu');
const config = { priorityFee: 7n, computeUnitLimit: 300, loadedAccountsDataSizeLimit: 64 * 1024 * 1024 };

function bytesOf(version: Parts['version'], change: Partial<Parts> = {}): Uint8Array {
  const accounts = [
    { address: sender, signer: true, writable: false },
    { address: thief, signer: false, writable: true },
  ];
  const instructions = [
    { program: memoProgram, accounts, data: Uint8Array.from({ length: 200 }, (_, index) => index) },
  ];
  return putTogether({ version, feePayer: payer, lifetimeToken: systemProgram, instructions, config, ...change });
}

const versions = ['legacy', 0, 1] as const;
// Where each version has its three counts: behind the signatures, or the version byte.
const headers = { legacy: 129, 0: 130, 1: 1 };
const refused = (bytes: Uint8Array, part?: string): void =>
  assert.throws(() => readMessage(bytes), { code: 'invalid_transaction', ...(part && { part }) });
const changed = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = value;
  return copy;
};

describe('a transaction', () => {
  for (const version of versions) {
    it(`of version ${version} is read to its last byte`, () => {
      const bytes = bytesOf(version);
      const message: Message = readMessage(bytes);
      assert.deepEqual(
        message.accounts.map(({ address, isSigner, isWritable }) => [address, isSigner, isWritable]),
        [
          [payer, true, true],
          [sender, true, false],
          [thief, false, true],
          [memoProgram, false, false],
        ],
      );
      const [instruction] = message.instructions;
      assert.deepEqual(instruction?.accounts, [sender, thief]);
      assert.deepEqual(
        [instruction?.program, instruction?.data.length, instruction?.data[199]],
        [memoProgram, 200, 199],
      );
      assert.deepEqual([message.version, message.lifetimeToken], [version, systemProgram]);
      assert.deepEqual(message.budget, version === 1 ? { priorityFee: 7n, computeUnitLimit: 300 } : undefined);
      assert.deepEqual(message.signatures, [new Uint8Array(64), new Uint8Array(64)]);
      const signed = version === 1 ? bytes.subarray(0, -128) : bytes.subarray(129);
      assert.deepEqual(message.signedBytes, signed);
    });

    it(`of version ${version} ends where it ends`, () => {
      const bytes = bytesOf(version);
      for (let length = 0; length < bytes.length; length++) refused(bytes.slice(0, length));
      refused(Uint8Array.of(...bytes, 0), 'length');
    });

    it(`of version ${version} has sound counts, and accounts that are there, each once`, () => {
      const bytes = bytesOf(version);
      const header = headers[version];
      refused(changed(bytes, header + 1, 2), 'header');
      refused(changed(bytes, header + 2, 3), 'header');
      refused(changed(bytes, header, 1));
      refused(changed(bytes, header, 3));
      const accounts = version === 1 ? 1 + 3 + 4 + 32 + 2 : header + 4;
      const twice = bytes.slice();
      twice.copyWithin(accounts + 64, accounts + 32, accounts + 64);
      refused(twice, 'accounts');
      const program = version === 1 ? accounts + 4 * 32 + 16 : accounts + 4 * 32 + 33;
      refused(changed(bytes, program, 4), 'index of an account');
    });

    it(`of version ${version} is no larger than the network takes`, () => {
      const max = version === 1 ? 4096 : 1232;
      const size = (data: number): Uint8Array =>
        bytesOf(version, { instructions: [{ program: memoProgram, accounts: [], data: new Uint8Array(data) }] });
      const rest = size(500).length - 500;
      assert.equal(readMessage(size(max - rest)).version, version);
      refused(size(max - rest + 1), 'length');
    });
  }

  it('has no address lookup tables, no later version, and no count that is longer than it needs to be', () => {
    const bytes = bytesOf(0);
    refused(Uint8Array.of(...bytes.subarray(0, -1), 1, ...new Uint8Array(32), 0, 0), 'address lookup tables');
    for (const byte of [0x81, 0x82, 0xff]) refused(changed(bytes, 129, byte), 'version');
    const legacy = bytesOf('legacy');
    refused(Uint8Array.of(0x82, 0, ...legacy.subarray(1)), 'count');
    refused(Uint8Array.of(0x82, 0x80, 0, ...legacy.subarray(1)), 'count');
  });

  it('of version 1 has both limits, perhaps a priority fee, and nothing else', () => {
    const bytes = bytesOf(1);
    assert.equal(readMessage(bytesOf(1, { config: { ...config, priorityFee: 0n } })).budget?.priorityFee, 0n);
    for (const mask of [0, 1, 0b0011, 0b0111, 0b1011, 0b1101, 0b1_1111, 0b10_1111])
      refused(changed(bytes, 4, mask), 'settings');
    refused(changed(bytes, 7, 1), 'settings');
    const fee = 1 + 3 + 4 + 32 + 2 + 4 * 32;
    refused(changed(bytes, fee, 0), 'priority fee');
    for (const size of [64 * 1024 * 1024 - 1, 64 * 1024 * 1024 + 1, 0]) {
      refused(bytesOf(1, { config: { ...config, loadedAccountsDataSizeLimit: size } }), 'limit of loaded data');
    }
  });
});
