import type { Address } from '../addresses/address.ts';
import { token2022Program } from '../addresses/programs.ts';
import type { Payment, TransferPlan } from './transfer-plan.ts';

/** What a version 1 message is given to load: as much as every other version may (`MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES`). */
export const loadedAccountsDataSizeLimit = 64 * 1024 * 1024;

/** What one transaction may spend at most, whatever it asks for (`MAX_COMPUTE_UNIT_LIMIT` of the runtime). */
export const maxComputeUnits = 1_400_000;

/** What the runtime grants for each instruction that is not a builtin, when nothing else is asked for. */
const defaultComputeUnitsPerInstruction = 200_000;

/** Compute units on top of the measured cost: for the instructions that wallets insert, and for newer programs. */
const headroom = 40_000;
/**
 * The headroom in the x402 layout, into which no wallet inserts anything: for a token program that a release makes dearer than measured.
 * No more, because hosted facilitators refuse high limits (`x402Limits.refusedComputeUnits`), and a memo alone can take that much.
 */
const x402Headroom = 3_000;
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

/** What a transaction takes in addition to its payments: for a nonce, a compute limit and a price. */
export const sharedComputeUnits = 4 * cost.builtinInstruction;

// The same before the chain is read: the dearest token program, and more bump steps than one wallet in 60,000 needs.
const maxCost = { transfer: 10_000, create: 45_000 };

/** The parts of a payment that its compute units depend on. */
export type CostedPayment = Pick<
  Payment,
  'createsRecipientTokenAccount' | 'recipientTokenAccountBump' | 'recipientTokenAccountExists' | 'memo' | 'hookAccounts'
>;

type CreationFacts = Pick<CostedPayment, 'recipientTokenAccountBump' | 'recipientTokenAccountExists'>;

/** The parts of a plan that its compute units depend on. */
export interface CostedPlan extends CostedPayment, Pick<TransferPlan, 'tokenProgram'> {
  splits: readonly CostedPayment[];
}

/** The compute units to ask for: what the instructions were measured to take, what memos can take, and the headroom of the layout. */
export function estimateComputeUnits(plan: CostedPlan & Partial<Pick<TransferPlan, 'layout'>>): number {
  // Of one mint all transfers call the hook, or none.
  const hooked = plan.hookAccounts.length > 0 ? hookHeadroom * (1 + plan.splits.length) : 0;
  const spare = plan.layout === 'x402' ? x402Headroom : headroom;
  return Math.min(spare + hooked + measuredComputeUnits(plan), maxComputeUnits);
}

/** What the instructions were measured to take and memos can take, without headroom; may be more than `maxComputeUnits`. */
export function measuredComputeUnits(plan: CostedPlan): number {
  const isToken2022 = plan.tokenProgram === token2022Program;
  let units = sharedComputeUnits + computeUnitsOf(plan, isToken2022);
  for (const split of plan.splits) units += computeUnitsOf(split, isToken2022);
  return units;
}

/** What the instructions of one payment were measured to take. */
export function computeUnitsOfPayment(payment: CostedPayment, tokenProgram: Address): number {
  return computeUnitsOf(payment, tokenProgram === token2022Program);
}

/** What the creation of the token account of one payment was measured to take. */
export function computeUnitsOfCreation(payment: CreationFacts, tokenProgram: Address): number {
  return unitsOfCreation(payment, tokenProgram === token2022Program);
}

function computeUnitsOf(payment: CostedPayment, isToken2022: boolean): number {
  const hookAccountCount = payment.hookAccounts.length;
  let units = isToken2022 ? cost.transferToken2022 : cost.transferClassic;
  if (hookAccountCount > 0) units = cost.transferWithHook + hookAccountCount * cost.hookExtraAccount;
  if (payment.memo) units += payment.memo.computeUnits;
  if (payment.createsRecipientTokenAccount) units += unitsOfCreation(payment, isToken2022);
  return units;
}

function unitsOfCreation(
  { recipientTokenAccountBump, recipientTokenAccountExists }: CreationFacts,
  isToken2022: boolean,
): number {
  const creating = isToken2022 ? cost.createToken2022 : cost.createClassic;
  return (
    (255 - recipientTokenAccountBump) * cost.bumpStep + (recipientTokenAccountExists ? cost.createExisting : creating)
  );
}

/** The compute units of transfers that call a hook with so many accounts each, with headroom for the hook itself. */
export function estimateHookComputeUnits(transfers: number, hookAccountCount: number): number {
  return transfers * (hookHeadroom + cost.transferWithHook + hookAccountCount * cost.hookExtraAccount);
}

/** How many instructions of each kind a transaction has. */
export interface InstructionCounts {
  transfers: number;
  /** Of token accounts. */
  creates: number;
  memos: number;
}

/** The compute units that transfers without a hook take at most in addition to memos, whatever their mint is. */
export function maxComputeUnitsWithoutMemo({ transfers, creates }: InstructionCounts): number {
  return transfers * maxCost.transfer + creates * maxCost.create;
}

/** The compute units that the runtime grants to these instructions, when nothing else is asked for. */
export function grantedComputeUnits({ transfers, creates, memos }: InstructionCounts): number {
  return (transfers + creates + memos) * defaultComputeUnitsPerInstruction;
}
