import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, addressToBytes, toAddress } from '../../src/addresses/address.ts';
import { systemProgram, tokenAclProgram } from '../../src/addresses/programs.ts';
import {
  canThawDiscriminator,
  type PaidTokenAccount,
  resolveThaw,
  type Thaw,
  type ThawRequest,
} from '../../src/plan/resolve-thaw.ts';
import { accountOf, freshAddress, plainState, walletAccount } from '../fixtures.ts';
import { hookEntry, hookListOf, literalEntry } from '../hooks.ts';

// Derived by another library.
function derive(program: Address, seed: string, of: Address): [Address, number] {
  const seeds = [Buffer.from(seed), addressToBytes(of)];
  const [found, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program));
  return [toAddress(found.toBase58()), bump];
}

const [sender, mint, gateProgram] = [freshAddress(), freshAddress(), freshAddress()];
const paid: PaidTokenAccount = { owner: freshAddress(), address: freshAddress(), state: undefined };
const request: ThawRequest = {
  createTokenAccount: 'if_missing',
  layout: 'default',
  from: sender,
  feePayer: sender,
  mint,
  nonceAccount: undefined,
  senderTokenAccount: freshAddress(),
};
const [configuration] = derive(tokenAclProgram, 'MINT_CONFIG', mint);
const [flag, flagBump] = derive(tokenAclProgram, 'FLAG_ACCOUNT', paid.address);
const [list, listBump] = derive(gateProgram, 'thaw_extra_account_metas', mint);

/** The configuration of a mint: whether anyone may thaw, and further bytes that differ, by their offsets. */
function configurationAccount(changes: Readonly<Record<number, number>> = {}): Account {
  const data = Uint8Array.of(
    1,
    254,
    1,
    0,
    ...addressToBytes(mint),
    ...new Uint8Array(32),
    ...addressToBytes(gateProgram),
  );
  for (const [offset, byte] of Object.entries(changes)) data[Number(offset)] = byte;
  return accountOf(tokenAclProgram, data);
}

function listAccount(...entries: readonly number[][]): Account {
  const data = hookListOf(...entries);
  data.set(canThawDiscriminator);
  return accountOf(gateProgram, data);
}

interface Scene {
  asked?: Partial<ThawRequest>;
  mintState?: { freezesNewAccounts?: boolean; thawAuthority?: Address | undefined };
  account?: Partial<PaidTokenAccount>;
  read?: readonly (readonly [Address, Account | null])[];
  unread?: readonly Address[];
}

function resolve({ asked, mintState, account, read = [], unread = [] }: Scene = {}) {
  const known = new Map<Address, Account | null>([
    [configuration, configurationAccount()],
    [flag, null],
    [gateProgram, accountOf(systemProgram, [], true)],
    [list, listAccount()],
    ...read,
  ]);
  for (const address of unread) known.delete(address);
  const state = { freezesNewAccounts: true, thawAuthority: configuration, ...mintState };
  return resolveThaw({ ...request, ...asked }, state, { ...paid, ...account }, known);
}

function thawIn(scene: Scene = {}): Thaw {
  const resolved = resolve(scene);
  assert.ok('thaw' in resolved && resolved.thaw, JSON.stringify(resolved));
  return resolved.thaw;
}

const frozen = { ...plainState(paid.owner), isFrozen: true };

describe('the thaw of a token account', () => {
  test('names what the Token ACL program asks for, with the addresses of another library', () => {
    const expected: Thaw = {
      configuration,
      flag,
      gateProgram,
      gateAccounts: [list],
      bumpSteps: 510 - flagBump - listBump,
    };
    assert.deepEqual(thawIn(), expected);
    assert.deepEqual(thawIn({ account: { state: frozen } }), expected);
  });

  test('reads configuration and flag first, then the gate program and its list', () => {
    for (const unread of [[configuration], [flag], [configuration, flag, gateProgram, list]]) {
      assert.deepEqual(resolve({ unread }), { needs: [configuration, flag] });
    }
    for (const unread of [[gateProgram], [list]]) assert.deepEqual(resolve({ unread }), { needs: [gateProgram, list] });
  });

  test('resolves what the gate program reads over its own accounts, the new token account and the flag as they are by then', () => {
    const [literal, other] = [freshAddress(), freshAddress()];
    const keys = [sender, paid.address, mint, paid.owner, flag, list];
    const seeds = keys.flatMap((_, index) => [3, index]);
    const byKeys = PublicKey.findProgramAddressSync(keys.map(addressToBytes), new PublicKey(gateProgram))[0];
    const byData = PublicKey.findProgramAddressSync(
      [canThawDiscriminator, addressToBytes(mint), addressToBytes(paid.owner), Uint8Array.of(2), Uint8Array.of(1)],
      new PublicKey(gateProgram),
    )[0];
    const entries = [
      literalEntry(literal),
      // The owner of the token account, from its data.
      hookEntry([2, 2, 1, 32]),
      hookEntry([1, ...seeds]),
      // The instruction's data, mint, owner and state of the token account, and what the flag holds.
      hookEntry([1, 2, 0, 8, 4, 1, 0, 32, 4, 1, 32, 32, 4, 1, 108, 1, 4, 4, 0, 1]),
      // From the data of an account that was named before.
      hookEntry([2, 2, 6, 0]),
    ];
    const read = [
      [list, listAccount(...entries)],
      [literal, accountOf(gateProgram, addressToBytes(other))],
    ] as const;
    const extras = [literal, paid.owner, toAddress(byKeys.toBase58()), toAddress(byData.toBase58()), other];
    assert.deepEqual(thawIn({ read }).gateAccounts, [list, ...extras]);
    assert.deepEqual(resolve({ read, unread: [literal] }), { needs: [literal] });
  });

  test('of an account that is there reads what it holds', () => {
    const other = freshAddress();
    const data = Uint8Array.of(...new Uint8Array(32), ...addressToBytes(other), ...new Uint8Array(101));
    const scene = {
      account: { state: frozen },
      read: [
        [list, listAccount(hookEntry([2, 2, 1, 32]))],
        [paid.address, accountOf(systemProgram, data)],
      ],
    } as const;
    assert.deepEqual(thawIn(scene).gateAccounts, [list, other]);
  });
});

