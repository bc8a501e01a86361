import type { Address } from './address.ts';
import { loadedAccountsDataSizeLimit } from './compute-budget.ts';
import { type DecodedTransaction, decodeTransaction } from './decode-transaction.ts';
import type { Instruction } from './instruction.ts';
import { discriminators } from './plan-instructions.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  recentBlockhashesSysvar,
  systemProgram,
} from './programs.ts';
import type { NonceAdvance, TransferPlan } from './transfer-plan.ts';

/** Thrown when bytes do not say what their plan says: a fault of the builder, so never shown to a caller. */
export class ReadBackError extends Error {
  override readonly name = 'ReadBackError';
}

/**
 * Reads a built transaction back from its bytes and compares every part of it with the plan and the blockhash.
 *
 * It shares nothing with the encoder but the constants of the programs, so that a fault of the encoder is caught here.
 * Throws a `ReadBackError` that names the part that differs, or a `TransactionDecodeError`.
 */
export function assertBytesMatchPlan(bytes: Uint8Array, plan: TransferPlan, blockhash: string): void {
  const decoded = decodeTransaction(bytes);
  expect('version', decoded.version, plan.version);
  expect('signers', decoded.signers.join(), [...new Set([plan.feePayer, plan.sender])].join());
  expect('fee payer', decoded.signers[0], plan.feePayer);
  expect(
    'signatures',
    decoded.signatures.every((signature) => signature.every((byte) => byte === 0)),
    true,
  );
  expect('blockhash', decoded.blockhash, blockhash);

  expectRoles(decoded, plan);

  const rest = [...decoded.instructions];
  const next = (name: string): Instruction => {
    const instruction = rest.shift();
    if (!instruction) throw new ReadBackError(`the ${name} instruction is missing`);
    return instruction;
  };
  if (plan.nonce) expectAdvanceNonce(next('nonce'), plan.nonce);
  if (plan.version === 1) {
    expect('compute unit limit', decoded.config?.computeUnitLimit, plan.computeUnitLimit);
    expect('priority fee', decoded.config?.priorityFee, plan.priorityFee);
    expect('data size limit', decoded.config?.loadedAccountsDataSizeLimit, loadedAccountsDataSizeLimit);
  } else {
    if (plan.computeUnitLimit !== undefined) expectComputeUnitLimit(next('compute unit limit'), plan.computeUnitLimit);
    if (plan.computeUnitPrice > 0n) expectComputeUnitPrice(next('compute unit price'), plan.computeUnitPrice);
  }
  if (plan.createsRecipientTokenAccount) expectCreate(next('create'), plan);
  if (plan.memo) expectMemo(next('memo'), plan.memo.text, plan.sender);
  expectTransfer(next('transfer'), plan);
  expect('number of further instructions', rest.length, 0);
}

// A message grants each account one role for all its instructions: no account may have more than the plan needs, or be idle.
function expectRoles({ accounts, instructions }: DecodedTransaction, plan: TransferPlan): void {
  const used = new Set<Address>([plan.feePayer]);
  for (const instruction of instructions) {
    used.add(instruction.program);
    for (const { address } of instruction.accounts) used.add(address);
  }
  const writable = new Set([plan.feePayer, plan.senderTokenAccount, plan.recipientTokenAccount]);
  if (plan.nonce) writable.add(plan.nonce.account);
  for (const hookAccount of plan.hookAccounts) if (hookAccount.writable) writable.add(hookAccount.address);
  expect('number of accounts', accounts.length, used.size);
  for (const account of accounts) {
    expect(`use of ${account.address}`, used.has(account.address), true);
    expect(`writability of ${account.address}`, account.writable, writable.has(account.address));
  }
}

function expectComputeUnitLimit(instruction: Instruction, limit: number): void {
  expect('compute budget program', instruction.program, computeBudgetProgram);
  expect('compute budget discriminator', instruction.data[0], discriminators.setComputeUnitLimit);
  expect('compute unit limit', littleEndian(instruction.data.subarray(1)), BigInt(limit));
  expect('compute budget data length', instruction.data.length, 5);
}

function expectComputeUnitPrice(instruction: Instruction, microLamports: bigint): void {
  expect('compute budget program', instruction.program, computeBudgetProgram);
  expect('compute budget discriminator', instruction.data[0], discriminators.setComputeUnitPrice);
  expect('compute unit price', littleEndian(instruction.data.subarray(1)), microLamports);
  expect('compute budget data length', instruction.data.length, 9);
}

function expectAdvanceNonce(instruction: Instruction, nonce: NonceAdvance): void {
  expect('nonce program', instruction.program, systemProgram);
  expect('nonce data', littleEndian(instruction.data), BigInt(discriminators.advanceNonceAccount));
  expect('nonce data length', instruction.data.length, 4);
  expectAccounts('nonce', instruction, [
    [nonce.account, undefined, 'writable'],
    [recentBlockhashesSysvar],
    [nonce.authority, 'signer'],
  ]);
}

function expectCreate(instruction: Instruction, plan: TransferPlan): void {
  expect('create program', instruction.program, associatedTokenProgram);
  expect('create data', instruction.data.join(), String(discriminators.createIdempotent));
  expectAccounts('create', instruction, [
    [plan.feePayer, 'signer', 'writable'],
    [plan.recipientTokenAccount, undefined, 'writable'],
    [plan.recipient],
    [plan.mint],
    [systemProgram],
    [plan.tokenProgram],
  ]);
}

function expectMemo(instruction: Instruction, text: string, sender: Address): void {
  expect('memo program', instruction.program, memoProgram);
  expect('memo bytes', instruction.data.join(), new TextEncoder().encode(text).join());
  expectAccounts('memo', instruction, [[sender, 'signer']]);
}

function expectTransfer(instruction: Instruction, plan: TransferPlan): void {
  expect('token program', instruction.program, plan.tokenProgram);
  expect('transfer discriminator', instruction.data[0], discriminators.transferChecked);
  expect('amount', littleEndian(instruction.data.subarray(1, 9)), plan.amount);
  expect('decimals', instruction.data[9], plan.decimals);
  expect('transfer data length', instruction.data.length, 10);
  expectAccounts('transfer', instruction, [
    [plan.senderTokenAccount, undefined, 'writable'],
    [plan.mint],
    [plan.recipientTokenAccount, undefined, 'writable'],
    [plan.sender, 'signer'],
    ...plan.references.map((reference): ExpectedAccount => [reference]),
    ...plan.hookAccounts.map(
      ({ address, writable }): ExpectedAccount => (writable ? [address, undefined, 'writable'] : [address]),
    ),
  ]);
}

type ExpectedAccount = [address: Address, signer?: 'signer' | undefined, writable?: 'writable'];

// A flag that the instruction demands must be there; one beyond it can come from another instruction of the same message.
function expectAccounts(name: string, instruction: Instruction, expected: readonly ExpectedAccount[]): void {
  expect(`number of ${name} accounts`, instruction.accounts.length, expected.length);
  for (const [index, [address, signer, writable]] of expected.entries()) {
    const account = instruction.accounts[index];
    expect(`${name} account ${index}`, account?.address, address);
    if (signer) expect(`${name} account ${index} signer`, account?.signer, true);
    if (writable) expect(`${name} account ${index} writable`, account?.writable, true);
  }
}

function expect<T>(name: string, actual: T, expected: T): void {
  if (actual !== expected) throw new ReadBackError(`${name}: the bytes say ${actual}, the plan ${expected}`);
}

// Byte by byte, where the encoder uses a DataView: the same slip cannot be in both.
function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
