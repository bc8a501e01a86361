import type { NonceAdvance } from '../accounts/nonce-account.ts';
import type { Address } from '../addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  recentBlockhashesSysvar,
  systemProgram,
  tokenAclProgram,
} from '../addresses/programs.ts';
import { isTokenAccountOf } from '../addresses/token-account-proof.ts';
import { discriminators } from '../transaction/discriminators.ts';
import { type DemandedRole, expectEqual, MessageReading, ReadBackError } from '../transaction/message-reading.ts';
import type { InstructionLayout } from '../transaction/read-transaction-layout.ts';
import type { Thaw } from './resolve-thaw.ts';
import { loadedAccountsDataSizeLimit, type Payment, type TransferPlan } from './transfer-plan.ts';

/**
 * Reads a built transaction back from its bytes and compares every part of it with the plan and the blockhash.
 *
 * It shares nothing with the encoder but the constants of the programs and the bytes of addresses, so that a fault of the
 * encoder is caught here. Throws a `ReadBackError` that names the part that differs, or a `TransactionDecodeError`.
 */
export function assertBytesMatchPlan(bytes: Uint8Array, plan: TransferPlan, blockhash: string): void {
  const reading = new MessageReading(bytes);
  expectEqual('version', reading.layout.version, plan.version);
  expectSigners(reading, plan);
  reading.expectAddress('blockhash', reading.layout.blockhashOffset, blockhash);
  if (plan.layout === 'x402') expectX402Instructions(reading, plan);
  else expectInstructions(reading, plan);
  reading.expectNoFurtherInstruction();
  // After all instructions, which say what may be written.
  reading.expectRoles();
}

function expectInstructions(reading: MessageReading, plan: TransferPlan): void {
  if (plan.nonce) expectAdvanceNonce(reading, plan.nonce);
  expectComputeBudget(reading, plan);
  for (const payment of plan.payments) expectPayment(reading, plan, payment);
}

function expectPayment(reading: MessageReading, plan: TransferPlan, payment: Payment): void {
  if (payment.createsRecipientTokenAccount) expectCreate(reading, plan, payment);
  if (payment.thaw) expectThaw(reading, plan, payment, payment.thaw);
  if (payment.memo) expectMemo(reading, plan, payment.memo.text);
  expectTransfer(reading, plan, payment);
}

// Nothing else may be there, whatever the plan says.
function expectX402Instructions(reading: MessageReading, plan: TransferPlan): void {
  const { computeUnitLimit, computeUnitPrice } = plan;
  if (computeUnitLimit === undefined) throw new ReadBackError('compute unit limit: the plan has none');
  expectComputeUnitLimit(reading, computeUnitLimit);
  expectComputeUnitPrice(reading, computeUnitPrice);
  const [payment, ...others] = plan.payments;
  if (!payment || others.length > 0) throw new ReadBackError(`payments: the plan has ${plan.payments.length}`);
  expectTransfer(reading, plan, payment);
  if (payment.memo) expectMemo(reading, plan, payment.memo.text);
}

function expectSigners(reading: MessageReading, plan: TransferPlan): void {
  const { requiredSignatures, signaturesOffset } = reading.layout;
  const isSponsored = plan.feePayer !== plan.sender;
  expectEqual('signers', requiredSignatures, isSponsored ? 2 : 1);
  if (!reading.hasAddressAt(0, plan.feePayer)) throw new ReadBackError(`signers: the first is not ${plan.feePayer}`);
  if (isSponsored && !reading.hasAddressAt(1, plan.sender)) {
    throw new ReadBackError(`signers: the second is not ${plan.sender}`);
  }
  const end = signaturesOffset + requiredSignatures * 64;
  for (let at = signaturesOffset; at < end; at += 8) {
    if (reading.view.getBigInt64(at) !== 0n)
      throw new ReadBackError(`signatures: they are not zero from byte ${at} on`);
  }
}

function expectComputeBudget(reading: MessageReading, plan: TransferPlan): void {
  const { computeUnitLimit, computeUnitPrice } = plan;
  if (plan.version === 1) {
    const { config } = reading.layout;
    expectEqual('compute unit limit', config?.computeUnitLimit, computeUnitLimit);
    expectEqual('priority fee', config?.priorityFee, plan.priorityFee);
    expectEqual('data size limit', config?.loadedAccountsDataSizeLimit, loadedAccountsDataSizeLimit);
    return;
  }
  if (computeUnitLimit !== undefined) expectComputeUnitLimit(reading, computeUnitLimit);
  if (computeUnitPrice > 0n) expectComputeUnitPrice(reading, computeUnitPrice);
}

function expectComputeUnitLimit(reading: MessageReading, units: number): void {
  const { dataOffset, accountCount } = reading.nextInstruction('compute unit limit', computeBudgetProgram, 5);
  reading.expectByte('compute unit limit discriminator', dataOffset, discriminators.setComputeUnitLimit);
  reading.expectInteger('compute unit limit', dataOffset + 1, 4, BigInt(units));
  expectEqual('number of compute unit limit accounts', accountCount, 0);
}

