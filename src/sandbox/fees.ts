import type { DecodedMessage } from './transaction-decoding.ts';

const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** Programs whose instructions carry signatures of their own, each paid for like a transaction's. */
const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

/** Programs inside the validator, which are given fewer compute units (`solana-builtins-default-costs`). */
const BUILTIN_PROGRAMS: ReadonlySet<string> = new Set([
  COMPUTE_BUDGET_PROGRAM,
  '11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
]);

const LAMPORTS_PER_SIGNATURE = 5000n;
const DEFAULT_COMPUTE_UNITS = 200_000n;
const DEFAULT_BUILTIN_COMPUTE_UNITS = 3_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

/**
 * Gives the fee of a message in lamports: 5,000 for each signature, those checked by the signature programs included,
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
    if (SIGNATURE_PROGRAMS.has(program)) signatures += BigInt(data[0] ?? 0);
    if (program === COMPUTE_BUDGET_PROGRAM) {
      if (data[0] === SET_COMPUTE_UNIT_LIMIT && data.length === 5) limit = BigInt(view.getUint32(1, true));
      if (data[0] === SET_COMPUTE_UNIT_PRICE && data.length === 9) microLamportsPerUnit = view.getBigUint64(1, true);
    }
    defaultUnits += BUILTIN_PROGRAMS.has(program) ? DEFAULT_BUILTIN_COMPUTE_UNITS : DEFAULT_COMPUTE_UNITS;
  }
  const requested = limit ?? defaultUnits;
  const units = requested < MAX_COMPUTE_UNITS ? requested : MAX_COMPUTE_UNITS;
  const priorityFee = (units * microLamportsPerUnit + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return signatures * LAMPORTS_PER_SIGNATURE + (message.version === 1 ? message.priorityFeeLamports : priorityFee);
}
