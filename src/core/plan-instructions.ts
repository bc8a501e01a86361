import { type Instruction, role } from './instruction.ts';
import { associatedTokenProgram, computeBudgetProgram, memoProgram, systemProgram } from './programs.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** Discriminators of the instructions that are built, from each program's instruction enum. */
export const discriminators = {
  /** ComputeBudget `SetComputeUnitLimit(u32)`. */
  setComputeUnitLimit: 2,
  /** Associated token account `CreateIdempotent`. */
  createIdempotent: 1,
  /** Token `TransferChecked { amount: u64, decimals: u8 }`. */
  transferChecked: 12,
} as const;

/**
 * The instructions of a plan, in the one order that lands: compute limit, create, memo, transfer.
 *
 * The memo stands directly before the transfer, because a recipient account that requires memos looks at the preceding
 * instruction only (token-2022 `program/src/extension/memo_transfer`).
 */
export function planInstructions(plan: TransferPlan): Instruction[] {
  const instructions: Instruction[] = [];
  if (plan.computeUnitLimit !== undefined) instructions.push(setComputeUnitLimit(plan.computeUnitLimit));
  if (plan.createsRecipientTokenAccount) instructions.push(createRecipientTokenAccount(plan));
  if (plan.memo) {
    instructions.push({ program: memoProgram, accounts: [role.readonlySigner(plan.sender)], data: plan.memo.bytes });
  }
  instructions.push(transferChecked(plan));
  return instructions;
}

function setComputeUnitLimit(units: number): Instruction {
  const data = new Uint8Array(5);
  data[0] = discriminators.setComputeUnitLimit;
  new DataView(data.buffer).setUint32(1, units, true);
  return { program: computeBudgetProgram, accounts: [], data };
}

function createRecipientTokenAccount(plan: TransferPlan): Instruction {
  return {
    program: associatedTokenProgram,
    accounts: [
      role.writableSigner(plan.feePayer),
      role.writable(plan.recipientTokenAccount),
      role.readonly(plan.recipient),
      role.readonly(plan.mint),
      role.readonly(systemProgram),
      role.readonly(plan.tokenProgram),
    ],
    data: Uint8Array.of(discriminators.createIdempotent),
  };
}

function transferChecked(plan: TransferPlan): Instruction {
  const data = new Uint8Array(10);
  data[0] = discriminators.transferChecked;
  new DataView(data.buffer).setBigUint64(1, plan.amount, true);
  data[9] = plan.decimals;
  return {
    program: plan.tokenProgram,
    accounts: [
      role.writable(plan.senderTokenAccount),
      role.readonly(plan.mint),
      role.writable(plan.recipientTokenAccount),
      role.readonlySigner(plan.sender),
      ...plan.hookAccounts,
    ],
    data,
  };
}
