import { AccountRole, createNoopSigner, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  resolveExtraAccountMetasForExecute,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { memoProgram } from './addresses.ts';
import { type Budget, budgetOf } from './budget.ts';
import { hookProgramOf } from './hook.ts';
import { ledgerRpc } from './ledger-rpc.ts';
import type { Situation } from './situation.ts';
import { compileIfAllowed, maxSize, sizeOf } from './transaction.ts';
import type { MintExtension } from './world.ts';

/** What the libraries make of a world's request, without any check. */
export interface Witness {
  /** The memo in full; undefined where none is asked for. */
  memo: string | undefined;
  budget: Budget;
  /** Everything but compute budget and nonce, the transfer last; or why it cannot be had. */
  instructions: readonly Instruction[] | { unresolvable: string };
}

/** Makes a world's instructions with the libraries. */
export async function prepareWitness(ledger: Ledger, situation: Situation): Promise<Witness> {
  const { world } = situation;
  const isAsked = world.operation !== 'create_transfer' || world.options.memoField !== undefined;
  let transfer: Instruction;
  try {
    transfer = await buildTransfer(ledger, situation);
  } catch (error) {
    const memo = isAsked ? world.memo.text : undefined;
    const budget = budgetOf(situation, { memo, hookAccounts: 0 });
    return { memo, budget, instructions: { unresolvable: String(error) } };
  }
  const hookAccounts = (transfer.accounts?.length ?? 0) - 4 - situation.references.length;
  const memo = isAsked ? fillMemo(ledger, situation, transfer) : undefined;
  const instructions = [...precedingInstructions(situation, memo), transfer];
  return { memo, budget: budgetOf(situation, { memo, hookAccounts }), instructions };
}

// Twice: the length of a long memo takes one byte more than that of a short one.
function fillMemo(ledger: Ledger, situation: Situation, transfer: Instruction): string {
  const { text, beyondLimit } = situation.world.memo;
  if (beyondLimit === undefined) return text;
  const budget = budgetOf(situation, { memo: text, hookAccounts: 0 });
  let memo = text;
  for (let round = 0; round < 2; round += 1) {
    const instructions = [...precedingInstructions(situation, memo), transfer];
    const transaction = compileIfAllowed(ledger, situation, { instructions, budget });
    // What cannot be compiled has no size, and is refused whatever its memo is.
    if (transaction === undefined) return text;
    const length = memo.length + maxSize(situation) + beyondLimit - sizeOf(transaction);
    memo = text.repeat(Math.max(1, Math.ceil(length / text.length))).slice(0, Math.max(1, length));
  }
  return memo;
}

function precedingInstructions(situation: Situation, memo: string | undefined): Instruction[] {
  const { world, sender, feePayer, recipient, mint, tokenProgram, recipientTokenAccount: ata } = situation;
  const instructions: Instruction[] = [];
  if (world.operation === 'create_transfer') {
    const payer = createNoopSigner(feePayer);
    instructions.push(
      getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner: recipient, mint, tokenProgram }),
    );
  }
  if (memo !== undefined) {
    const fields = { memo, signers: [createNoopSigner(sender)] };
    // The library's type knows its own default only.
    instructions.push(getAddMemoInstruction(fields, { programAddress: memoProgram }));
  }
  return instructions;
}

async function buildTransfer(ledger: Ledger, situation: Situation): Promise<Instruction> {
  const { world, sender, mint, tokenProgram, decimals, senderTokenAccount, recipientTokenAccount } = situation;
  const { amount } = world;
  const plain = getTransferCheckedInstruction(
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
  const references = situation.references.map((address) => ({ address, role: AccountRole.READONLY }));
  const transfer = { ...plain, accounts: [...plain.accounts, ...references] };
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
