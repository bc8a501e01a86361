import { createNoopSigner, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  resolveExtraAccountMetasForExecute,
} from '@solana-program/token-2022';
import type { Ledger } from '../../src/sandbox/index.ts';
import { signedTransaction } from '../../src/sandbox/signed-transaction.ts';
import { TransactionDecodingError } from '../../src/sandbox/transaction-decoding.ts';
import type { TransactionError } from '../../src/sandbox/transaction-error.ts';
import { memoProgram } from './addresses.ts';
import { hookProgramOf } from './hook.ts';
import { ledgerRpc } from './ledger-rpc.ts';
import { setComputeUnitLimit } from './set-compute-unit-limit.ts';
import type { Situation } from './situation.ts';
import type { MintExtension } from './world.ts';

/** What came of a transaction: it landed, or where it came to its end. */
export type Outcome =
  | { kind: 'landed' }
  | {
      kind: 'failed';
      error: TransactionError;
      logs: readonly string[];
      failedProgram: 'creation' | 'transfer' | undefined;
    }
  | { kind: 'too_large' }
  | { kind: 'hook_unresolvable'; reason: string };

/** Builds what a world's request asks for with the libraries and without any check, signs it, sends it, and tells what came of it. */
export async function sendWitness(ledger: Ledger, situation: Situation): Promise<Outcome> {
  let transfer: Instruction;
  try {
    transfer = await buildTransfer(ledger, situation);
  } catch (error) {
    return { kind: 'hook_unresolvable', reason: String(error) };
  }
  const instructions = [...precedingInstructions(situation), transfer];
  const bytes = signedTransaction(instructions, [situation.signer], ledger.latestBlockhash('confirmed'));
  return send(ledger, bytes, { transferIndex: instructions.length - 1 });
}

/** Sends signed bytes. `transferIndex` is the place of the transfer among the instructions, right after what it needs. */
export function send(ledger: Ledger, bytes: Uint8Array, { transferIndex }: { transferIndex: number }): Outcome {
  try {
    const { error, logs } = ledger.sendTransaction(bytes);
    if (error === null) return { kind: 'landed' };
    const index = typeof error === 'object' && 'InstructionError' in error ? error.InstructionError[0] : undefined;
    const failedProgram = index === undefined ? undefined : index === transferIndex ? 'transfer' : 'creation';
    return { kind: 'failed', error, logs, failedProgram };
  } catch (error) {
    if (error instanceof TransactionDecodingError && error.message.includes('too large')) return { kind: 'too_large' };
    throw error;
  }
}

function precedingInstructions(situation: Situation): Instruction[] {
  const { world, sender, recipient, mint, tokenProgram, recipientTokenAccount: ata } = situation;
  const payer = createNoopSigner(sender);
  if (world.operation === 'create_transfer') {
    return [getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner: recipient, mint, tokenProgram })];
  }
  const memo = getAddMemoInstruction(
    { memo: world.memo.text, signers: [payer] },
    // The library's type knows its own default only.
    { programAddress: memoProgram },
  );
  return world.memo.costly ? [setComputeUnitLimit(1_400_000), memo] : [memo];
}

async function buildTransfer(ledger: Ledger, situation: Situation): Promise<Instruction> {
  const { world, sender, mint, tokenProgram, decimals, senderTokenAccount, recipientTokenAccount } = situation;
  const { amount } = world;
  const transfer = getTransferCheckedInstruction(
    {
      source: senderTokenAccount,
      mint,
      destination: recipientTokenAccount,
      authority: createNoopSigner(sender),
      amount,
      decimals,
    },
    { programAddress: tokenProgram },
  );
  const hook = world.mint.kind === 'token_2022' ? world.mint.extensions.find(isHook)?.hook : undefined;
  if (hook === undefined || hook === 'none') return transfer;
  const extras = await resolveExtraAccountMetasForExecute({
    rpc: ledgerRpc(ledger),
    transferHookProgramAddress: hookProgramOf(hook),
    source: senderTokenAccount,
    mint,
    destination: recipientTokenAccount,
    owner: sender,
    amount,
  });
  return { ...transfer, accounts: [...transfer.accounts, ...extras] };
}

function isHook(extension: MintExtension): extension is Extract<MintExtension, { kind: 'transfer_hook' }> {
  return extension.kind === 'transfer_hook';
}
