import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import { type CostedPayment, estimateComputeUnits } from '../../packages/core/src/plan/compute-budget.ts';
import { parseMemo } from '../../packages/core/src/request/memo.ts';
import { role } from '../../packages/core/src/transaction/instruction.ts';
import { callsHook, extensionsOf, isMissing, isMpp, isX402 } from './asked.ts';
import { maxPriorityFeeLamports } from './court.ts';
import type { PriorityFeeWorld } from './options-world.ts';
import type { Situation } from './situation.ts';
import type { WitnessedThaw } from './token-acl.ts';
import type { World } from './world.ts';

// Micro-lamports: facilitators of x402 and servers of MPP accept no more (`MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS` of `@x402/svm`, `@solana/mpp`).
const maxPaidPrice = 5_000_000n;

/** What a transaction asks of the Compute Budget, and pays. */
export interface Budget {
  /** What a priced transaction asks for, as the service says it does; otherwise enough for anything, or nothing. */
  computeUnitLimit: number | undefined;
  /** Micro-lamports; undefined where no priority fee is asked for. */
  computeUnitPrice: bigint | undefined;
  /** Lamports. */
  priorityFee: bigint;
}

const lamportsPerSignature = 5_000n;
const microLamportsPerLamport = 1_000_000n;
const maxComputeUnits = 1_400_000;
const maxLamports = 2n ** 64n - 1n;
// Beyond as many a hook does not run, and what it costs is not asked.
const maxHookAccounts = 15 + 2;

/** What a world's instructions depend on that its budget depends on, too: the hook accounts and the thaw are those of each payment. */
interface BudgetedParts {
  memo: string | undefined;
  hookAccounts: readonly number[];
  thaws: readonly (WitnessedThaw | undefined)[];
}

/** What the request of a world asks of the Compute Budget. */
export function budgetOf(situation: Situation, parts: BudgetedParts): Budget {
  const { world } = situation;
  const { priorityFee } = world.options;
  // Of a mint that is none it is not known which token program runs, and so not what a transfer takes.
  const isPriced = priorityFee !== undefined && world.mint.kind !== 'oddity';
  // Who executes a proposal decides that.
  if (world.senderWallet === 'vault') {
    return { computeUnitLimit: undefined, computeUnitPrice: undefined, priorityFee: 0n };
  }
  const unpriced = { ...unpricedOf(situation, parts), priorityFee: 0n };
  if (!isPriced) return unpriced;
  const computeUnitLimit = limitOf(situation, parts);
  const computeUnitPrice = priceIn(world, priceOf(priorityFee, BigInt(computeUnitLimit)));
  if (computeUnitPrice === undefined) return unpriced;
  const microLamports = computeUnitPrice * BigInt(computeUnitLimit);
  const lamports = (microLamports + microLamportsPerLamport - 1n) / microLamportsPerLamport;
  return { computeUnitLimit, computeUnitPrice, priorityFee: lamports < maxLamports ? lamports : maxLamports };
}

function unpricedOf(situation: Situation, parts: BudgetedParts): Omit<Budget, 'priorityFee'> {
  const { world } = situation;
  const { memo } = parts;
  const isVersion1 = world.options.transactionVersion === 1;
  // The x402 layout has both instructions always; version 1 has none of them.
  if (isX402(world) && !isVersion1) {
    const isKnown = world.mint.kind !== 'oddity';
    return {
      computeUnitLimit: isKnown ? limitOf(situation, { memo, hookAccounts: [], thaws: [] }) : maxComputeUnits,
      computeUnitPrice: 0n,
    };
  }
  // The MPP layout has a limit always.
  if (isMpp(world) && !isVersion1 && world.mint.kind !== 'oddity') {
    return { computeUnitLimit: limitOf(situation, parts), computeUnitPrice: undefined };
  }
  const needsLimit = isVersion1 || (memo !== undefined && world.memo.costly);
  return { computeUnitLimit: needsLimit ? maxComputeUnits : undefined, computeUnitPrice: undefined };
}

// A price that the request names stays what it is, also when the layout has no room for it.
function priceIn(world: World, price: bigint | undefined): bigint | undefined {
  const isLevel = world.options.priorityFee?.kind === 'level';
  const isHeld = isX402(world) || isMpp(world);
  return isHeld && isLevel && price !== undefined && price > maxPaidPrice ? maxPaidPrice : price;
}

/** Returns the cost of a world's transaction without rent, in lamports. */
export function feeOf({ signers }: Situation, { priorityFee }: Pick<Budget, 'priorityFee'>): bigint {
  return lamportsPerSignature * BigInt(signers.length) + priorityFee;
}

// The limit is the service's to choose, within bounds that the judge holds it to; the fee follows from it.
function limitOf(situation: Situation, { memo, hookAccounts, thaws }: BudgetedParts): number {
  const { tokenProgram, payments, wrapping, world } = situation;
  const account = role.readonly(toAddress(TOKEN_2022_PROGRAM_ADDRESS));
  const parsed = memo === undefined ? undefined : parseMemo(memo);
  const costed = payments.map(({ payee, bump }, index): CostedPayment => {
    const count = hookAccounts[index] ?? 0;
    const thaw = thaws[index]?.thaw;
    return {
      memo: undefined,
      createsRecipientTokenAccount: payee.creates,
      hookAccounts: new Array(count <= maxHookAccounts ? count : 0).fill(account),
      recipientTokenAccountBump: bump,
      recipientTokenAccountExists: !isMissing(payee.tokenAccount),
      ...(thaw && { thaw }),
    };
  });
  const main = costed.at(-1);
  if (!main) throw new Error('every world has a payment');
  const parsedMemo = parsed && 'memo' in parsed ? parsed.memo : undefined;
  return estimateComputeUnits({
    layout: layoutOf(situation.world),
    tokenProgram: toAddress(tokenProgram),
    extensionCount: extensionsOf(world).length,
    ...(wrapping && { wrap: { ...wrapping, createsTokenAccount: wrapping.creates } }),
    ...(wrapping && { senderTokenAccountBump: wrapping.bump }),
    ...(world.transfer?.unwraps && { unwrap: { lamports: 0n } }),
    payments: [...costed.slice(0, -1), { ...main, memo: parsedMemo }],
  });
}

// The x402 layout takes no hook, which would need more.
function layoutOf(world: World): 'default' | 'x402' | 'mpp' {
  if (isMpp(world)) return 'mpp';
  return isX402(world) && !callsHook(world) ? 'x402' : 'default';
}

// A level is the price below which 25, 50 or 90 of 100 recent ones are, as far as the maximum allows.
function priceOf(asked: PriorityFeeWorld, computeUnitLimit: bigint): bigint | undefined {
  const highest = (maxPriorityFeeLamports * microLamportsPerLamport) / computeUnitLimit;
  switch (asked.kind) {
    case 'none':
      return undefined;
    case 'price':
      return asked.price === 0n ? undefined : asked.price;
    case 'at_maximum':
      return highest + asked.above;
    case 'level': {
      const { level, recentPrices } = asked;
      const share = { low: 0.25, medium: 0.5, high: 0.9 }[level];
      const below = (price: bigint): number => recentPrices.filter((each) => each <= price).length;
      const prices = [...recentPrices].sort((one, other) => Number(one - other));
      const price = prices.find((each) => below(each) > share * recentPrices.length) ?? prices.at(-1) ?? 0n;
      return price < highest ? price : highest;
    }
  }
}
