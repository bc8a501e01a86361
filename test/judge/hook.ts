import type { Address } from '@solana/kit';
import { type ExtraAccountMeta, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import {
  accountDataSeed,
  accountKeySeed,
  accountPdaMeta,
  encodeExtraAccountMetaList,
  executeAccounts,
  hookPdaMeta,
  instructionDataSeed,
  literalMeta,
  literalSeed,
  pubkeyDataMeta,
  validationAddressOf,
} from '../setup/hook-extra-account-metas.ts';
import { countingHook, installHookProgram } from '../setup/hook-program.ts';
import { clockSysvar, fixedAddress, foreignProgram, somebody, systemProgram } from './addresses.ts';
import type { Situation } from './situation.ts';
import { account } from './token-account.ts';
import { type HookWorld, type RunningHook, runningHooks } from './world.ts';

const extraCounts: Readonly<Record<RunningHook, number>> = {
  no_extras: 0,
  fixed_and_derived: 2,
  derived_by_another_program: 2,
  sender_again: 1,
  fee_payer: 1,
  of_destination_data: 1,
  signer: 1,
  // One more, and Token-2022 runs out of its 32 KiB of heap.
  most_extras: 15,
  most_derived_extras: 15,
  one_extra_too_many: 16,
  most_extras_of_five_seeds: 13,
  one_too_many_of_five_seeds: 14,
  most_extras_of_nine_seeds: 11,
  one_too_many_of_nine_seeds: 12,
  most_extras_of_long_seeds: 14,
  one_too_many_of_long_seeds: 15,
  extras_past_the_packet: 30,
};

/** Puts the hook programs of all worlds on a ledger: each insists on the number of accounts that it wants. */
export function installHooks(ledger: Ledger): void {
  for (const hook of runningHooks) {
    installHookProgram(ledger, hookProgramOf(hook), countingHook(executeAccounts + extraCounts[hook]));
  }
}

/** The address that a mint's extension gives as its hook. */
export function hookProgramOf(hook: HookWorld): Address {
  // Thirty-two zero bytes, which are also the System program's: a hook that is not set.
  if (hook === 'none') return systemProgram;
  if (hook === 'program_missing') return foreignProgram;
  // Any program will do whose account list is at another address, as those of other mints are.
  return keypairFromName(`splwright judge hook ${hook === 'list_missing' ? 'no_extras' : hook}`).address;
}

/** Writes the account in which a running hook keeps its list of extra accounts. */
export async function writeHookAccountList(ledger: Ledger, situation: Situation, hook: HookWorld): Promise<void> {
  if (hook === 'none' || hook === 'program_missing' || hook === 'list_missing') return;
  const program = hookProgramOf(hook);
  const data = encodeExtraAccountMetaList(extrasOf(hook, situation));
  const address = await validationAddressOf(situation.mint, program);
  ledger.setAccount(account(address, program, ledger.minimumBalanceForRentExemption(BigInt(data.length)), data));
}

function extrasOf(hook: RunningHook, { feePayer }: Situation): ExtraAccountMeta[] {
  switch (hook) {
    case 'no_extras':
      return [];
    case 'fixed_and_derived': {
      // From a text, the amount, the recipient's token account and the sender's address out of its own token account.
      const seeds = [literalSeed('count'), instructionDataSeed(8, 8), accountKeySeed(2), accountDataSeed(0, 32, 32)];
      return [literalMeta(clockSysvar), hookPdaMeta(seeds, { isWritable: true })];
    }
    case 'derived_by_another_program': {
      const seeds = [accountKeySeed(3), accountKeySeed(1)];
      return [literalMeta(TOKEN_2022_PROGRAM_ADDRESS), accountPdaMeta(executeAccounts, seeds)];
    }
    case 'sender_again':
      return [pubkeyDataMeta({ __kind: 'AccountData', accountIndex: 0, dataIndex: 32 })];
    case 'fee_payer':
      return [literalMeta(feePayer, { isSigner: true, isWritable: true })];
    case 'of_destination_data':
      return [pubkeyDataMeta({ __kind: 'AccountData', accountIndex: 2, dataIndex: 32 })];
    case 'signer':
      return [literalMeta(somebody, { isSigner: true })];
    case 'most_derived_extras':
      return count(extraCounts[hook]).map((index) => hookPdaMeta([literalSeed(`extra ${index}`), accountKeySeed(1)]));
    case 'most_extras_of_five_seeds':
    case 'one_too_many_of_five_seeds': {
      const others = [0, 1, 2, 3].map(accountKeySeed);
      return count(extraCounts[hook]).map((index) => hookPdaMeta([literalSeed(`extra ${index}`), ...others]));
    }
    case 'most_extras_of_nine_seeds':
    case 'one_too_many_of_nine_seeds': {
      const others = [0, 1, 2, 3, 0, 1, 2, 3].map(accountKeySeed);
      return count(extraCounts[hook]).map((index) => hookPdaMeta([literalSeed(`extra ${index}`), ...others]));
    }
    case 'most_extras_of_long_seeds':
    case 'one_too_many_of_long_seeds':
      return count(extraCounts[hook]).map((index) => hookPdaMeta([literalSeed(`extra ${index}`.padEnd(30))]));
    case 'most_extras':
    case 'one_extra_too_many':
    case 'extras_past_the_packet':
      return count(extraCounts[hook]).map((index) => literalMeta(fixedAddress(`extra ${index}`)));
  }
}

function count(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
