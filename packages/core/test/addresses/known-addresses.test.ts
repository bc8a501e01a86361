import assert from 'node:assert/strict';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { test } from 'node:test';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import { type Address, addressFromBytes, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { isAddressOnCurve } from '../../src/addresses/curve.ts';
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

/** The party of an address. */
function partyOf(address: Address): Party {
  return { address, bytes: new PublicKey(address).toBytes() };
}

const tail = Buffer.concat([
  new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL').toBytes(),
  Buffer.from('ProgramDerivedAddress'),
]);

/** What Node's own SHA-256 makes of the seeds and a bump. */
function hashByWitness(owner: Party, program: Party, mint: Party, bump: number): string {
  const preimage = Buffer.concat([owner.bytes, program.bytes, mint.bytes, Buffer.of(bump), tail]);
  return new PublicKey(hash('sha256', preimage, 'buffer')).toBase58();
}

test('a text that was never found to be an address never passes for one', () => {
  assert.throws(() => addressToBytes('not an address' as Address), /not a Solana address: "not an address"/);
});

// More than the table of known addresses holds, with their token accounts several times over.
const ownerCount = 10_000;

function pick<T>(list: readonly T[]): T {
  const found = list[randomInt(list.length)];
  if (found === undefined) throw new RangeError('the list is empty');
  return found;
}

test('10,000 owners of five mints, asked for in any order and again, never get the token account of another', () => {
  const mints = Array.from({ length: 5 }, freshParty);
  const programs = [tokenProgram, token2022Program].map(partyOf);
  const owners: Party[] = [];
  let repeated = 0;
  for (let step = 0; owners.length < ownerCount; step++) {
    const isNew = owners.length === 0 || randomInt(10) < 6;
    if (isNew) owners.push(freshParty());
    else repeated++;
    // The newest, one of the newest hundred, or any: some of them are known, others were forgotten.
    const recent = owners.slice(-pick([1, 2, 100]));
    const owner = isNew || randomInt(2) === 0 ? pick(recent) : pick(owners);
    const [mint, program] = [pick(mints), pick(programs)];
    const found = findAssociatedTokenAddress({
      owner: owner.address,
      mint: mint.address,
      tokenProgram: program.address,
    });
    if (found.address !== hashByWitness(owner, program, mint, found.bump)) {
      assert.fail(`step ${step}: ${found.address} is not the token account of ${owner.address}`);
    }
    // That the bump is the highest one takes the library a millisecond to say.
    if (step % 100 === 0) {
      const [ownerKey, mintKey, programKey] = [owner, mint, program].map(({ address }) => new PublicKey(address));
      assert.ok(ownerKey && mintKey && programKey);
      assert.equal(found.address, getAssociatedTokenAddressSync(mintKey, ownerKey, true, programKey).toBase58());
    }
    // Other uses of the table in between, which may be what clears it.
    if (step % 7 === 0) assert.deepEqual(addressToBytes(pick(owners).address).length, 32);
    if (step % 11 === 0) isAddressOnCurve(pick(recent).address);
    if (step % 13 === 0) freshParty();
  }
  assert.ok(repeated > ownerCount / 2, `only ${repeated} owners were asked for again`);
});

// Each row of the table is taken five times on average: that fewer than eight of a set are is as good as impossible.
const tableFilling = 20_480;
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
  const [read, copied, compared] = [freshParty(), freshParty(), freshParty()];
  const target = new Uint8Array(40);
  const uses = [
    () => assert.equal(knownText(read.address), read.address),
    () => copyAddress(copied.address, viewOf(target), 4),
    () => assert.ok(isAddressAt(viewOf(compared.bytes), 0, compared.address)),
  ];
  for (const use of uses) assert.equal(isTouched(wasmOffsets.text, use), false);
  fillTable();
  for (const use of uses) assert.equal(isTouched(wasmOffsets.text, use), true);
  assert.deepEqual(target, Uint8Array.from([0, 0, 0, 0, ...copied.bytes, 0, 0, 0, 0]));
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
    for (const address of fillTable().slice(-200)) {
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
