import { type Address, address, lamports } from '@solana/kit';
import type { ExtraAccountMeta } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import {
  accountDataSeed,
  accountKeySeed,
  encodeExtraAccountMetaList,
  executeAccounts,
  hookPdaMeta,
  instructionDataSeed,
  literalMeta,
  literalSeed,
  pubkeyDataMeta,
  validationAddressOf,
} from './hook-extra-account-metas.ts';
import { acceptingHook, countingHook, installHookProgram, refusingHook } from './hook-program.ts';

/** The transfer hook of a kind of mint. */
export interface HookPlan {
  name: string;
  /** Without it the program does not exist. */
  program?: Uint8Array;
  /** Without them there is no account list. */
  extraAccountMetas?: readonly ExtraAccountMeta[];
}

const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');
const destinationIndex = 2;
const ownerOffset = 32;

/** A hook that fails unless it is given exactly these extra accounts. */
function counting(name: string, extraAccountMetas: readonly ExtraAccountMeta[]): HookPlan {
  return { name, extraAccountMetas, program: countingHook(executeAccounts + extraAccountMetas.length) };
}

function literalMetas(count: number): ExtraAccountMeta[] {
  return Array.from({ length: count }, (_, index) => literalMeta(keypairFromName(`hook extra ${index}`).address));
}

/** Hooks that can be satisfied, and hooks that cannot. */
export const hookPlans = {
  noExtras: counting('no extras', []),
  /** A fixed address, and one derived from a text, the amount, the destination's address and the source's owner. */
  twoExtras: counting('two extras', [
    literalMeta(clockSysvar),
    hookPdaMeta(
      [literalSeed('counter'), instructionDataSeed(8, 8), accountKeySeed(destinationIndex), accountDataSeed(0, 32, 32)],
      { isWritable: true },
    ),
  ]),
  readsRecipient: counting('reads recipient', [
    pubkeyDataMeta({ __kind: 'AccountData', accountIndex: destinationIndex, dataIndex: ownerOffset }),
  ]),
  demandsSignature: counting('demands signature', [
    literalMeta(keypairFromName('hook cosigner').address, { isSigner: true }),
  ]),
  namesSender: counting('names sender', [
    pubkeyDataMeta({ __kind: 'AccountData', accountIndex: 0, dataIndex: ownerOffset }),
  ]),
  missingProgram: { name: 'missing program' },
  withoutList: { name: 'without list', program: acceptingHook() },
  fifteenExtras: counting('fifteen extras', literalMetas(15)),
  sixteenExtras: counting('sixteen extras', literalMetas(16)),
  refuses: { name: 'refuses', program: refusingHook(4242), extraAccountMetas: [] },
} as const satisfies Record<string, HookPlan>;

/** The address of a hook's program, whether or not it is there. */
export function hookProgramOf(plan: HookPlan): Address {
  return keypairFromName(`hook program ${plan.name}`).address;
}

/** Puts what a hook has into the ledger: its program, and its account list for this mint. */
export async function installHook(ledger: Ledger, plan: HookPlan, mint: Address): Promise<void> {
  const hookProgram = hookProgramOf(plan);
  if (plan.program) installHookProgram(ledger, hookProgram, plan.program);
  if (!plan.extraAccountMetas) return;
  const data = encodeExtraAccountMetaList(plan.extraAccountMetas);
  const space = BigInt(data.length);
  ledger.setAccount({
    address: await validationAddressOf(mint, hookProgram),
    data,
    executable: false,
    lamports: lamports(ledger.minimumBalanceForRentExemption(space)),
    programAddress: hookProgram,
    space,
  });
}
