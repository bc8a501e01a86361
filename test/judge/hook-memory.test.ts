import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExtraAccountMeta } from '@solana-program/token-2022';
import { decodeHookAccountList, maxExtraAccounts } from '../../packages/core/src/plan/resolve-hook-accounts.ts';
import {
  accountKeySeed,
  encodeExtraAccountMetaList,
  hookPdaMeta,
  literalMeta,
  literalSeed,
  validationAddressOf,
} from '../setup/hook-extra-account-metas.ts';
import { acceptingHook, installHookProgram } from '../setup/hook-program.ts';
import { fixedAddress } from './addresses.ts';
import { allRules, openCourt } from './court.ts';
import { hookProgramOf } from './hook.ts';
import { freshReferences } from './options-world.ts';
import { type Outcome, sendWitness } from './outcome.ts';
import { plainWorld, token2022 } from './plain-world.ts';
import { situate } from './situation.ts';
import { account } from './token-account.ts';
import { prepareWitness } from './witness.ts';
import type { World } from './world.ts';
import { writeWallets } from './write-wallets.ts';

const [rules] = allRules;
assert.ok(rules);
const court = openCourt(rules);
const hookProgram = hookProgramOf('no_extras');
installHookProgram(court.ledger, hookProgram, acceptingHook());

// Two characters that differ, so that no two extra accounts are one, and some more.
const literal = (index: number, length: number): ReturnType<typeof literalSeed> =>
  literalSeed(String.fromCharCode(97 + index).padEnd(length, '.'));
const keys = (count: number): ReturnType<typeof accountKeySeed>[] =>
  Array.from({ length: count }, (_, index) => accountKeySeed(index % 4));

const kinds: Readonly<Record<string, (index: number) => ExtraAccountMeta>> = {
  'fixed addresses': (index) => literalMeta(fixedAddress(`extra ${index}`)),
  'a short literal and a key': (index) => hookPdaMeta([literal(index, 8), ...keys(1)]),
  'a literal of 16 bytes': (index) => hookPdaMeta([literal(index, 16)]),
  'a literal of 24 bytes and three keys': (index) => hookPdaMeta([literal(index, 24), ...keys(3)]),
  'a literal of 30 bytes': (index) => hookPdaMeta([literal(index, 30)]),
  'four literals': (index) => hookPdaMeta([literal(index, 6), literal(0, 6), literal(1, 6), literal(2, 6)]),
  'five seeds': (index) => hookPdaMeta([literal(index, 22), ...keys(4)]),
  'nine seeds': (index) => hookPdaMeta([literal(index, 14), ...keys(8)]),
  'ten literals': (index) => hookPdaMeta(Array.from({ length: 10 }, (_, at) => literal(at === 0 ? index : at, 1))),
};

let worlds = 0;

/** Sends a transfer whose hook has these extra accounts. `memoBytes` is what the recipient demands; 0 for no demand. */
async function send(extras: ExtraAccountMeta[], referenceCount: number, memoBytes: number): Promise<Outcome> {
  const world: World = {
    ...plainWorld,
    number: worlds++,
    mint: token2022({ kind: 'transfer_hook', hook: 'no_extras' }),
    memo: { text: 'a'.repeat(memoBytes || 100), costly: false },
    recipientTokenAccount: memoBytes > 0 ? 'memo_required' : 'open',
    options: { transactionVersion: 1, references: freshReferences.slice(0, referenceCount) },
  };
  const { ledger } = court;
  const situation = await situate(ledger, world);
  const address = await validationAddressOf(situation.mint, hookProgram);
  const data = encodeExtraAccountMetaList(extras);
  ledger.setAccount(account(address, hookProgram, ledger.minimumBalanceForRentExemption(BigInt(data.length)), data));
  const witness = await prepareWitness(ledger, situation);
  writeWallets(ledger, situation, 5_000n);
  return sendWitness(ledger, situation, witness);
}

describe('the most extra accounts that a hook may have, with the memory that Token-2022 has', () => {
  for (const [kind, extraOf] of Object.entries(kinds)) {
    const extras = (count: number): ExtraAccountMeta[] => Array.from({ length: count }, (_, index) => extraOf(index));

    it(`land, each found by ${kind}, with any number of references and any demanded memo`, async () => {
      for (const referenceCount of [0, 1, 2, 3, 10]) {
        for (const demandedMemoBytes of [0, 1, 400, 1_000, 1_700, 2_300, 2_900]) {
          const list = decodeHookAccountList(encodeExtraAccountMetaList(extras(16)));
          assert.ok(list);
          const count = maxExtraAccounts(list, { referenceCount, demandedMemoBytes });
          const outcome = await send(extras(count), referenceCount, demandedMemoBytes);
          const name = `${count} with ${referenceCount} references and ${demandedMemoBytes} bytes`;
          assert.ok(outcome.kind === 'landed' || outcome.kind === 'too_large', `${name}: ${JSON.stringify(outcome)}`);
        }
      }
    });

    it(`fail with one more, each found by ${kind}`, async () => {
      const list = decodeHookAccountList(encodeExtraAccountMetaList(extras(16)));
      assert.ok(list);
      const count = maxExtraAccounts(list, { referenceCount: 2, demandedMemoBytes: 0 });
      assert.equal((await send(extras(count + 1), 2, 0)).kind, 'failed');
    });
  }
});
