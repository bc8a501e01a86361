import { address, type Instruction } from '@solana/kit';

const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111');

/** The Compute Budget instruction that lets a transaction spend so many units: discriminator 2 and a u32. */
export function setComputeUnitLimit(units: number): Instruction {
  const data = Buffer.alloc(5);
  data.writeUInt8(2);
  data.writeUInt32LE(units, 1);
  return { programAddress: computeBudgetProgram, data: Uint8Array.from(data) };
}
