import type { Address } from '@solana/kit';
import { getMintDecoder, getMintEncoder } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';

/** What a mint withholds of transfers. */
export interface FeeInForce {
  /** Hundredths of a percent. */
  basisPoints: number;
  /** The most that is withheld, in base units; no bound where it is absent. */
  maximum?: bigint;
}

/** A mint's two fees: the one in force now, and the one that follows from an epoch on. */
export interface FeeSchedule {
  now: FeeInForce;
  /** Absent where nothing is scheduled. */
  later?: FeeInForce & { fromEpoch: bigint };
}

const noBound = 2n ** 64n - 1n;

/** Writes the transfer fees of a mint that has some, as if its authority had set them and the epochs had passed. */
export function writeTransferFees(ledger: Ledger, mint: Address, { now, later }: FeeSchedule): void {
  const account = ledger.getAccount(mint);
  if (!account) throw new Error(`no mint at ${mint}`);
  const decoded = getMintDecoder().decode(account.data);
  const extensions = decoded.extensions.__option === 'Some' ? decoded.extensions.value : [];
  const older = feeOf(now, 0n);
  const newer = later ? feeOf(later, later.fromEpoch) : older;
  const changed = extensions.map((extension) => {
    if (extension.__kind !== 'TransferFeeConfig') return extension;
    return { ...extension, olderTransferFee: older, newerTransferFee: newer };
  });
  const data = Uint8Array.from(getMintEncoder().encode({ ...decoded, extensions: changed }));
  if (data.length !== account.data.length) throw new Error(`the mint at ${mint} is not what it was`);
  ledger.setAccount({ ...account, data });
}

/** The transfer fees that a mint's payer must reckon with in an epoch, the one in force first; none where it has none. */
export function readTransferFees(ledger: Ledger, mint: Address, epoch: bigint): readonly FeeInForce[] {
  const { extensions } = getMintDecoder().decode(ledger.getAccount(mint)?.data ?? new Uint8Array());
  const all = extensions.__option === 'Some' ? extensions.value : [];
  const config = all.find((each) => each.__kind === 'TransferFeeConfig');
  if (config?.__kind !== 'TransferFeeConfig') return [];
  const { olderTransferFee: older, newerTransferFee: newer } = config;
  const fees = newer.epoch <= epoch ? [newer] : [older, newer];
  return fees.map(({ transferFeeBasisPoints, maximumFee }) => {
    return { basisPoints: transferFeeBasisPoints, maximum: maximumFee };
  });
}

function feeOf({ basisPoints, maximum }: FeeInForce, epoch: bigint) {
  return { epoch, maximumFee: maximum ?? noBound, transferFeeBasisPoints: basisPoints };
}

/** What a fee withholds of an amount, in base units: rounded up, as the token program does. */
export function withheldBy({ basisPoints, maximum = noBound }: FeeInForce, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + 9_999n) / 10_000n;
  return fee < maximum ? fee : maximum;
}
