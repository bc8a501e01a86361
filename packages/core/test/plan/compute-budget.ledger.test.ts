import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, lamports, some } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { AccountState, extension } from '@solana-program/token-2022';
import { installClassicMemoProgram } from '../../../../test/setup/classic-memo-ledger.ts';
import {
  accountKeySeed,
  hookPdaMeta,
  literalMeta,
  literalSeed,
} from '../../../../test/setup/hook-extra-account-metas.ts';
import { createHookMint } from '../../../../test/setup/hook-mint.ts';
import { acceptingHook, installHookProgram } from '../../../../test/setup/hook-program.ts';
import { createTokenAccounts } from '../../../../test/setup/token-accounts.ts';
import { tokenMintKinds } from '../../../../test/setup/token-mint-kinds.ts';
import { createTokenMint, finishTokenMint } from '../../../../test/setup/token-mints.ts';
import { named } from '../../../../test/setup/wallets.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { seedWorld } from '../../../sandbox/src/world.ts';
import { sampleRequest } from '../../../server/test/chain/sample-transfer.ts';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { token2022Program } from '../../src/addresses/programs.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import {
  freshWallet,
  memoOf,
  mintAccount,
  recipientOf,
  requestOf,
  tokenAccount,
  tokenAccountsOf,
  walletAccount,
} from '../fixtures.ts';
import { decideOn, openTokenAccount, unitsTakenOn, walletWithBump } from '../ledger-transfers.ts';

// What the summary of `estimateComputeUnits` promises beyond what is used.
const headroom = 3 * 5_660 + 3_000;
const hookHeadroom = 100_000;

const bumps = [255, 254, 253, 252, 251, 250, 249];
const priced = { priorityFee: { microLamportsPerComputeUnit: 1n }, allowsOffCurveRecipient: true, amount: 1n } as const;

interface Measured {
  name: string;
  limit: number;
  used: number;
}

async function startLedger(classicTokenProgram: boolean) {
  const ledger = new Ledger({ classicTokenProgram });
  const world = await seedWorld(ledger);
  const bob = toAddress(named(world.wallets, 'bob').address);
  const [nonceAccount] = world.nonce_accounts;
  assert.ok(nonceAccount);
  const mint = (name: string): Pick<TransferRequest, 'mint'> => ({ mint: toAddress(named(world.mints, name).address) });
  return { ledger, world, bob, mint, nonceAccount: toAddress(nonceAccount.address) };
}

type StartedLedger = Awaited<ReturnType<typeof startLedger>>;

function measure(started: StartedLedger, request: TransferRequest): Measured {
  const { plan } = decideOn(started.ledger, request);
  assert.ok(plan.computeUnitLimit !== undefined);
  // The ledger enforces the limit: a simulation that succeeds has kept it.
  return { name: '', limit: plan.computeUnitLimit, used: unitsTakenOn(started.ledger, plan) };
}

/** A transfer of a mint by both operations, to accounts that exist and that do not, of every bump, in versions and with a nonce. */
function measureMint(started: StartedLedger, mintName: string): Measured[] {
  const measured: Measured[] = [];
  const { ledger, bob, nonceAccount } = started;
  const base = { ...sampleRequest, ...priced, ...started.mint(mintName) };
  const program = toAddress(ledger.getAccount(address(base.mint))?.programAddress ?? '');
  const take = (name: string, request: TransferRequest): void => {
    for (const options of [{}, { version: 1 }, { version: 0, nonceAccount }] as const) {
      const label = `${mintName}, ${name}, ${JSON.stringify(options)}`;
      measured.push({ ...measure(started, { ...request, ...options }), name: label });
    }
  };
  for (const bump of bumps) {
    const request: TransferRequest = { ...base, createTokenAccount: 'always', to: walletWithBump(bump, base, program) };
    take(`bump ${bump}, created`, request);
    // Some lamports are there already: the associated token program adds the rest, and makes three calls instead of one.
    ledger.setAccount({
      address: address(recipientOf(decideOn(ledger, request).plan).recipientTokenAccount),
      programAddress: SYSTEM_PROGRAM_ADDRESS,
      lamports: lamports(1n),
      data: new Uint8Array(),
      space: 0n,
      executable: false,
    });
    take(`bump ${bump}, created where lamports are`, request);
    openTokenAccount(ledger, request, program, bob);
    take(`bump ${bump}, existing`, request);
    take(`bump ${bump}, not to be created`, { ...request, createTokenAccount: 'never' });
  }
  return measured;
}

