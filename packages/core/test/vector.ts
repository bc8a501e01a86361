import { readdirSync, readFileSync } from 'node:fs';
import { toAddress } from '../src/addresses/address.ts';
import type { TransferPlan } from '../src/plan/transfer-plan.ts';
import { parseMemo } from '../src/request/memo.ts';
import { planWith } from './fixtures.ts';

/** A plan as JSON: amounts are decimal strings, a memo is its text, and what is absent is null. */
export interface VectorPlan {
  sender: string;
  recipient: string;
  mint: string;
  token_program: string;
  decimals: number;
  amount: string;
  sender_token_account: string;
  recipient_token_account: string;
  creates_recipient_token_account: boolean;
  memo: string | null;
  compute_unit_limit: number | null;
}

/** A plan, a blockhash, and the exact bytes that they make. */
export interface Vector {
  name: string;
  plan: VectorPlan;
  blockhash: string;
  /** Hexadecimal. */
  transaction: string;
}

/** The folder of the vectors. */
export const vectorsFolder = new URL('./vectors/', import.meta.url);

/** Reads every vector, in the order of their names. */
export function readVectors(): Vector[] {
  const names = readdirSync(vectorsFolder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name): Vector => JSON.parse(readFileSync(new URL(name, vectorsFolder), 'utf8')));
}

/** The plan of a vector. */
export function planOf(vector: Vector): TransferPlan {
  const { plan } = vector;
  const parsed = plan.memo === null ? undefined : parseMemo(plan.memo);
  if (parsed && 'fault' in parsed) throw new Error(`the memo of ${vector.name} is none`);
  const [sender, recipient, mint] = [toAddress(plan.sender), toAddress(plan.recipient), toAddress(plan.mint)];
  const tokenProgram = toAddress(plan.token_program);
  return planWith({
    sender,
    recipient,
    mint,
    tokenProgram,
    decimals: plan.decimals,
    amount: BigInt(plan.amount),
    senderTokenAccount: toAddress(plan.sender_token_account),
    recipientTokenAccount: toAddress(plan.recipient_token_account),
    createsRecipientTokenAccount: plan.creates_recipient_token_account,
    memo: parsed?.memo,
    computeUnitLimit: plan.compute_unit_limit ?? undefined,
  });
}
