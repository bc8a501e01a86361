import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, lamports } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
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
import { toAddress } from '../../src/addresses/address.ts';
import type { TokenAccountCreation, TransferRequest } from '../../src/request/transfer-request.ts';
import { memoOf, recipientOf } from '../fixtures.ts';
import { decideOn, openTokenAccount, unitsTakenOn, walletWithBump } from '../ledger-transfers.ts';

// What the summary of `estimateComputeUnits` promises beyond what is used.
const headroom = 3 * 5_660 + 3_000;
const hookHeadroom = 100_000;
const x402Headroom = 3_000;

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

// What `docs/api.md` states: the headroom for others, and what the dearest of the token programs takes more than this one.
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

describe('The compute limit is at most twice what is used and the headroom', () => {
  test('where the token program is the dearest that it is made for', () => {
    const dearest = [...underClassic, ...underToken2022.filter(({ name }) => name.startsWith('TAXED'))];
    assert.deepEqual(
      dearest.flatMap((each) => excessOf(each)),
      [],
    );
  });

  // The limit is that of the classic program, since nobody can know which one runs: p-token takes 105 units instead of 6,200.
  test('under p-token', () => {
    const usdc = underNewer.filter(({ name }) => name.startsWith('USDC'));
    assert.deepEqual(
      usdc.flatMap((each) => excessOf(each)),
      [],
    );
  });
  test('for a mint of Token-2022 without extensions', () => {
    const pyusd = underToken2022.filter(({ name }) => name.startsWith('PYUSD'));
    assert.deepEqual(
      pyusd.flatMap((each) => excessOf(each)),
      [],
    );
  });
});

const memos = {
  'one letter': 'm',
  'Latin letters': 'Rechnung fuer Jose, '.repeat(30),
  'control characters': '\u0001'.repeat(300),
  Chinese: '支付'.repeat(30),
  emoji: '😀'.repeat(40),
};
const mixedMemos = {
  'Latin letters, some with accents': 'Rechnung für José, '.repeat(30),
  'one letter in ten with an accent': 'aaaaaaaaaé'.repeat(80),
  'as many as version 1 takes': 'Rechnung für José, '.repeat(150),
};

for (const name of ['newer', 'classic'] as const) {
  describe(`With a memo, under the ${name} Memo program`, async () => {
    const started = await startLedger(true);
    if (name === 'classic') installClassicMemoProgram(started.ledger);
    const measureMemo = (label: string, text: string, createTokenAccount: TokenAccountCreation): Measured => {
      const to = createTokenAccount === 'always' ? toAddress(keypairFromName(label).address) : started.bob;
      const request = { ...sampleRequest, ...priced, version: 1, createTokenAccount, to, memo: memoOf(text) } as const;
      return { ...measure(started, request), name: label };
    };

    for (const [label, text] of Object.entries(memos)) {
      test(`the limit leaves its whole headroom: ${label}`, () => {
        for (const createTokenAccount of ['never', 'always'] as const) {
          const measured = measureMemo(label, text, createTokenAccount);
          assertSufficient([measured]);
          // The memo apart: what the dearer of the two programs would take is asked for whichever runs.
          const limit = measured.limit - memoOf(text).computeUnits;
          assert.deepEqual(excessOf({ ...measured, limit }), []);
        }
      });
    }
    for (const [label, text] of Object.entries(mixedMemos)) {
      test(`the limit suffices: ${label}`, () => {
        const { limit, used } = measureMemo(label, text, 'never');
        assert.ok(limit >= used, `${used} of ${limit}`);
      });
    }
  });
}

describe('In the x402 layout, into which nothing is inserted later, the limit is what is taken and a small margin,', async () => {
  const x402 = {
    layout: 'x402',
    createTokenAccount: 'never',
    feePayer: toAddress(keypairFromName('x402').address),
  } as const;
  const memosOf256 = {
    ...mixedMemos,
    'Latin letters': 'Rechnung '.repeat(40),
    'control characters': '\u0001'.repeat(256),
    Chinese: '支付'.repeat(40),
  };
  for (const name of ['newer', 'classic'] as const) {
    test(`and lands under the ${name} token and Memo programs, of every kind of mint and with every memo`, async () => {
      const started = await startLedger(name === 'classic');
      if (name === 'classic') installClassicMemoProgram(started.ledger);
      const { ledger, bob } = started;
      const feePayer = address(x402.feePayer);
      const like = ledger.getAccount(address(sampleRequest.from)) ?? assert.fail('the sender has SOL');
      ledger.setAccount({ ...like, address: feePayer });
      for (const mintName of [...classicMints, ...token2022Mints]) {
        for (const text of Object.values(memosOf256).map((each) => [...each].slice(0, 85).join(''))) {
          const request = {
            ...sampleRequest,
            ...x402,
            ...started.mint(mintName),
            to: bob,
            amount: 1n,
            memo: memoOf(text),
          };
          const { limit, used } = measure(started, request);
          assert.ok(limit >= used + x402Headroom, `${mintName}, ${text.slice(0, 10)}: ${used} of ${limit}`);
        }
      }
      const longest = { ...sampleRequest, ...x402, to: bob, memo: memoOf('order-7 '.repeat(32)) };
      const { limit, used } = measure(started, longest);
      assert.ok(name === 'newer' || limit - used < 10_000, `${used} of ${limit}`);
      assert.ok(limit >= used + x402Headroom, `${used} of ${limit}`);
    });
  }
});

test('The bound of a memo is one for mixed scripts, too', async () => {
  const started = await startLedger(true);
  installClassicMemoProgram(started.ledger);
  const request = { ...sampleRequest, ...priced, createTokenAccount: 'never', version: 1 } as const;
  const bare = measure(started, request).used;
  const shortOf = Object.entries(mixedMemos).flatMap(([name, text]) => {
    const memo = memoOf(text);
    const taken = measure(started, { ...request, memo }).used - bare;
    const foreseen = memoOf(text).computeUnits;
    return taken > foreseen ? [`${name}: ${taken} taken, ${foreseen} foreseen`] : [];
  });
  assert.deepEqual(shortOf, []);
});

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

  test('the limit leaves the hook its headroom in addition to that of the others', () => {
    for (const { name, limit, used } of measured) {
      assert.ok(limit >= used + headroom + hookHeadroom, `${name}: ${used} of ${limit}`);
    }
  });

  test('the limit is at most twice what is used and both', () => {
    assert.deepEqual(
      measured.flatMap((each) => excessOf(each, 150_000)),
      [],
    );
  });
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

  test('the limit leaves the gate program its headroom in addition to that of the others', () => {
    for (const { name, limit, used } of measured) {
      assert.ok(limit >= used + headroom + hookHeadroom, `${name}: ${used} of ${limit}`);
    }
  });

  test('the limit is at most twice what is used and both', () => {
    assert.deepEqual(
      measured.flatMap((each) => excessOf(each, 170_000)),
      [],
    );
  });
});