describe('nothing is thawed', () => {
  const [otherWallet, nonceAccount] = [freshAddress(), freshAddress()];
  const listing = (...entries: readonly number[][]): Scene => ({ read: [[list, listAccount(...entries)]] });
  const cases: Readonly<Record<string, Scene>> = {
    'where new accounts are not frozen': { mintState: { freezesNewAccounts: false } },
    'where the account is not frozen': { account: { state: plainState(paid.owner) } },
    'where the account has another owner': { account: { state: { ...frozen, owner: freshAddress() } } },
    'where nothing may be made ready': { asked: { createTokenAccount: 'never' } },
    'where nobody can thaw': { mintState: { thawAuthority: undefined } },
    'where somebody else thaws': { mintState: { thawAuthority: freshAddress() } },
    'where there is no configuration': { read: [[configuration, null]] },
    'where the configuration is of another program': {
      read: [[configuration, { ...configurationAccount(), owner: freshAddress() }]],
    },
    'where the configuration has another length': {
      read: [[configuration, accountOf(tokenAclProgram, [...configurationAccount().data, 0])]],
    },
    'where the configuration is of another kind': { read: [[configuration, configurationAccount({ 0: 2 })]] },
    'where only the issuer thaws': { read: [[configuration, configurationAccount({ 2: 0 })]] },
    'where the flag for it is no truth value': { read: [[configuration, configurationAccount({ 2: 2 })]] },
    'where the configuration is of another mint': {
      read: [[configuration, configurationAccount({ 35: (addressToBytes(mint)[31] ?? 0) ^ 1 })]],
    },
    'where the flag is occupied': { read: [[flag, accountOf(tokenAclProgram, [1])]] },
    'where the flag has lamports that a sponsored caller cannot take': {
      asked: { feePayer: otherWallet },
      read: [[flag, walletAccount(1n)]],
    },
    'where there is no gate program': { read: [[gateProgram, null]] },
    'where the gate is no program': { read: [[gateProgram, walletAccount(1n)]] },
    'where the gate has no list': { read: [[list, null]] },
    'where the list is of another program': { read: [[list, { ...listAccount(), owner: freshAddress() }]] },
    'where the list is that of a transfer hook': { read: [[list, accountOf(gateProgram, hookListOf())]] },
    'where the gate wants a signature': listing(literalEntry(freshAddress(), 1, 0)),
    "where the gate wants the sender's signature": listing(literalEntry(sender, 1, 0)),
    'where the gate wants to write': listing(literalEntry(freshAddress(), 0, 1)),
    'where the gate wants to write the token account': listing(literalEntry(paid.address, 0, 1)),
    "where the gate names the sender's tokens": listing(literalEntry(request.senderTokenAccount)),
    'where the gate names the sponsor': { asked: { feePayer: otherWallet }, ...listing(literalEntry(otherWallet)) },
    'where the gate names the nonce account': { asked: { nonceAccount }, ...listing(literalEntry(nonceAccount)) },
    'where the gate names what is not there': listing(hookEntry([1, 3, 9])),
    'where the gate reads past a new token account': listing(hookEntry([2, 2, 1, 140])),
  };
  for (const [name, scene] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(resolve(scene), { thaw: undefined }));
  }

  test('but where the flag has lamports and the caller pays the fee', () => {
    assert.equal(thawIn({ read: [[flag, walletAccount(1n)]] }).flag, flag);
  });

  test('but where the gate names the sender or the recipient, who also pays the fee', () => {
    assert.deepEqual(thawIn(listing(literalEntry(sender))).gateAccounts, [list, sender]);
    const scene = { asked: { feePayer: paid.owner }, ...listing(literalEntry(paid.owner)) };
    assert.deepEqual(thawIn(scene).gateAccounts, [list, paid.owner]);
  });
});