function expectComputeUnitPrice(reading: MessageReading, microLamports: bigint): void {
  const { dataOffset, accountCount } = reading.nextInstruction('compute unit price', computeBudgetProgram, 9);
  reading.expectByte('compute unit price discriminator', dataOffset, discriminators.setComputeUnitPrice);
  reading.expectInteger('compute unit price', dataOffset + 1, 8, microLamports);
  expectEqual('number of compute unit price accounts', accountCount, 0);
}

function expectAdvanceNonce(reading: MessageReading, nonce: NonceAdvance): void {
  const instruction = reading.nextInstruction('nonce', systemProgram, 4);
  reading.expectInteger('nonce data', instruction.dataOffset, 4, BigInt(discriminators.advanceNonceAccount));
  const accounts = [nonce.account, recentBlockhashesSysvar, nonce.authority];
  reading.expectAccounts('nonce', instruction, accounts, ['writable', 'readonly', 'signer']);
}

const rolesOfCreate: readonly DemandedRole[] = ['writable signer', 'writable'];
const rolesOfThaw: readonly DemandedRole[] = ['signer', 'readonly', 'writable', 'writable'];
const rolesOfMemo: readonly DemandedRole[] = ['signer'];
const rolesOfTransfer: readonly DemandedRole[] = ['writable', 'readonly', 'writable', 'signer'];

function expectCreate(reading: MessageReading, plan: TransferPlan, payment: Payment): void {
  const instruction = reading.nextInstruction('create', associatedTokenProgram, 1);
  reading.expectByte('create data', instruction.dataOffset, discriminators.createIdempotent);
  const { recipientTokenAccount, recipient } = payment;
  const accounts = [plan.feePayer, recipientTokenAccount, recipient, plan.mint, systemProgram, plan.tokenProgram];
  reading.expectAccounts('create', instruction, accounts, rolesOfCreate);
}

function expectThaw(reading: MessageReading, plan: TransferPlan, payment: Payment, thaw: Thaw): void {
  const instruction = reading.nextInstruction('thaw', tokenAclProgram, 1);
  reading.expectByte('thaw data', instruction.dataOffset, discriminators.thawPermissionlessIdempotent);
  const { recipientTokenAccount, recipient } = payment;
  const { configuration, flag, gateProgram, gateAccounts } = thaw;
  const accounts = [plan.sender, plan.mint, recipientTokenAccount, flag, recipient, configuration];
  accounts.push(plan.tokenProgram, systemProgram, gateProgram, ...gateAccounts);
  reading.expectAccounts('thaw', instruction, accounts, rolesOfThaw);
}

function expectMemo(reading: MessageReading, plan: TransferPlan, text: string): void {
  const instruction = reading.nextInstruction('memo', memoProgram);
  reading.expectText('memo', instruction.dataOffset, instruction.dataLength, text);
  reading.expectAccounts('memo', instruction, [plan.sender], rolesOfMemo);
}

function expectTransfer(reading: MessageReading, plan: TransferPlan, payment: Payment): void {
  const instruction = reading.nextInstruction('transfer', plan.tokenProgram, 10);
  reading.expectByte('transfer discriminator', instruction.dataOffset, discriminators.transferChecked);
  reading.expectInteger('amount', instruction.dataOffset + 1, 8, payment.amount);
  reading.expectByte('decimals', instruction.dataOffset + 9, plan.decimals);
  const accounts = [plan.senderTokenAccount, plan.mint, payment.recipientTokenAccount, plan.sender];
  accounts.push(...payment.references);
  for (const { address } of payment.hookAccounts) accounts.push(address);
  const roles = payment.hookAccounts.length === 0 ? rolesOfTransfer : rolesOfHookedTransfer(payment);
  reading.expectAccounts('transfer', instruction, accounts, roles);
  // All payments of a plan are from the one account that the first is from.
  if (payment === plan.payments[0]) {
    expectTokenAccount(reading, instruction, 0, plan, plan.sender, plan.senderTokenAccountBump);
  }
  expectTokenAccount(reading, instruction, 2, plan, payment.recipient, payment.recipientTokenAccountBump);
}

function rolesOfHookedTransfer({ references, hookAccounts }: Payment): readonly DemandedRole[] {
  const rolesOfReferences = references.map((): DemandedRole => 'readonly');
  const rolesOfHookAccounts = hookAccounts.map(({ writable }): DemandedRole => (writable ? 'writable' : 'readonly'));
  return [...rolesOfTransfer, ...rolesOfReferences, ...rolesOfHookAccounts];
}

// The plan itself could be wrong: what the bytes pay from and to is tied to the wallets without what the plan was made from.
function expectTokenAccount(
  reading: MessageReading,
  transfer: InstructionLayout,
  position: number,
  { tokenProgram, mint }: TransferPlan,
  owner: Address,
  bump: number,
): void {
  const offset = reading.addressOffset(reading.bytes[transfer.accountsOffset + position] ?? 0);
  if (isTokenAccountOf(reading.view, offset, { owner, tokenProgram, mint, bump })) return;
  throw new ReadBackError(`transfer: account ${position} is not the token account of ${owner} for the mint ${mint}`);
}
