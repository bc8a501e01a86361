import type { Address } from '@solana/kit';
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
/** Where the extensions of a mint begin, after the type of the account: each is u16 type, u16 length, value. */
const firstExtensionOffset = 166;
const transferFeeConfig = 1;
/** In its value, after two authorities and the withheld amount: the older fee and the newer one, u64 epoch, u64 maximum, u16 basis points. */
const olderOffset = 72;
const newerOffset = 90;

/** Writes the transfer fees of a mint that has some, as if its authority had set them and the epochs had passed. */
export function writeTransferFees(ledger: Ledger, mint: Address, { now, later }: FeeSchedule): void {
  const account = ledger.getAccount(mint);
  if (!account) throw new Error(`no mint at ${mint}`);
  const data = Buffer.from(account.data);
  const config = configIn(data);
  if (!config) throw new Error(`the mint at ${mint} has no transfer fees`);
  writeFee(config, olderOffset, now, 0n);
  writeFee(config, newerOffset, later ?? now, later?.fromEpoch ?? 0n);
  ledger.setAccount({ ...account, data: Uint8Array.from(data) });
}

/** The transfer fees that a mint's payer must reckon with in an epoch, the one in force first; none where it has none. */
export function readTransferFees(ledger: Ledger, mint: Address, epoch: bigint): readonly FeeInForce[] {
  const config = configIn(Buffer.from(ledger.getAccount(mint)?.data ?? []));
  if (!config) return [];
  const newer = readFee(config, newerOffset);
  return config.readBigUInt64LE(newerOffset) <= epoch ? [newer] : [readFee(config, olderOffset), newer];
}

/** The part of a mint's data that says what it withholds. */
function configIn(data: Buffer): Buffer | undefined {
  let offset = firstExtensionOffset;
  while (offset + 4 <= data.length) {
    const length = data.readUInt16LE(offset + 2);
    if (data.readUInt16LE(offset) === transferFeeConfig) return data.subarray(offset + 4, offset + 4 + length);
    offset += 4 + length;
  }
  return undefined;
}

function writeFee(config: Buffer, offset: number, { basisPoints, maximum }: FeeInForce, epoch: bigint): void {
  config.writeBigUInt64LE(epoch, offset);
  config.writeBigUInt64LE(maximum ?? noBound, offset + 8);
  config.writeUInt16LE(basisPoints, offset + 16);
}

function readFee(config: Buffer, offset: number): FeeInForce {
  return { basisPoints: config.readUInt16LE(offset + 16), maximum: config.readBigUInt64LE(offset + 8) };
}

/** What a fee withholds of an amount, in base units: rounded up, as the token program does. */
export function withheldBy({ basisPoints, maximum = noBound }: FeeInForce, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + 9_999n) / 10_000n;
  return fee < maximum ? fee : maximum;
}
