import { systemProgram, token2022Program } from '../addresses/programs.ts';
import {
  layoutLimits,
  type PriorityFee,
  type TransferLayout,
  type TransferRequest,
} from '../request/transfer-request.ts';
import { transactionSizeLimit } from '../transaction/encode-transaction.ts';
import { planSize } from './plan-message.ts';
import type { Thaw } from './resolve-thaw.ts';
import { type Payment, type TransferPlan, thawsOf } from './transfer-plan.ts';

/** What one transaction may spend at most, whatever it asks for (`MAX_COMPUTE_UNIT_LIMIT` of the runtime). */
export const maxComputeUnits = 1_400_000;

/** What the runtime grants for each instruction that is not a builtin, when nothing else is asked for. */
const defaultComputeUnitsPerInstruction = 200_000;

// On top of the measured cost, for a token program that a release makes dearer than measured.
const programHeadroom = 3_000;
// Phantom inserts up to three guards, instructions of the Lighthouse program; the dearest seen on mainnet took 5,660 units.
const guardHeadroom = 3 * 5_660;
/** The further headroom where a transfer hook or a gate program runs: only its author knows what it costs. */
const hookHeadroom = 100_000;

// Measured on the ledger's programs, each the dearest of the two SPL Token programs and of the token accounts of a mint.
const cost = {
  builtinInstruction: 150,
  transferClassic: 6_300,
  transferToken2022: 4_600,
  /** Each extension of a mint of Token-2022, which its program looks through for those that it needs, in a transfer and in a creation. */
  mintExtension: 260,
  transferWithHook: 9_700,
  /** Each extra account of a hook, the derivation of its address included. */
  hookExtraAccount: 8_000,
  /** What the Token ACL program and the token program take to thaw an account. */
  thaw: 20_000,
  /** Each account that the gate program wants to read, the derivation of its address included. */
  gateExtraAccount: 8_000,
  createExisting: 4_600,
  createClassic: 23_500,
  createToken2022: 22_000,
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
  | 'createsRecipientTokenAccount'
  | 'recipientTokenAccountBump'
  | 'recipientTokenAccountExists'
  | 'memo'
  | 'hookAccounts'
  | 'thaw'
>;

/** The parts of a mint that the compute units of its transfers depend on. */
type CostedMint = Pick<TransferPlan, 'tokenProgram' | 'extensionCount'>;

type CreationFacts = Pick<CostedPayment, 'recipientTokenAccountBump' | 'recipientTokenAccountExists'>;

/** The parts of a plan that its compute units depend on. */
export interface CostedPlan
  extends Pick<TransferPlan, 'tokenProgram' | 'extensionCount' | 'wrap' | 'unwrap'>,
    Partial<Pick<TransferPlan, 'senderTokenAccountBump'>> {
  payments: readonly CostedPayment[];
  sponsorFee?: CostedPlan | undefined;
}

/** The compute units to ask for: what the instructions were measured to take, what memos can take, and the headroom of the layout. */
export function estimateComputeUnits(plan: CostedPlan & Partial<Pick<TransferPlan, 'layout'>>): number {
  const payments = [...plan.payments, ...(plan.sponsorFee?.payments ?? [])];
  const hooked = hookHeadroom * payments.filter(({ hookAccounts }) => hookAccounts.length > 0).length;
  const gated = hookHeadroom * thawsOf({ payments }).length;
  // Who pays by x402 or MPP is a program, which signs what it gets; hosted facilitators refuse high limits, and MPP any guard.
  const guards = (plan.layout ?? 'default') === 'default' ? guardHeadroom : 0;
  return Math.min(programHeadroom + guards + hooked + gated + measuredComputeUnits(plan), maxComputeUnits);
}

/** What the instructions were measured to take and memos can take, without headroom; may be more than `maxComputeUnits`. */
export function measuredComputeUnits(plan: CostedPlan): number {
  const { payments, sponsorFee } = plan;
  const start = (sponsorFee ? measuredComputeUnits(sponsorFee) : sharedComputeUnits) + unitsOfWrapping(plan);
  return payments.reduce((sum, payment) => sum + computeUnitsOfPayment(payment, plan), start);
}

// To sync and to close a token account takes less than a transfer, of which nothing else is asked.
function unitsOfWrapping(plan: CostedPlan): number {
  const { wrap, unwrap, tokenProgram, senderTokenAccountBump: bump = 0 } = plan;
  const each = tokenProgram === token2022Program ? cost.transferToken2022 : cost.transferClassic;
  const creation = { recipientTokenAccountBump: bump, recipientTokenAccountExists: false };
  const create = wrap?.createsTokenAccount ? computeUnitsOfCreation(creation, plan) : 0;
  return (wrap ? cost.builtinInstruction + each + create : 0) + (unwrap ? each : 0);
}

/** What the instructions of one payment were measured to take. */
export function computeUnitsOfPayment(payment: CostedPayment, mint: CostedMint): number {
  const { tokenProgram } = mint;
  const hookAccountCount = payment.hookAccounts.length;
  let units = tokenProgram === token2022Program ? cost.transferToken2022 : cost.transferClassic;
  if (tokenProgram === systemProgram) units = cost.builtinInstruction;
  if (hookAccountCount > 0) units = cost.transferWithHook + hookAccountCount * cost.hookExtraAccount;
  units += mint.extensionCount * cost.mintExtension;
  if (payment.memo) units += payment.memo.computeUnits;
  if (payment.createsRecipientTokenAccount) units += computeUnitsOfCreation(payment, mint);
  if (payment.thaw) units += unitsOfThaw(payment.thaw);
  return units;
}

function unitsOfThaw({ bumpSteps, gateAccounts }: Thaw): number {
  return cost.thaw + bumpSteps * cost.bumpStep + (gateAccounts.length - 1) * cost.gateExtraAccount;
}

/** What the creation of the token account of one payment was measured to take. */
export function computeUnitsOfCreation(
  { recipientTokenAccountBump, recipientTokenAccountExists }: CreationFacts,
  { tokenProgram, extensionCount }: CostedMint,
): number {
  const creating = tokenProgram === token2022Program ? cost.createToken2022 : cost.createClassic;
  return (
    (255 - recipientTokenAccountBump) * cost.bumpStep +
    (recipientTokenAccountExists ? cost.createExisting : creating + extensionCount * cost.mintExtension)
  );
}

/** Returns the compute units of transfers that call a hook with `hookAccountCount` accounts in all, with headroom for the hook itself. */
export function estimateHookComputeUnits(transfers: number, hookAccountCount: number): number {
  return transfers * (hookHeadroom + cost.transferWithHook) + hookAccountCount * cost.hookExtraAccount;
}

/** How many instructions of each kind a transaction has that are not builtin, for which the runtime grants much. */
export interface InstructionCounts {
  /** Of tokens: those of SOL are builtin. */
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

// Where no priority fee is paid for it: for newer programs, and for what wallets insert.
const memoHeadroom = 30_000;

/** A plan of which everything is decided but its compute budget. */
export type UnbudgetedPlan = Omit<TransferPlan, 'computeUnitLimit' | 'computeUnitPrice' | 'priorityFee'>;

/**
 * Decides the compute limit of a plan; `undefined` where the runtime's default grant is enough.
 *
 * With a priority fee and in version 1 there is always one, as close to the real cost as is known: units cost money in the
 * first case, and without a limit there are none in the second. The x402 layout demands one, and in the MPP layout another pays. Otherwise
 * memos make it necessary, or a hook or a gate program next to a memo. Never from a vault: who executes the proposal decides it.
 *
 * `paysPriorityFee`: whether a priority fee is asked for, which the network charges for the limit.
 */
export function decideComputeLimit(plan: UnbudgetedPlan, paysPriorityFee: boolean): number | undefined {
  if (plan.isFromVault) return undefined;
  if (paysPriorityFee || plan.version === 1 || plan.layout !== 'default') return estimateComputeUnits(plan);
  const counts = countInstructions(plan);
  if (counts.memos === 0) return undefined;
  const memoUnits = plan.payments.reduce((sum, { memo }) => sum + (memo?.computeUnits ?? 0), 0);
  const limit = computeLimitOfMemos(memoUnits, counts);
  if (hookAccountCountOf(plan) === 0 && thawsOf(plan).length === 0) return limit;
  return limit === undefined ? optionalLimit(plan, memoUnits, counts) : maxComputeUnits;
}

function countInstructions(plan: UnbudgetedPlan): InstructionCounts {
  const { payments: own, sponsorFee, tokenProgram, wrap, unwrap } = plan;
  const payments = [...own, ...(sponsorFee?.payments ?? [])];
  const created = payments.filter((payment) => payment.createsRecipientTokenAccount).length;
  const creates = created + Number(wrap?.createsTokenAccount ?? false);
  // To sync and to close take no more.
  const others = (wrap ? 1 : 0) + (unwrap ? 1 : 0);
  const transfers = tokenProgram === systemProgram ? 0 : payments.length + others;
  return { transfers, creates, memos: payments.filter(({ memo }) => memo).length };
}

/** How many accounts the mint's hook is handed in all payments of a plan. */
export function hookAccountCountOf({ payments }: Pick<TransferPlan, 'payments'>): number {
  return payments.reduce((sum, { hookAccounts }) => sum + hookAccounts.length, 0);
}

/**
 * The compute limit that memos make necessary next to transfers without a hook; `undefined` where the default grant is enough.
 *
 * `memoUnits`: the compute units of all of them.
 *
 * Depends on nothing that the chain says, so that it is known before the chain is read how many bytes a memo has left.
 */
export function computeLimitOfMemos(memoUnits: number, counts: InstructionCounts): number | undefined {
  const withoutMemo = maxComputeUnitsWithoutMemo(counts) + memoHeadroom;
  const granted = grantedComputeUnits(counts);
  const units = memoUnits + withoutMemo;
  return units > granted ? Math.min(units, maxComputeUnits) : undefined;
}

// Only its author knows what a hook or a gate costs: where the memo leaves it less than a generous share of the default grant, it gets
// the most that any transaction may spend, which costs nothing without a price. Not where the bytes of that would be too many.
function optionalLimit(
  plan: UnbudgetedPlan,
  memoUnits: number,
  { transfers, memos }: InstructionCounts,
): number | undefined {
  const thaws = thawsOf(plan);
  const thawUnits = thaws.reduce((sum, thaw) => sum + hookHeadroom + unitsOfThaw(thaw), 0);
  const units = memoUnits + thawUnits + estimateHookComputeUnits(transfers, hookAccountCountOf(plan));
  const granted =
    grantedComputeUnits({ transfers, creates: 0, memos }) + thaws.length * defaultComputeUnitsPerInstruction;
  if (units <= granted) return undefined;
  const limited = {
    ...plan,
    computeUnitLimit: maxComputeUnits,
    computeUnitPrice: 0n,
    priorityFee: 0n,
  };
  return planSize(limited) <= transactionSizeLimit(plan.version) ? maxComputeUnits : undefined;
}

const microLamportsPerLamport = 1_000_000n;

/** What a price brings for a limit, in lamports: rounded up, as the runtime does. */
export function priorityFeeOf(microLamportsPerComputeUnit: bigint, computeUnitLimit: number): bigint {
  const microLamports = microLamportsPerComputeUnit * BigInt(computeUnitLimit);
  return (microLamports + microLamportsPerLamport - 1n) / microLamportsPerLamport;
}

/** The highest price whose priority fee for this limit is within `maxLamports`. */
export function highestPrice(maxLamports: bigint, computeUnitLimit: number): bigint {
  return (maxLamports * microLamportsPerLamport) / BigInt(computeUnitLimit);
}

/** The price of a level: a percentile of the fees that others paid lately, in micro-lamports per compute unit. */
export function priceOfLevel(level: 'low' | 'medium' | 'high', recentPrices: readonly bigint[]): bigint {
  const percentile = { low: 25, medium: 50, high: 90 }[level];
  const sorted = [...recentPrices].sort((a, b) => Number(a - b));
  return sorted[Math.floor((sorted.length * percentile) / 100)] ?? 0n;
}

/** What the price of a compute unit depends on. */
export interface Prices {
  /** What others paid lately for the accounts written, in micro-lamports per compute unit; absent until asked for. */
  recentPrices: readonly bigint[] | undefined;
  /** The most lamports that the operator lets a priority fee cost. */
  maxPriorityFee: bigint;
}

/**
 * Returns the micro-lamports per compute unit that a plan pays; `undefined` where recent prices are needed. A level is held to the maximum of the operator and of the layout;
 * a price that the caller names is not changed, but refused above it.
 */
export function choosePrice(
  layout: TransferLayout,
  priorityFee: NonNullable<PriorityFee>,
  { recentPrices, maxPriorityFee }: Prices,
  computeUnitLimit: number,
): bigint | undefined {
  if ('microLamportsPerComputeUnit' in priorityFee) return priorityFee.microLamportsPerComputeUnit;
  if (recentPrices === undefined) return undefined;
  const price = priceOfLevel(priorityFee.level, recentPrices);
  const highest = highestPrice(maxPriorityFee, computeUnitLimit);
  const allowed = price < highest ? price : highest;
  if (layout === 'default') return allowed;
  const { maxComputeUnitPrice } = layoutLimits[layout];
  return allowed < maxComputeUnitPrice ? allowed : maxComputeUnitPrice;
}

/** The least limit that a request can ask for, whatever its mint is, and its price: 0 for a level, of which nothing is known yet. */
export function leastBudgetOf({
  createTokenAccount,
  layout,
  memo,
  priorityFee,
  splits,
}: TransferRequest): Pick<TransferPlan, 'computeUnitLimit' | 'computeUnitPrice'> {
  if (priorityFee === undefined || 'level' in priorityFee) return { computeUnitLimit: undefined, computeUnitPrice: 0n };
  const cheapest = {
    createsRecipientTokenAccount: createTokenAccount === 'always' && layout !== 'mpp',
    recipientTokenAccountBump: 255,
    recipientTokenAccountExists: true,
    hookAccounts: [],
  };
  // A recipient that is paid twice gets one token account: the cheapest is not to create those of splits.
  const split = { ...cheapest, createsRecipientTokenAccount: false, memo: undefined };
  const computeUnitLimit = estimateComputeUnits({
    layout,
    tokenProgram: token2022Program,
    extensionCount: 0,
    payments: [...splits.map(() => split), { ...cheapest, memo }],
  });
  return { computeUnitLimit, computeUnitPrice: priorityFee.microLamportsPerComputeUnit };
}
