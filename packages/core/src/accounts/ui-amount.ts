import { readF64, readU16, readU64 } from '../bytes/little-endian.ts';

/** How a mint has its amounts shown: times what its issuer sets, now and from a moment on, or with interest. Times in Unix seconds. */
export type UiAmountConfig =
  | { kind: 'scaled'; multiplier: number; newMultiplier: number; newMultiplierFrom: bigint }
  | { kind: 'interest'; initializedAt: bigint; averageRate: number; updatedAt: bigint; rate: number };

/** How wallets show the amounts of a mint at one moment. */
export interface UiScale {
  /** As a rule what the shown amount is of the real one: 4 where 10 tokens are shown as 40. */
  multiplier: number;
  /** Whether the multiplier grows with time, as interest does. */
  growsWithTime: boolean;
}

/**
 * Reads how a Token-2022 mint has its amounts shown, from the values of its two extensions for that; undefined where they are shown as they are, or by what is no number.
 *
 * Layouts: token-2022 `interface/src/extension/scaled_ui_amount/mod.rs` and `interest_bearing_mint/mod.rs`. No mint has both.
 */
export function decodeUiAmountConfig(
  scaled: Uint8Array | undefined,
  interest: Uint8Array | undefined,
): UiAmountConfig | undefined {
  if (scaled) {
    const [multiplier, newMultiplier] = [readF64(scaled, 32), readF64(scaled, 48)];
    if (!Number.isFinite(multiplier) || !Number.isFinite(newMultiplier)) return undefined;
    return { kind: 'scaled', multiplier, newMultiplier, newMultiplierFrom: readI64(scaled, 40) };
  }
  if (!interest) return undefined;
  return {
    kind: 'interest',
    initializedAt: readI64(interest, 32),
    averageRate: readI16(interest, 40),
    updatedAt: readI64(interest, 42),
    rate: readI16(interest, 50),
  };
}

/** Returns how amounts are shown at a moment in Unix seconds; undefined where they are shown as they are. */
export function uiScaleAt(config: UiAmountConfig, unixSeconds: bigint): UiScale | undefined {
  const growsWithTime = config.kind === 'interest';
  const multiplier = growsWithTime ? interestAt(config, unixSeconds) : multiplierAt(config, unixSeconds);
  // Neither is one that no wallet could show: a node may say anything.
  const isPossible = multiplier > 0 && multiplier < maxMultiplier;
  return isPossible && multiplier !== 1 ? { multiplier, growsWithTime } : undefined;
}

/**
 * Returns whether amounts are shown otherwise than they are, now or by what is already set for later.
 *
 * Issuers add both extensions with a multiplier of 1 or a rate of 0, to be able to change them; nothing is to be said of those.
 */
export function changesShownAmounts(config: UiAmountConfig, unixSeconds: bigint): boolean {
  if (config.kind === 'interest') return config.rate !== 0 || interestAt(config, unixSeconds) !== 1;
  return config.newMultiplier !== 1 || multiplierAt(config, unixSeconds) !== 1;
}

// 2^64 base units times this is still a number.
const maxMultiplier = 1e200;

type Scaled = Extract<UiAmountConfig, { kind: 'scaled' }>;
type Interest = Extract<UiAmountConfig, { kind: 'interest' }>;

function multiplierAt({ multiplier, newMultiplier, newMultiplierFrom }: Scaled, unixSeconds: bigint): number {
  return unixSeconds >= newMultiplierFrom ? newMultiplier : multiplier;
}

// `SECONDS_PER_YEAR` and `ONE_IN_BASIS_POINTS` of the token program.
const secondsPerYear = 60 * 60 * 24 * 365.24;
const oneInBasisPoints = 10_000;

function interestAt({ initializedAt, averageRate, updatedAt, rate }: Interest, unixSeconds: bigint): number {
  const growth = (basisPoints: number, seconds: bigint): number =>
    Math.exp((basisPoints * Number(seconds)) / secondsPerYear / oneInBasisPoints);
  return growth(averageRate, updatedAt - initializedAt) * growth(rate, unixSeconds - updatedAt);
}

/**
 * Returns the amount that wallets show for these base units, in units of the last decimal: what `formatAmount` writes of it is the text
 * that the token program gives (`AmountToUiAmount`). It is computed in floating point, so that large amounts are rounded, and a
 * multiplied one is cut off to whole base units first. For display only: what moves is the base units.
 */
export function shownAmount(amount: bigint, decimals: number, { multiplier, growsWithTime }: UiScale): bigint {
  const one = 10 ** decimals;
  const shown = growsWithTime ? Number(amount) * (multiplier / one) : Math.trunc(Number(amount) * multiplier) / one;
  return timesPowerOfTen(shown, decimals);
}

// Exactly, and rounded to a whole number, a half to the even one, as Rust writes it: `toFixed` of JavaScript rounds it up, and ends at
// 100 digits and at 10^21.
function timesPowerOfTen(value: number, decimals: number): bigint {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & 0xf_ffff_ffff_ffffn) | (exponent > 0 ? 1n << 52n : 0n);
  const shift = BigInt(Math.max(exponent, 1) - 1075);
  const scaled = mantissa * 10n ** BigInt(decimals);
  if (shift >= 0n) return scaled << shift;
  const [whole, half] = [scaled >> -shift, 1n << (-shift - 1n)];
  const rest = scaled - (whole << -shift);
  return rest > half || (rest === half && whole % 2n === 1n) ? whole + 1n : whole;
}

function readI64(data: Uint8Array, offset: number): bigint {
  return BigInt.asIntN(64, readU64(data, offset));
}

function readI16(data: Uint8Array, offset: number): number {
  return (readU16(data, offset) << 16) >> 16;
}
