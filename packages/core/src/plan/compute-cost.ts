import { token2022Program } from '../addresses/programs.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** What a version 1 message is given to load: as much as every other version may (`MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES`). */
export const loadedAccountsDataSizeLimit = 64 * 1024 * 1024;

/** What one transaction may spend at most, whatever it asks for (`MAX_COMPUTE_UNIT_LIMIT` of the runtime). */
export const maximumComputeUnits = 1_400_000;

/** What the runtime grants for each instruction that is not a builtin, when nothing else is asked for. */
export const defaultComputeUnitsPerInstruction = 200_000;

/** Compute units on top of the measured cost: for the instructions that wallets insert, and for newer programs. */
const headroom = 40_000;
/** The further headroom where a transfer hook runs: only its author knows what the hook itself costs. */
const hookHeadroom = 100_000;

// Measured on the ledger's programs, each the dearest of the kinds of mint and of the two SPL Token programs.
const cost = {
  builtinInstruction: 150,
  transferClassic: 6_300,
  transferToken2022: 4_600,
  transferWithHook: 9_700,
  /** Each extra account of a hook, the derivation of its address included. */
  hookExtraAccount: 8_000,
  createExisting: 4_600,
  createClassic: 21_000,
  createToken2022: 19_500,
  /** Each address that the associated token program tries before the one that is off the curve. */
  bumpStep: 1_500,
};

// The same before the chain is read: the dearest token program, and more bump steps than one wallet in 60,000 needs.
const maxCost = { transfer: 10_000, create: 45_000 };

/** What is known of a transfer that its compute units depend on. */
export interface ComputeFacts {
  plan: Pick<TransferPlan, 'tokenProgram' | 'createsRecipientTokenAccount' | 'memo' | 'hookAccounts'>;
  recipientBump: number;
  recipientTokenAccountExists: boolean;
}

/** The compute units to ask for: what the instructions were measured to take, what the memo can take, and headroom. */
export function estimateComputeUnits(facts: ComputeFacts): number {
  const units = headroom + (facts.plan.hookAccounts.length > 0 ? hookHeadroom : 0) + measuredComputeUnits(facts);
  return Math.min(units, maximumComputeUnits);
}

/** What the instructions were measured to take and the memo can take, without headroom; may be more than `maximumComputeUnits`. */
export function measuredComputeUnits(facts: ComputeFacts): number {
  const { plan, recipientBump, recipientTokenAccountExists } = facts;
  const isToken2022 = plan.tokenProgram === token2022Program;
  const hookAccountCount = plan.hookAccounts.length;
  let units = 4 * cost.builtinInstruction;
  if (plan.memo) units += plan.memo.computeUnits;
  if (hookAccountCount > 0) units += cost.transferWithHook + hookAccountCount * cost.hookExtraAccount;
  else units += isToken2022 ? cost.transferToken2022 : cost.transferClassic;
  if (plan.createsRecipientTokenAccount) {
    units += (255 - recipientBump) * cost.bumpStep;
    const creating = isToken2022 ? cost.createToken2022 : cost.createClassic;
    units += recipientTokenAccountExists ? cost.createExisting : creating;
  }
  return units;
}

/** The compute units of a transfer that calls a hook with so many accounts, with headroom for the hook itself. */
export function estimateHookComputeUnits(hookAccountCount: number): number {
  return hookHeadroom + cost.transferWithHook + hookAccountCount * cost.hookExtraAccount;
}

/** The compute units that a transfer without a hook takes at most in addition to its memo, whatever its mint is. */
export function maxComputeUnitsWithoutMemo(createsRecipientTokenAccount: boolean): number {
  return maxCost.transfer + (createsRecipientTokenAccount ? maxCost.create : 0);
}
