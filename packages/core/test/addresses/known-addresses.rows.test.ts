import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressFromBytes, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import {
  copyAddress,
  isAddressAt,
  isAddressInData,
  isKnownOnCurve,
  knownText,
  knownTokenAccount,
  remember,
  rememberTokenAccount,
} from '../../src/addresses/known-addresses.ts';
import * as programs from '../../src/addresses/programs.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { wasmMemory, wasmOffsets } from '../../src/addresses/wasm.ts';
import { freshParty, hashByWitness, partyOf } from '../parties.ts';

// Each row of the table is taken ten times on average: that none of the eight rows of a set is kept is certain enough.
const tableFilling = 40_960;
// 32 bytes of 255.
const largestAddress = 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG';

/** What a caller would see of the compiled code's work: the part of its memory at an offset, marked before. */
function isTouched(offset: number, action: () => void): boolean {
  const mark = randomBytes(32);
  wasmMemory.set(mark, offset);
  action();
  return !Buffer.from(wasmMemory.subarray(offset, offset + 32)).equals(mark);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function fillTable(): Address[] {
  return Array.from({ length: tableFilling }, () => toAddress(addressFromBytes(randomBytes(32))));
}

test('an address is decoded once, and again only after it was forgotten', () => {
  const { address, bytes } = freshParty();
  const target = new Uint8Array(40);
  for (const use of [
    () => assert.equal(knownText(address), address),
    () => copyAddress(address, viewOf(target), 4),
    () => assert.ok(isAddressAt(viewOf(bytes), 0, address)),
  ]) {
    assert.equal(isTouched(wasmOffsets.text, use), false);
    fillTable();
    assert.equal(isTouched(wasmOffsets.text, use), true);
  }
  assert.deepEqual(target, Uint8Array.from([0, 0, 0, 0, ...bytes, 0, 0, 0, 0]));
});

test('an address that is known keeps its bytes when the compiled code writes it again', () => {
  const { address, bytes } = freshParty();
  wasmMemory.set(randomBytes(32), wasmOffsets.output);
  remember(address);
  assert.deepEqual(addressToBytes(address), Uint8Array.from(bytes));
});

test('a token account that was derived is not decoded afterwards', () => {
  const { address } = findAssociatedTokenAddress({
    owner: freshParty().address,
    mint: freshParty().address,
    tokenProgram,
  });
  assert.equal(
    isTouched(wasmOffsets.text, () => copyAddress(address, viewOf(new Uint8Array(32)), 0)),
    false,
  );
});

test('bytes that differ in any position are not those of the address', () => {
  const { address, bytes } = freshParty();
  for (let index = 0; index < 32; index++) {
    const other = Buffer.concat([randomBytes(3), bytes]);
    assert.ok(isAddressAt(viewOf(other), 3, address) && isAddressInData(other, 3, address));
    other[3 + index] = (other[3 + index] ?? 0) ^ 1;
    assert.equal(isAddressAt(viewOf(other), 3, address), false);
    assert.equal(isAddressInData(other, 3, address), false);
  }
});

test('addresses that differ in any one character are told apart', () => {
  // Of 44 characters, so that every change of one is an address, too.
  let party = freshParty();
  while (party.address.length < 44) party = freshParty();
  const { address, bytes } = party;
  const target = new Uint8Array(32);
  for (let index = 1; index < address.length; index++) {
    const other = address.slice(0, index) + (address[index] === '2' ? '3' : '2') + address.slice(index + 1);
    for (const [text, expected] of [
      [address, Uint8Array.from(bytes)],
      [other, new PublicKey(other).toBytes()],
    ] as const) {
      assert.equal(knownText(text), text);
      copyAddress(text, viewOf(target), 0);
      assert.deepEqual(target, Uint8Array.from(expected), text);
    }
  }
});

test('an address is tested for the curve once, with the same answer whichever address had its row before', () => {
  for (let round = 0; round < 2; round++) {
    for (const address of fillTable().slice(-600)) {
      const first = isKnownOnCurve(address);
      assert.equal(first, PublicKey.isOnCurve(new PublicKey(address).toBytes()), address);
      assert.equal(
        isTouched(wasmOffsets.input, () => assert.equal(isKnownOnCurve(address), first)),
        false,
      );
    }
  }
});

test('an address is usually still known after 1,024 others, a quarter of the table', () => {
  let forgotten = 0;
  for (let round = 0; round < 20; round++) {
    const { address } = freshParty();
    for (let count = 0; count < 1024; count++) toAddress(addressFromBytes(randomBytes(32)));
    if (isTouched(wasmOffsets.text, () => knownText(address))) forgotten++;
  }
  // Expected for one in a thousand: eight others in its set.
  assert.ok(forgotten < 8, `${forgotten} of 20 were forgotten`);
});

test('programs and sysvars do not evict one another', () => {
  const constants = Object.values(programs).filter((value) => typeof value === 'string');
  for (const text of [...constants, rentSysvar, clockSysvar]) knownText(text);
  for (const text of [...constants, rentSysvar, clockSysvar]) {
    assert.equal(
      isTouched(wasmOffsets.text, () => assert.equal(knownText(text), text)),
      false,
      text,
    );
  }
});

test('texts that are not addresses are refused, however similar they are', () => {
  const { address } = freshParty();
  const texts = [
    '',
    '1'.repeat(31),
    '1'.repeat(33),
    'z'.repeat(44),
    'z'.repeat(45),
    // A byte more in front. Behind it, a short address may become another one.
    `1${address}`,
    `${largestAddress}1`,
    ` ${address.slice(1)}`,
  ];
  // A character past the byte range whose lowest byte is one of the alphabet.
  texts.push(String.fromCharCode(0x100 + address.charCodeAt(0)) + address.slice(1));
  texts.push(String.fromCharCode(0x4e00 + address.charCodeAt(0)) + address.slice(1));
  for (const text of texts) {
    assert.equal(knownText(text), undefined, text);
    assert.throws(() => copyAddress(text, viewOf(new Uint8Array(32)), 0), {
      name: 'TypeError',
      message: /not a Solana address/,
    });
    assert.throws(() => isAddressInData(new Uint8Array(32), 0, text), TypeError);
    assert.throws(() => isAddressAt(viewOf(new Uint8Array(32)), 0, text), TypeError);
    assert.throws(() => knownTokenAccount({ owner: text, mint: address, tokenProgram }), TypeError);
  }
  assert.ok(knownText('1'.repeat(32)));
  assert.ok(knownText(largestAddress));
});

test('a text far too long is refused before it is written over what derivations read', () => {
  const [owner, mint] = [freshParty(), freshParty()];
  for (const text of ['1'.repeat(300), 'z'.repeat(100_000)]) assert.equal(knownText(text), undefined);
  const found = findAssociatedTokenAddress({ owner: owner.address, mint: mint.address, tokenProgram });
  assert.equal(found.address, hashByWitness(owner, partyOf(tokenProgram), mint, found.bump));
});

test('the two newest token accounts of an owner are known, each for its own seeds alone', () => {
  const owner = freshParty().address;
  const [first, second, third] = [1, 2, 3].map((bump) => ({
    seeds: { owner, mint: freshParty().address, tokenProgram: bump === 2 ? token2022Program : tokenProgram },
    found: { address: freshParty().address, bump },
  }));
  assert.ok(first && second && third);
  rememberTokenAccount(first.seeds, first.found);
  assert.deepEqual(knownTokenAccount(first.seeds), first.found);
  rememberTokenAccount(second.seeds, second.found);
  assert.deepEqual(knownTokenAccount(first.seeds), first.found);
  assert.deepEqual(knownTokenAccount(second.seeds), second.found);
  rememberTokenAccount(third.seeds, third.found);
  assert.equal(knownTokenAccount(first.seeds), undefined);
  assert.deepEqual(knownTokenAccount(second.seeds), second.found);
  assert.deepEqual(knownTokenAccount(third.seeds), third.found);
  assert.equal(knownTokenAccount({ ...third.seeds, tokenProgram: token2022Program }), undefined);
  assert.equal(knownTokenAccount({ ...third.seeds, mint: second.seeds.mint }), undefined);
  assert.equal(knownTokenAccount({ ...third.seeds, owner: third.seeds.mint }), undefined);
});

test('what an owner left behind is not known of the owner that gets its row, before and after that has a token account of its own', () => {
  // One more than an owner's row has room for, so that each place in it has been written.
  const mints = Array.from({ length: 3 }, () => freshParty().address);
  const [ownMint = '', ...otherMints] = mints;
  const found = { address: ownMint, bump: 7 };
  for (const owner of fillTable()) {
    for (const mint of mints) rememberTokenAccount({ owner, mint, tokenProgram }, found);
  }
  for (const owner of fillTable()) {
    for (const mint of mints) assert.equal(knownTokenAccount({ owner, mint, tokenProgram }), undefined);
    rememberTokenAccount({ owner, mint: ownMint, tokenProgram }, found);
    for (const mint of otherMints) assert.equal(knownTokenAccount({ owner, mint, tokenProgram }), undefined);
  }
});

test('a token account that is known is not derived again', () => {
  const seeds = { owner: freshParty().address, mint: freshParty().address, tokenProgram };
  const found = findAssociatedTokenAddress(seeds);
  assert.equal(
    isTouched(wasmOffsets.tokenSeeds, () => assert.deepEqual(findAssociatedTokenAddress(seeds), found)),
    false,
  );
});
