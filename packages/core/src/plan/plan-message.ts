import type { NonceAdvance } from '../accounts/nonce-account.ts';
import { type Address, sol } from '../addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  recentBlockhashesSysvar,
  systemProgram,
  tokenAclProgram,
} from '../addresses/programs.ts';
import { writeU32, writeU64 } from '../bytes/little-endian.ts';
import { discriminators } from '../transaction/discriminators.ts';
import { compileAccounts, transactionSize, type UnsignedMessage } from '../transaction/encode-transaction.ts';
import { type AccountMeta, type Instruction, role } from '../transaction/instruction.ts';
import type { Wrap } from './plan-wrapping.ts';
import type { Thaw } from './resolve-thaw.ts';
import { hasThirdSigner, loadedAccountsDataSizeLimit, type MessageParts, type PaymentParts } from './transfer-plan.ts';

/** The message of a plan, ready to be encoded. `lifetimeToken` is the plan's nonce or a blockhash. */
export function toMessage(plan: MessageParts, lifetimeToken: string): UnsignedMessage {
  const { version, feePayer, computeUnitLimit, priorityFee } = plan;
  return {
    version,
    feePayer,
    instructions: planInstructions(plan),
    lifetimeToken,
    config:
      version === 1 && computeUnitLimit !== undefined
        ? { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit }
        : undefined,
  };
}

/** The bytes of the transaction that is built from a plan. */
export function planSize(plan: MessageParts): number {
  // Any lifetime token is as long as another.
  return transactionSize(toMessage(plan, systemProgram));
}

/** How many accounts the transaction has that is built from a plan. */
export function planAccountCount(plan: MessageParts): number {
  const { feePayer, instructions } = toMessage(plan, systemProgram);
  return compileAccounts(feePayer, instructions).addresses.length;
}

/** Returns who signs the transaction of a plan, in the order of the signatures. */
export function signersOf(plan: MessageParts): readonly Address[] {
  if (!hasThirdSigner(plan)) return [...new Set([plan.feePayer, plan.sender])];
  const { addresses, indices, requiredSignatures } = compileAccounts(plan.feePayer, planInstructions(plan));
  const inMessage: Address[] = [];
  for (const [index, address] of addresses.entries()) inMessage[indices[index] ?? 0] = address;
  return inMessage.slice(0, requiredSignatures);
}

/**
 * The instructions of a plan, in the one order that lands: nonce, compute budget, what is wrapped, then create, thaw, memo, transfer for the
 * sponsor's fee and for each payment, what is unwrapped, and the tip.
 *
 * A nonce counts only when it is advanced first. In version 1 the compute budget is in the message's header instead.
 *
 * A memo stands directly before its transfer, because a recipient account that requires memos looks at the preceding
 * instruction only (token-2022 `program/src/extension/memo_transfer`).
 *
 * The x402 layout has the memo after the transfer and always sets a price: facilitators look for limit, price and transfer
 * by their indexes.
 */
export function planInstructions(plan: MessageParts): Instruction[] {
  const instructions: Instruction[] = [];
  if (plan.nonce) instructions.push(advanceNonceAccount(plan.nonce));
  if (plan.version !== 1) {
    if (plan.computeUnitLimit !== undefined) instructions.push(setComputeUnitLimit(plan.computeUnitLimit));
    if (setsComputeUnitPrice(plan)) instructions.push(setComputeUnitPrice(plan.computeUnitPrice));
  }
  if (plan.wrap) instructions.push(...wrapSol(plan, plan.wrap));
  if (plan.sponsorFee) payAll(instructions, plan.sponsorFee);
  payAll(instructions, plan);
  if (plan.unwrap) instructions.push(closeTokenAccount(plan));
  if (plan.tip) instructions.push(transferSol(plan.feePayer, plan.tip.account, plan.tip.lamports, []));
  return instructions;
}

function payAll(instructions: Instruction[], plan: MessageParts): void {
  const shared = sharedAccountsOf(plan);
  for (const payment of plan.payments) pay(instructions, plan, shared, payment);
}

/** What all payments of a plan are handed. */
interface SharedAccounts {
  feePayer: AccountMeta;
  sender: AccountMeta;
  mint: AccountMeta;
  tokenProgram: AccountMeta;
  senderTokenAccount: AccountMeta;
}

function sharedAccountsOf(plan: MessageParts): SharedAccounts {
  return {
    feePayer: role.writableSigner(plan.feePayer),
    sender: role.readonlySigner(plan.sender),
    mint: role.readonly(plan.mint),
    tokenProgram: role.readonly(plan.tokenProgram),
    senderTokenAccount: role.writable(plan.senderTokenAccount),
  };
}

