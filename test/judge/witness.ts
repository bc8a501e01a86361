import {
  AccountRole,
  type Address,
  address,
  createNoopSigner,
  createSolanaRpcFromTransport,
  type GetAccountInfoApi,
  type Instruction,
  type Rpc,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction,
  getTransferCheckedInstruction,
  resolveExtraAccountMetasForExecute,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { memoProgram } from './addresses.ts';
import { asksForMemo, isUnrepresentable, isX402 } from './asked.ts';
import { type Budget, budgetOf } from './budget.ts';
import { hookProgramOf } from './hook.ts';
import type { PaymentSituation, Situation } from './situation.ts';
import { thawsIn, type WitnessedThaw } from './token-acl.ts';
import { compileIfAllowed, maxSize, sizeOf } from './transaction.ts';
import type { MintExtension } from './world.ts';

/** What the libraries make of a world's request, without any check. */
export interface Witness {
  /** The memo in full; undefined where none is asked for. */
  memo: string | undefined;
  budget: Budget;
  /** Everything but compute budget and nonce, the main transfer last; or why it cannot be had. */
  instructions: readonly Instruction[] | { unresolvable: string } | 'no_base_units';
}

/** Makes a world's instructions with the libraries. */
export async function prepareWitness(ledger: Ledger, situation: Situation): Promise<Witness> {
  const { world, payments } = situation;
  const isAsked = asksForMemo(world);
  const thaws = await thawsIn(situation);
  const transfers: Instruction[] = [];
  try {
    for (const payment of payments) {
      transfers.push(await buildTransfer(ledger, situation, payment, referencesOf(situation, payment)));
    }
  } catch (error) {
    const memo = isAsked ? world.memo.text : undefined;
    const budget = budgetOf(situation, { memo, hookAccounts: payments.map(() => 0), thaws });
    return { memo, budget, instructions: { unresolvable: String(error) } };
  }
  const hookAccounts = transfers.map(({ accounts = [] }, index) => {
    return accounts.length - 4 - referencesOf(situation, payments[index]).length;
  });
  const memo = isAsked ? fillMemo(ledger, situation, transfers, thaws) : undefined;
  const budget = budgetOf(situation, { memo, hookAccounts, thaws });
  if (isUnrepresentable(world)) return { memo, budget, instructions: 'no_base_units' };
  return { memo, budget, instructions: arrangeInstructions(situation, memo, transfers, thaws) };
}

// Twice: the length of a long memo takes one byte more than that of a short one.
function fillMemo(
  ledger: Ledger,
  situation: Situation,
  transfers: readonly Instruction[],
  thaws: readonly (WitnessedThaw | undefined)[],
): string {
  const { text, beyondLimit } = situation.world.memo;
  if (beyondLimit === undefined) return text;
  const budget = budgetOf(situation, { memo: text, hookAccounts: transfers.map(() => 0), thaws });
  let memo = text;
  for (let round = 0; round < 2; round += 1) {
    const instructions = arrangeInstructions(situation, memo, transfers, thaws);
    const transaction = compileIfAllowed(ledger, situation, { instructions, budget });
    // What cannot be compiled has no size, and is refused whatever its memo is.
    if (typeof transaction === 'string') return text;
    const length = memo.length + maxSize(situation) + beyondLimit - sizeOf(transaction);
    memo = text.repeat(Math.max(1, Math.ceil(length / text.length))).slice(0, Math.max(1, length));
  }
  return memo;
}

// Each transfer right after the creation and the thaw of what it pays, and the memo right before the last one, which it belongs to; in the
// x402 layout right after it.
function arrangeInstructions(
  situation: Situation,
  memo: string | undefined,
  transfers: readonly Instruction[],
  thaws: readonly (WitnessedThaw | undefined)[],
): Instruction[] {
  const { world, sender, feePayer, mint, tokenProgram, payments } = situation;
  const instructions = wrapIn(situation);
  for (const [index, transfer] of transfers.entries()) {
    const { payee, recipient, tokenAccount } = payments[index] ?? {};
    if (payee?.creates && recipient && tokenAccount) {
      const fields = { payer: createNoopSigner(feePayer), ata: tokenAccount, owner: recipient, mint, tokenProgram };
      instructions.push(getCreateAssociatedTokenIdempotentInstruction(fields));
    }
    const thaw = thaws[index];
    if (thaw) instructions.push(thaw.instruction);
    if (isX402(world)) instructions.push(transfer);
    if (memo !== undefined && index === transfers.length - 1) {
      const fields = { memo, signers: [createNoopSigner(sender)] };
      // The library's type knows its own default only.
      instructions.push(getAddMemoInstruction(fields, { programAddress: memoProgram }));
    }
    if (!isX402(world)) instructions.push(transfer);
  }
  if (world.transfer?.unwraps) {
    const fields = { account: situation.senderTokenAccount, destination: sender, owner: createNoopSigner(sender) };
    instructions.push(getCloseAccountInstruction(fields, { programAddress: tokenProgram }));
  }
  return instructions;
}

function wrapIn({ wrapping, sender, senderTokenAccount: ata, mint, tokenProgram }: Situation): Instruction[] {
  if (!wrapping) return [];
  const source = createNoopSigner(sender);
  const sync = getSyncNativeInstruction({ account: ata }, { programAddress: tokenProgram });
  return [
    ...(wrapping.creates
      ? [getCreateAssociatedTokenIdempotentInstruction({ payer: source, ata, owner: sender, mint, tokenProgram })]
      : []),
    getTransferSolInstruction({ source, destination: ata, amount: wrapping.lamports }),
    // The rent, which newer programs take too, is not needed.
    { ...sync, accounts: sync.accounts.slice(0, 1) },
  ];
}

/** Makes the transfer of a payment, with what the mint's hook demands. Throws when that cannot be had. */
export async function buildTransfer(
  ledger: Ledger,
  situation: Situation,
  payment: PaymentSituation,
  references: readonly Address[],
): Promise<Instruction> {
  const { world, sender, mint, tokenProgram, decimals, senderTokenAccount } = situation;
  const { amount } = payment.payee;
  const plain = getTransferCheckedInstruction(
    {
      source: senderTokenAccount,
      mint,
      destination: payment.tokenAccount,
      authority: createNoopSigner(sender),
      amount,
      decimals,
    },
    { programAddress: tokenProgram },
  );
  const found = references.map((address) => ({ address, role: AccountRole.READONLY }));
  const transfer = { ...plain, accounts: [...plain.accounts, ...found] };
  const hook = world.mint.kind === 'token_2022' ? world.mint.extensions.find(isHook)?.hook : undefined;
  // The x402 layout has no room for the accounts of a hook.
  if (hook === undefined || hook === 'none' || isX402(world)) return transfer;
  const extras = await resolveExtraAccountMetasForExecute({
    rpc: ledgerRpc(ledger),
    transferHookProgramAddress: hookProgramOf(hook),
    source: senderTokenAccount,
    mint,
    destination: payment.tokenAccount,
    owner: sender,
    amount,
  });
  return { ...transfer, accounts: [...transfer.accounts, ...extras] };
}

// They belong to the payment to the recipient.
function referencesOf({ references }: Situation, payment: PaymentSituation | undefined): readonly Address[] {
  return payment?.payee.name === 'to' ? references : [];
}

function isHook(extension: MintExtension): extension is Extract<MintExtension, { kind: 'transfer_hook' }> {
  return extension.kind === 'transfer_hook';
}

/** The one RPC method that a library needs to resolve a transfer hook's accounts, straight over a ledger. */
function ledgerRpc(ledger: Ledger): Rpc<GetAccountInfoApi> {
  return createSolanaRpcFromTransport(async <TResponse>({ payload }: { payload: unknown }): Promise<TResponse> => {
    const found = ledger.getAccount(address(readFirstParameter(payload)));
    const value = found && {
      owner: found.programAddress,
      lamports: found.lamports,
      executable: found.executable,
      space: BigInt(found.data.length),
      rentEpoch: 0n,
      data: [Buffer.from(found.data).toString('base64'), 'base64'],
    };
    // What a node would answer; the library that asks knows the type.
    return { jsonrpc: '2.0', id: 0, result: { context: { slot: ledger.slot() }, value: value ?? null } } as TResponse;
  });
}

function readFirstParameter(payload: unknown): string {
  const isCall = typeof payload === 'object' && payload !== null && 'params' in payload;
  const first: unknown = isCall && Array.isArray(payload.params) ? payload.params[0] : undefined;
  if (typeof first !== 'string') throw new TypeError('only getAccountInfo is answered');
  return first;
}