function assertSufficient(measured: readonly Measured[]): void {
  assert.ok(measured.length > 0);
  for (const { name, limit, used } of measured) assert.ok(limit >= used + headroom, `${name}: ${used} of ${limit}`);
}

// The headroom for others, and what the most expensive token program takes more than this one.
function excessOf({ name, limit, used }: Measured, more = 30_000): string[] {
  const excess = limit - (2 * used + more);
  return excess > 0 ? [`${name}: ${limit} asked for, ${used} used, ${excess} too much`] : [];
}

const newer = await startLedger(false);
const classic = await startLedger(true);
const classicMints = ['USDC', 'SEAT', 'GOLD'];
const token2022Mints = ['PYUSD', 'VOTE', 'WATT', 'TAXED'];
const underClassic = classicMints.flatMap((name) => measureMint(classic, name));
const underNewer = classicMints.flatMap((name) => measureMint(newer, name));
const underToken2022 = token2022Mints.flatMap((name) => measureMint(newer, name));

describe('The compute limit leaves its whole headroom to others', () => {
  test('under the classic SPL Token program', () => assertSufficient(underClassic));
  test('under p-token', () => assertSufficient(underNewer));
  test('under Token-2022', () => assertSufficient(underToken2022));
});

test('The compute limit is at most twice what is used and the headroom', () => {
  const of = (name: string) => (each: Measured) => each.name.startsWith(name);
  // The limit is that of the classic program, since nobody can know which one runs: p-token takes 105 units instead of 6,200.
  const usdc = underNewer.filter(of('USDC'));
  const token2022 = underToken2022.filter((each) => of('TAXED')(each) || of('PYUSD')(each));
  assert.deepEqual(
    [...underClassic, ...usdc, ...token2022].flatMap((each) => excessOf(each)),
    [],
  );
});

for (const name of ['newer', 'classic'] as const) {
  test(`With a memo under the ${name} Memo program, the limit leaves its whole headroom`, async () => {
    const started = await startLedger(true);
    if (name === 'classic') installClassicMemoProgram(started.ledger);
    for (const text of [
      'm',
      '\u0001'.repeat(300),
      '支付'.repeat(30),
      '😀'.repeat(40),
      'Rechnung fuer Jose, '.repeat(150),
    ]) {
      for (const createTokenAccount of ['never', 'always'] as const) {
        const to = createTokenAccount === 'always' ? toAddress(keypairFromName(text).address) : started.bob;
        const request = {
          ...sampleRequest,
          ...priced,
          version: 1,
          createTokenAccount,
          to,
          memo: memoOf(text),
        } as const;
        const measured = { ...measure(started, request), name: text.slice(0, 20) };
        assertSufficient([measured]);
        // The memo apart: what the dearer of the two programs would take is asked for whichever runs.
        const limit = measured.limit - memoOf(text).computeUnits;
        assert.deepEqual(excessOf({ ...measured, limit }), []);
      }
    }
  });
}

/** Of transfers that call a program of which only its author knows what it costs. */
function assertRoomForProgram(measured: readonly Measured[], more: number): void {
  for (const { name, limit, used } of measured) {
    assert.ok(limit >= used + headroom + hookHeadroom, `${name}: ${used} of ${limit}`);
  }
  assert.deepEqual(
    measured.flatMap((each) => excessOf(each, more)),
    [],
  );
}

describe('With a transfer hook', async () => {
  const { ledger } = newer;
  const hookProgram = keypairFromName('measured hook').address;
  installHookProgram(ledger, hookProgram, acceptingHook());
  const holders = [
    { wallet: address(sampleRequest.from), amount: 1000n },
    { wallet: address(newer.bob), amount: 0n },
  ];
  const clock = literalMeta(address('SysvarC1ock11111111111111111111111111111111'));
  const derived = (index: number) => hookPdaMeta([literalSeed(`seed ${index}`), accountKeySeed(index % 4)]);
  const measured: Measured[] = [];
  for (const extras of [0, 1, 2, 5, 15]) {
    const name = `${extras} extra accounts`;
    const extraAccountMetas = Array.from({ length: extras }, (_, index) => (index % 5 === 4 ? clock : derived(index)));
    const plan = { name: `measured ${extras}`, decimals: 6, hookProgram, extraAccountMetas, holders };
    const mint = toAddress(await createHookMint(ledger, plan));
    const request = { ...sampleRequest, ...priced, mint, createTokenAccount: 'never', version: 1 } as const;
    measured.push({ ...measure(newer, request), name });
  }

  test('the limit leaves the hook its headroom in addition to that of the others, and is at most twice what is used and both', () =>
    assertRoomForProgram(measured, 150_000));
});

