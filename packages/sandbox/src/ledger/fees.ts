import type { DecodedMessage } from './transaction-decoding.ts';

const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';

/** Programs whose instructions carry signatures of their own, each paid for like a transaction's. */
const signaturePrograms: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

/** Programs inside the validator, which are given fewer compute units (`solana-builtins-default-costs`). */
const builtinPrograms: ReadonlySet<string> = new Set([
  computeBudgetProgram,
  '11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
]);

const lamportsPerSignature = 5000n;
const defaultComputeUnits = 200_000n;
const defaultBuiltinComputeUnits = 3_000n;
const maxComputeUnits = 1_400_000n;
const microLamportsPerLamport = 1_000_000n;

const setComputeUnitLimit = 2;
const setComputeUnitPrice = 3;

/**
 * Returns the fee of a message in lamports: 5,000 for each signature, those checked by the signature programs included,
 * and the priority fee: compute unit limit times price, rounded up (`solana-fee`, `solana-compute-budget-instruction`).
 */
export function calculateFee(message: DecodedMessage): bigint {
  let signatures = BigInt(message.header.numSignerAccounts);
  let defaultUnits = 0n;
  let limit: bigint | undefined;
  let microLamportsPerUnit = 0n;
  for (const { programIndex, data } of message.instructions) {
    const program = message.staticAddresses[programIndex] ?? '';
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (signaturePrograms.has(program)) signatures += BigInt(data[0] ?? 0);
    if (program === computeBudgetProgram) {
      if (data[0] === setComputeUnitLimit && data.length === 5) limit = BigInt(view.getUint32(1, true));
      if (data[0] === setComputeUnitPrice && data.length === 9) microLamportsPerUnit = view.getBigUint64(1, true);
    }
    defaultUnits += builtinPrograms.has(program) ? defaultBuiltinComputeUnits : defaultComputeUnits;
  }
  const requested = limit ?? defaultUnits;
  const units = requested < maxComputeUnits ? requested : maxComputeUnits;
  const priorityFee = (units * microLamportsPerUnit + microLamportsPerLamport - 1n) / microLamportsPerLamport;
  return signatures * lamportsPerSignature + (message.version === 1 ? message.priorityFeeLamports : priorityFee);
}
