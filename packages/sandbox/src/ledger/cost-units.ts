import { signatureProgramOf } from './fees.ts';
import { type DecodedMessage, isStaticWritable } from './transaction-decoding.ts';

const unitsPerSignature = 720n;
const unitsPerWriteLock = 300n;
const instructionDataBytesPerUnit = 4n;
const unitsPerLoadedPage = 8n;
const loadedPageBytes = 32_768n;

/** What checking one signature of an instruction costs, by the program that checks it. */
const unitsPerInstructionSignature = { ed25519: 2_400n, secp256k1: 6_690n, secp256r1: 4_800n } as const;

/** How a transaction was run. */
interface Run {
  unitsConsumed: bigint;
  loadedAccountsDataSize: number;
  /** Writable addresses from lookup tables. */
  loadedWritable: number;
}

/** Returns what a transaction takes of its block's limit: signatures, write locks, data, execution and loaded pages (`solana-cost-model`). */
export function costUnitsOf(message: DecodedMessage, run: Run): bigint {
  const writable = message.staticAddresses.filter((_, index) => isStaticWritable(message, index)).length;
  let signatures = BigInt(message.header.numSignerAccounts) * unitsPerSignature;
  let dataBytes = 0n;
  for (const { programIndex, data } of message.instructions) {
    dataBytes += BigInt(data.length);
    const curve = signatureProgramOf(message.staticAddresses[programIndex] ?? '');
    if (curve !== undefined) signatures += BigInt(data[0] ?? 0) * unitsPerInstructionSignature[curve];
  }
  const pages = (BigInt(run.loadedAccountsDataSize) + loadedPageBytes - 1n) / loadedPageBytes;
  const writeLocks = BigInt(writable + run.loadedWritable) * unitsPerWriteLock;
  const execution = run.unitsConsumed + pages * unitsPerLoadedPage;
  return signatures + writeLocks + dataBytes / instructionDataBytesPerUnit + execution;
}