function pay(instructions: Instruction[], plan: MessageParts, shared: SharedAccounts, payment: PaymentParts): void {
  const tokenAccount = role.writable(payment.recipientTokenAccount);
  if (payment.createsRecipientTokenAccount)
    instructions.push(createTokenAccount(shared, tokenAccount, payment.recipient));
  if (payment.thaw) instructions.push(thawTokenAccount(shared, tokenAccount, payment.recipient, payment.thaw));
  const transfer =
    plan.mint === sol
      ? transferSol(plan.sender, payment.recipient, payment.amount, payment.references)
      : transferChecked(plan, shared, tokenAccount, payment);
  if (plan.layout === 'x402') instructions.push(transfer);
  if (payment.memo) instructions.push({ program: memoProgram, accounts: [shared.sender], data: payment.memo.bytes });
  if (plan.layout !== 'x402') instructions.push(transfer);
}

function setsComputeUnitPrice({ layout, computeUnitPrice }: MessageParts): boolean {
  return computeUnitPrice > 0n || layout === 'x402';
}

function setComputeUnitLimit(units: number): Instruction {
  const data = new Uint8Array(5);
  data[0] = discriminators.setComputeUnitLimit;
  writeU32(data, 1, units);
  return { program: computeBudgetProgram, accounts: [], data };
}

function setComputeUnitPrice(microLamports: bigint): Instruction {
  const data = new Uint8Array(9);
  data[0] = discriminators.setComputeUnitPrice;
  writeU64(data, 1, microLamports);
  return { program: computeBudgetProgram, accounts: [], data };
}

function advanceNonceAccount(nonce: NonceAdvance): Instruction {
  return {
    program: systemProgram,
    accounts: [
      role.writable(nonce.account),
      role.readonly(recentBlockhashesSysvar),
      role.readonlySigner(nonce.authority),
    ],
    data: Uint8Array.of(discriminators.advanceNonceAccount, 0, 0, 0),
  };
}

// The same for every transfer, and never changed.
const createIdempotentData = Uint8Array.of(discriminators.createIdempotent);
const readonlySystemProgram = role.readonly(systemProgram);

function createTokenAccount(shared: SharedAccounts, tokenAccount: AccountMeta, owner: Address): Instruction {
  return {
    program: associatedTokenProgram,
    accounts: [
      shared.feePayer,
      tokenAccount,
      role.readonly(owner),
      shared.mint,
      readonlySystemProgram,
      shared.tokenProgram,
    ],
    data: createIdempotentData,
  };
}

// The sender pays for the token account, since closing it pays the sender.
function wrapSol(plan: MessageParts, { lamports, createsTokenAccount }: Wrap): Instruction[] {
  const shared = { ...sharedAccountsOf(plan), feePayer: role.writableSigner(plan.sender) };
  const { senderTokenAccount: own } = shared;
  return [
    ...(createsTokenAccount ? [createTokenAccount(shared, own, plan.sender)] : []),
    transferSol(plan.sender, plan.senderTokenAccount, lamports, []),
    { program: plan.tokenProgram, accounts: [own], data: Uint8Array.of(discriminators.syncNative) },
  ];
}

function closeTokenAccount({ tokenProgram, sender, senderTokenAccount }: MessageParts): Instruction {
  const accounts = [role.writable(senderTokenAccount), role.writable(sender), role.readonlySigner(sender)];
  return { program: tokenProgram, accounts, data: Uint8Array.of(discriminators.closeAccount) };
}

// The same for every thaw.
const thawData = Uint8Array.of(discriminators.thawPermissionlessIdempotent);

// The sender calls, not the fee payer: of the two it has less to lose to another program.
function thawTokenAccount(
  shared: SharedAccounts,
  tokenAccount: AccountMeta,
  owner: Address,
  { configuration, flag, gateProgram, gateAccounts }: Thaw,
): Instruction {
  return {
    program: tokenAclProgram,
    accounts: [
      shared.sender,
      shared.mint,
      tokenAccount,
      role.writable(flag),
      role.readonly(owner),
      role.readonly(configuration),
      shared.tokenProgram,
      readonlySystemProgram,
      role.readonly(gateProgram),
      ...gateAccounts.map(role.readonly),
    ],
    data: thawData,
  };
}

function transferChecked(
  plan: MessageParts,
  shared: SharedAccounts,
  tokenAccount: AccountMeta,
  payment: PaymentParts,
): Instruction {
  const data = new Uint8Array(10);
  data[0] = discriminators.transferChecked;
  writeU64(data, 1, payment.amount);
  data[9] = plan.decimals;
  const accounts = [shared.senderTokenAccount, shared.mint, tokenAccount, shared.sender];
  for (const reference of payment.references) accounts.push(role.readonly(reference));
  accounts.push(...payment.hookAccounts);
  return { program: plan.tokenProgram, accounts, data };
}

// Wallets of Solana Pay read the accounts after its own as references, as those of a token transfer.
function transferSol(from: Address, to: Address, lamports: bigint, references: readonly Address[]): Instruction {
  const data = new Uint8Array(12);
  writeU32(data, 0, discriminators.systemTransfer);
  writeU64(data, 4, lamports);
  const accounts = [role.writableSigner(from), role.writable(to), ...references.map(role.readonly)];
  return { program: systemProgram, accounts, data };
}
