import assert from 'node:assert/strict';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { type Address, addressFromBytes, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import {
  copyAddress,
  isAddressAt,
  isAddressInData,
  isAddressOnCurve,
  knownText,
  knownTokenAccount,
  remember,
  rememberTokenAccount,
} from '../../src/addresses/known-addresses.ts';
import { associatedTokenProgram, token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { wasmMemory, wasmOffsets } from '../../src/addresses/wasm.ts';

/** An address and its bytes, by the witness library. */
interface Party {
  address: Address;
  bytes: Uint8Array;
}

/** An address that nothing else has. */
function freshParty(): Party {
  const bytes = randomBytes(32);
  return { address: toAddress(new PublicKey(bytes).toBase58()), bytes };
}

/** So many that each row of the table is taken five times on average: that fewer than eight of a set are is as good as impossible. */
const tableFilling = 20_480;

function freshAddresses(count = tableFilling): Address[] {
  return Array.from({ length: count }, () => toAddress(addressFromBytes(randomBytes(32))));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** What a caller would see of the compiled code's work: the part of its memory at an offset, marked before. */
function isTouched(offset: number, action: () => void): boolean {
  const mark = randomBytes(32);
  wasmMemory.set(mark, offset);
  action();
  return !Buffer.from(wasmMemory.subarray(offset, offset + 32)).equals(mark);
}

test('an address is decoded once, and again only after it was forgotten', () => {
  const [read, copied, compared] = [freshParty(), freshParty(), freshParty()];
  const target = new Uint8Array(40);
  const uses = [
    () => assert.equal(knownText(read.address), read.address),
    () => copyAddress(copied.address, viewOf(target), 4),
    () => assert.ok(isAddressAt(viewOf(compared.bytes), 0, compared.address)),
  ];
  for (const use of uses) assert.equal(isTouched(wasmOffsets.text, use), false);
  freshAddresses();
  for (const use of uses) assert.equal(isTouched(wasmOffsets.text, use), true);
  assert.deepEqual(target, Uint8Array.from([0, 0, 0, 0, ...copied.bytes, 0, 0, 0, 0]));
});

test('an address is usually still known after 1,024 others, a quarter of the table', () => {
  let forgotten = 0;
  for (let round = 0; round < 20; round++) {
    const { address } = freshParty();
    freshAddresses(1_024);
    if (isTouched(wasmOffsets.text, () => knownText(address))) forgotten++;
  }
  // Expected for one in a thousand: eight others in its set.
  assert.ok(forgotten < 8, `${forgotten} of 20 were forgotten`);
});

test('an address that is known keeps its bytes when the compiled code writes it again', () => {
  const { address, bytes } = freshParty();
  wasmMemory.set(randomBytes(32), wasmOffsets.output);
  remember(address);
  assert.deepEqual(addressToBytes(address), Uint8Array.from(bytes));
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

test('an address is tested for the curve once, with the same answer whichever address had its row before', () => {
  for (let round = 0; round < 2; round++) {
    for (const address of freshAddresses().slice(-200)) {
      const first = isAddressOnCurve(address);
      assert.equal(first, PublicKey.isOnCurve(new PublicKey(address).toBytes()), address);
      const again = (): void => assert.equal(isAddressOnCurve(address), first);
      assert.equal(isTouched(wasmOffsets.input, again), false);
    }
  }
});

// 32 bytes of 255.
const largestAddress = 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG';

test('texts that are not addresses are refused, however similar they are', () => {
  const { address } = freshParty();
  const texts = [
    '',
    '1'.repeat(31),
    '1'.repeat(33),
    'z'.repeat(44),
    'z'.repeat(45),
    'z'.repeat(100_000),
    // A byte more in front. Behind it, a short address may become another one.
    `1${address}`,
    `${largestAddress}1`,
    ` ${address.slice(1)}`,
    // A character past the byte range whose lowest byte is one of the alphabet.
    String.fromCharCode(0x100 + address.charCodeAt(0)) + address.slice(1),
    String.fromCharCode(0x4e00 + address.charCodeAt(0)) + address.slice(1),
  ];
  const refusal = { name: 'TypeError', message: /not a Solana address/ };
  for (const text of texts) {
    assert.equal(knownText(text), undefined, text);
    assert.throws(() => copyAddress(text, viewOf(new Uint8Array(32)), 0), refusal);
    assert.throws(() => isAddressInData(new Uint8Array(32), 0, text), refusal);
    assert.throws(() => isAddressAt(viewOf(new Uint8Array(32)), 0, text), refusal);
    assert.throws(() => knownTokenAccount({ owner: text, mint: address, tokenProgram }), refusal);
  }
  assert.ok(knownText('1'.repeat(32)));
  assert.ok(knownText(largestAddress));
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

test('the token accounts that an owner left behind are not those of the owner that gets its row', () => {
  const mint = freshParty().address;
  for (const owner of freshAddresses()) {
    rememberTokenAccount({ owner, mint, tokenProgram }, { address: mint, bump: 7 });
  }
  for (const owner of freshAddresses()) assert.equal(knownTokenAccount({ owner, mint, tokenProgram }), undefined);
});

/** What Node's own SHA-256 makes of the seeds and a bump. */
function hashByWitness(owner: Party, program: Party, mint: Party, bump: number): string {
  const { bytes } = partyOf(associatedTokenProgram);
  const seeds = [owner.bytes, program.bytes, mint.bytes, Buffer.of(bump)];
  const preimage = Buffer.concat([...seeds, bytes, Buffer.from('ProgramDerivedAddress')]);
  return new PublicKey(hash('sha256', preimage, 'buffer')).toBase58();
}

function partyOf(address: Address): Party {
  return { address, bytes: new PublicKey(address).toBytes() };
}

function pick<T>(list: readonly T[]): T {
  return list[randomInt(list.length)] ?? assert.fail('the list is empty');
}

test('10,000 owners of five mints, asked for in any order and again, never get the token account of another', () => {
  const mints = Array.from({ length: 5 }, freshParty);
  const programs = [tokenProgram, token2022Program].map(partyOf);
  const owners: Party[] = [];
  for (let step = 0; owners.length < 10_000; step++) {
    const isNew = owners.length === 0 || randomInt(10) < 6;
    if (isNew) owners.push(freshParty());
    // The newest, one of the newest hundred, or any: some of them are known, others were forgotten.
    const recent = owners.slice(-pick([1, 2, 100]));
    const owner = isNew || randomInt(2) === 0 ? pick(recent) : pick(owners);
    const [mint, program] = [pick(mints), pick(programs)];
    const seeds = { owner: owner.address, mint: mint.address, tokenProgram: program.address };
    const found = findAssociatedTokenAddress(seeds);
    if (found.address !== hashByWitness(owner, program, mint, found.bump)) {
      assert.fail(`step ${step}: ${found.address} is not the token account of ${owner.address}`);
    }
    // That the bump is the highest one takes the library a millisecond to say.
    if (step % 100 === 0) {
      const [ownerKey, mintKey, programKey] = [owner, mint, program].map(({ address }) => new PublicKey(address));
      assert.ok(ownerKey && mintKey && programKey);
      assert.equal(found.address, getAssociatedTokenAddressSync(mintKey, ownerKey, true, programKey).toBase58());
    }
    // Other uses of the table in between.
    if (step % 7 === 0) assert.deepEqual(addressToBytes(pick(owners).address).length, 32);
    if (step % 11 === 0) isAddressOnCurve(pick(recent).address);
    if (step % 13 === 0) freshParty();
  }
});
