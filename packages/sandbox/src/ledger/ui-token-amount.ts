import { type Address, address, type EncodedAccount, type ReadonlyUint8Array } from '@solana/kit';
import { TOKEN_2022_PROGRAM_ADDRESS } from './token-2022.ts';
import { extensionsIn } from './token-extension-data.ts';

/** An amount of tokens as a validator's JSON has it. */
export interface UiTokenAmount {
  /** Base units in decimal digits. */
  amount: string;
  decimals: number;
  uiAmount: number | null;
  uiAmountString: string;
}

/** How a mint's base units are shown. */
export interface AmountScale {
  decimals: number;
  /** What the shown amount is multiplied by: interest, or the issuer's multiplier; absent for most mints. */
  multiplier?: number;
  /** Whether fractions of a base unit are dropped before the decimal point is set. */
  truncates?: boolean;
}

const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');
const unixTimestampOffset = 32;

const interestBearingType = 10;
const scaledUiAmountType = 25;
const secondsPerYear = 60 * 60 * 24 * 365.24;
const basisPoints = 10_000;

/** The greatest decimals for which a validator can tell the amount as a number (10 to this power is a u64). */
const maxNumberDecimals = 19;

function viewOf(data: ReadonlyUint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** Interest that is compounded continuously, at the average rate until the last update and at the current rate since. */
function interestMultiplier(contents: ReadonlyUint8Array, unixSeconds: number): number {
  const view = viewOf(contents);
  const [initialized, averageRate] = [Number(view.getBigInt64(32, true)), view.getInt16(40, true)];
  const [updated, currentRate] = [Number(view.getBigInt64(42, true)), view.getInt16(50, true)];
  const growth = (rate: number, seconds: number) => Math.exp((rate * seconds) / secondsPerYear / basisPoints);
  return growth(averageRate, updated - initialized) * growth(currentRate, unixSeconds - updated);
}

function issuerMultiplier(contents: ReadonlyUint8Array, unixSeconds: number): number {
  const view = viewOf(contents);
  const isNewEffective = unixSeconds >= Number(view.getBigInt64(40, true));
  return view.getFloat64(isNewEffective ? 48 : 32, true);
}

/** Returns how a mint's base units are shown at the time of the ledger's clock. */
export function amountScaleOf(
  mint: EncodedAccount,
  decimals: number,
  getAccount: (address: Address) => EncodedAccount | undefined,
): AmountScale {
  if (mint.programAddress !== TOKEN_2022_PROGRAM_ADDRESS) return { decimals };
  for (const [type, contents] of extensionsIn(mint.data)) {
    if (type !== interestBearingType && type !== scaledUiAmountType) continue;
    const clock = getAccount(clockSysvar);
    const unixSeconds = clock === undefined ? 0 : Number(viewOf(clock.data).getBigInt64(unixTimestampOffset, true));
    return type === interestBearingType
      ? { decimals, multiplier: interestMultiplier(contents, unixSeconds) }
      : { decimals, multiplier: issuerMultiplier(contents, unixSeconds), truncates: true };
  }
  return { decimals };
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Writes base units as a validator does: the decimal text without trailing zeros, and the nearest float. */
export function toUiTokenAmount(amount: bigint, scale: AmountScale): UiTokenAmount {
  const { decimals, multiplier, truncates = false } = scale;
  if (multiplier !== undefined) {
    const scaled = Number(amount) * multiplier;
    const shown = (truncates ? Math.trunc(scaled) : scaled) / 10 ** decimals;
    const uiAmountString = withoutTrailingZeros(shown.toFixed(decimals));
    return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
  }
  const digits = amount.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const uiAmountString = withoutTrailingZeros(
    decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`,
  );
  const uiAmount = decimals <= maxNumberDecimals ? Number(amount) / 10 ** decimals : null;
  return { amount: amount.toString(), decimals, uiAmount, uiAmountString };
}
