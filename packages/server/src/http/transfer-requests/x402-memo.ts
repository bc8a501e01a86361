import { randomBytes } from 'node:crypto';
import type { TransferInputs } from 'splwright-core';

// As many as the clients of `@x402/svm` draw.
const randomByteLength = 16;

/**
 * Returns the inputs of a transfer with a memo of 16 random bytes in hex where the x402 layout has none of its own.
 *
 * Two payments of the same amount with the same blockhash would otherwise be one transaction, which is paid once.
 */
export function withX402Memo(inputs: TransferInputs): TransferInputs {
  if (inputs.layout !== 'x402' || inputs.memo !== undefined) return inputs;
  return { ...inputs, memo: randomBytes(randomByteLength).toString('hex') };
}