// Those first that a transfer only passes by, as a mint can have them.
function crowdedMint(mint: Address): Account {
  const somebody = address(sampleRequest.to);
  const authority = some(somebody);
  const fee = { epoch: 0n, maximumFee: 10n ** 9n, transferFeeBasisPoints: 100 };
  return mintAccount({
    extensions: [
      extension('MintCloseAuthority', { closeAuthority: somebody }),
      extension('DefaultAccountState', { state: AccountState.Initialized }),
      extension('MetadataPointer', { authority, metadataAddress: some(address(mint)) }),
      extension('GroupPointer', { authority, groupAddress: some(address(mint)) }),
      extension('TokenGroup', { updateAuthority: authority, mint: address(mint), size: 0n, maxSize: 9n }),
      extension('GroupMemberPointer', { authority, memberAddress: some(address(mint)) }),
      extension('TokenGroupMember', { mint: address(mint), group: somebody, memberNumber: 1n }),
      extension('PermissionedBurn', { authority }),
      extension('PermanentDelegate', { delegate: somebody }),
      extension('TransferFeeConfig', {
        transferFeeConfigAuthority: somebody,
        withdrawWithheldAuthority: somebody,
        withheldAmount: 0n,
        olderTransferFee: fee,
        newerTransferFee: fee,
      }),
      extension('TransferHook', { authority: somebody, programId: SYSTEM_PROGRAM_ADDRESS }),
      extension('PausableConfig', { authority, paused: false }),
    ],
  });
}

// What that mint demands, and what an owner can add.
function crowdedTokenAccount(mint: Address, owner: Address, amount: bigint): Account {
  return tokenAccount(mint, owner, {
    amount,
    extensions: [
      extension('ImmutableOwner', {}),
      extension('TransferFeeAmount', { withheldAmount: 0n }),
      extension('TransferHookAccount', { transferring: false }),
      extension('PausableAccount', {}),
      extension('CpiGuard', { lockCpi: false }),
      extension('MemoTransfer', { requireIncomingTransferMemos: false }),
    ],
  });
}

test('With a mint of many extensions, the limit leaves its whole headroom however many payments there are', () => {
  const { ledger } = newer;
  const write = (at: Address, { owner, lamports: balance, data, executable }: Account): void => {
    const account = { address: address(at), programAddress: address(owner), lamports: lamports(balance) };
    ledger.setAccount({ ...account, data, space: BigInt(data.length), executable });
  };
  const splits = Array.from({ length: 5 }, () => ({ to: freshWallet(), amount: 1n }));
  const request = requestOf({ ...priced, version: 1, createTokenAccount: 'if_missing', splits });
  const { from, to, mint } = request;
  const accounts = tokenAccountsOf(request, token2022Program);
  write(mint, crowdedMint(mint));
  write(from, walletAccount(10n ** 10n));
  write(accounts.sender, crowdedTokenAccount(mint, from, 1_000n));
  const paid = [
    { owner: to, at: accounts.recipient },
    ...accounts.splits.map(({ address: at }, index) => ({ owner: splits[index]?.to ?? to, at })),
  ];
  // Where lamports are already, a creation costs most.
  for (const { at } of paid) write(at, walletAccount(1n));
  const creating = { ...measure(newer, request), name: 'created' };
  for (const { owner, at } of paid) write(at, crowdedTokenAccount(mint, owner, 0n));
  assertSufficient([creating, { ...measure(newer, request), name: 'existing' }]);
});

describe('With a thaw', async () => {
  const { ledger } = newer;
  const sender = address(sampleRequest.from);
  const base = { ...sampleRequest, ...priced, createTokenAccount: 'if_missing', version: 1 } as const;
  const measured: Measured[] = [];
  for (const name of ['2022-acl-allow', '2022-acl-deps'] as const) {
    const mint = await createTokenMint(ledger, tokenMintKinds[name], `measured ${name}`);
    await createTokenAccounts(ledger, mint, [{ owner: sender, amount: 1000n }]);
    await finishTokenMint(ledger, mint);
    for (const bump of bumps) {
      const request = { ...base, mint: toAddress(mint.address) };
      const to = walletWithBump(bump, request, toAddress(mint.tokenProgram));
      measured.push({ ...measure(newer, { ...request, to }), name: `${name}, bump ${bump}` });
    }
  }

  test('the limit leaves the gate program its headroom in addition to that of the others, and is at most twice what is used and both', () =>
    assertRoomForProgram(measured, 170_000));
});
