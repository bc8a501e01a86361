import type { NonceAdvance } from '../accounts/nonce-account.ts';
import { type Address, sol } from '../addresses/address.ts';
import { isAddressAt } from '../addresses/known-addresses.ts';
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
import {
  type InstructionLayout,
  isSignerAt,
  isWritableAt,
  readTransactionLayout,
  type TransactionLayout,
} from '../transaction/transaction-layout.ts';
import type { Wrap } from './plan-wrapping.ts';
import type { Thaw } from './resolve-thaw.ts';
import { loadedAccountsDataSizeLimit, type Payment, type TransferPlan } from './transfer-plan.ts';

/** Thrown when bytes do not say what their plan says: a fault of the builder, so never shown to a caller. */
export class ReadBackError extends Error {
  override readonly name = 'ReadBackError';
}

/**
 * Reads a built transaction back from its bytes and compares every part of it with the plan and the blockhash.
 *
 * It shares nothing with the encoder but the constants of the programs and the bytes of addresses, so that a fault of the
 * encoder is caught here. Throws a `ReadBackError` that names the part that differs, or a `TransactionDecodeError`.
 */
export function assertBytesMatchPlan(bytes: Uint8Array, plan: TransferPlan, blockhash: string): void {
  const built = new BuiltMessage(bytes);
  expectEqual('version', built.layout.version, plan.version);
  expectSigners(built, plan);
  if (!isAddressAt(built.view, built.layout.blockhashOffset, blockhash)) {
    throw new ReadBackError(`blockhash: the bytes do not say ${blockhash}`);
  }
  if (plan.layout === 'x402') expectX402Instructions(built, plan);
  else expectInstructions(built, plan);
  built.expectNoFurtherInstruction();
  // After all instructions, which say what may be written.
  built.expectRoles();
}

function expectInstructions(built: BuiltMessage, plan: TransferPlan): void {
  if (plan.nonce) expectAdvanceNonce(built, plan.nonce);
  expectComputeBudget(built, plan);
  if (plan.wrap) expectWrap(built, plan, plan.wrap);
  for (const part of plan.sponsorFee ? [plan.sponsorFee, plan] : [plan]) {
    for (const payment of part.payments) expectPayment(built, part, payment);
  }
  if (plan.unwrap) expectUnwrap(built, plan);
  const { tip, feePayer } = plan;
  if (tip) expectSolTransfer(built, 'tip', tip.lamports, [feePayer, tip.account]);
}

function expectWrap(built: BuiltMessage, plan: TransferPlan, { lamports, createsTokenAccount }: Wrap): void {
  const { sender, senderTokenAccount } = plan;
  if (createsTokenAccount) expectCreate(built, plan, sender, sender, senderTokenAccount);
  expectSolTransfer(built, 'wrap', lamports, [sender, senderTokenAccount]);
  const sync = built.nextInstruction('sync', plan.tokenProgram, 1);
  expectEqual('sync data', built.bytes[sync.dataOffset], discriminators.syncNative);
  built.expectAccounts('sync', sync, [senderTokenAccount], ['writable']);
}

function expectUnwrap(built: BuiltMessage, { tokenProgram, sender, senderTokenAccount }: TransferPlan): void {
  const close = built.nextInstruction('close', tokenProgram, 1);
  expectEqual('close data', built.bytes[close.dataOffset], discriminators.closeAccount);
  built.expectAccounts('close', close, [senderTokenAccount, sender, sender], ['writable', 'writable', 'signer']);
}

function expectPayment(built: BuiltMessage, plan: TransferPlan, payment: Payment): void {
  if (payment.createsRecipientTokenAccount) {
    expectCreate(built, plan, plan.feePayer, payment.recipient, payment.recipientTokenAccount);
  }
  if (payment.thaw) expectThaw(built, plan, payment, payment.thaw);
  if (payment.memo) expectMemo(built, plan, payment.memo.text);
  const { recipient, amount, references } = payment;
  if (plan.mint === sol) expectSolTransfer(built, 'transfer', amount, [plan.sender, recipient, ...references]);
  else expectTransfer(built, plan, payment);
}

// Nothing else may be there, whatever the plan says.
function expectX402Instructions(built: BuiltMessage, plan: TransferPlan): void {
  const { computeUnitLimit, computeUnitPrice } = plan;
  if (computeUnitLimit === undefined) throw new ReadBackError('compute unit limit: the plan has none');
  expectComputeUnitLimit(built, computeUnitLimit);
  expectComputeUnitPrice(built, computeUnitPrice);
  const [payment, ...others] = plan.payments;
  if (!payment || others.length > 0) throw new ReadBackError(`payments: the plan has ${plan.payments.length}`);
  expectTransfer(built, plan, payment);
  if (payment.memo) expectMemo(built, plan, payment.memo.text);
}

function expectSigners(built: BuiltMessage, plan: TransferPlan): void {
  const { requiredSignatures, signaturesOffset } = built.layout;
  const signers = new Set([plan.feePayer, plan.sender, plan.nonce?.authority ?? plan.sender]);
  expectEqual('signers', requiredSignatures, signers.size);
  if (!built.hasAddressAt(0, plan.feePayer)) throw new ReadBackError(`signers: the first is not ${plan.feePayer}`);
  for (const signer of signers) {
    if (!built.hasSigner(signer)) throw new ReadBackError(`signers: ${signer} is none of them`);
  }
  const end = signaturesOffset + requiredSignatures * 64;
  for (let at = signaturesOffset; at < end; at += 8) {
    if (built.view.getBigInt64(at) !== 0n) throw new ReadBackError(`signatures: they are not zero from byte ${at} on`);
  }
}

function expectComputeBudget(built: BuiltMessage, plan: TransferPlan): void {
  const { computeUnitLimit, computeUnitPrice } = plan;
  if (plan.version === 1) {
    const { config } = built.layout;
    expectEqual('compute unit limit', config?.computeUnitLimit, computeUnitLimit);
    expectEqual('priority fee', config?.priorityFee, plan.priorityFee);
    expectEqual('data size limit', config?.loadedAccountsDataSizeLimit, loadedAccountsDataSizeLimit);
    return;
  }
  if (computeUnitLimit !== undefined) expectComputeUnitLimit(built, computeUnitLimit);
  if (computeUnitPrice > 0n) expectComputeUnitPrice(built, computeUnitPrice);
}

function expectComputeUnitLimit(built: BuiltMessage, units: number): void {
  const { dataOffset, accountCount } = built.nextInstruction('compute unit limit', computeBudgetProgram, 5);
  expectEqual('compute unit limit discriminator', built.bytes[dataOffset], discriminators.setComputeUnitLimit);
  expectEqual('compute unit limit', built.view.getUint32(dataOffset + 1, true), units);
  expectEqual('number of compute unit limit accounts', accountCount, 0);
}

function expectComputeUnitPrice(built: BuiltMessage, microLamports: bigint): void {
  const { dataOffset, accountCount } = built.nextInstruction('compute unit price', computeBudgetProgram, 9);
  expectEqual('compute unit price discriminator', built.bytes[dataOffset], discriminators.setComputeUnitPrice);
  expectEqual('compute unit price', built.view.getBigUint64(dataOffset + 1, true), microLamports);
  expectEqual('number of compute unit price accounts', accountCount, 0);
}

function expectAdvanceNonce(built: BuiltMessage, nonce: NonceAdvance): void {
  const instruction = built.nextInstruction('nonce', systemProgram, 4);
  expectEqual('nonce data', built.view.getUint32(instruction.dataOffset, true), discriminators.advanceNonceAccount);
  const accounts = [nonce.account, recentBlockhashesSysvar, nonce.authority];
  built.expectAccounts('nonce', instruction, accounts, ['writable', 'readonly', 'signer']);
}

const encoder = new TextEncoder();

const rolesOfCreate: readonly DemandedRole[] = ['writable signer', 'writable'];
const rolesOfThaw: readonly DemandedRole[] = ['signer', 'readonly', 'writable', 'writable'];
const rolesOfSolTransfer = rolesOfCreate;
const rolesOfMemo: readonly DemandedRole[] = ['signer'];
const rolesOfTransfer: readonly DemandedRole[] = ['writable', 'readonly', 'writable', 'signer'];

function expectCreate(
  built: BuiltMessage,
  plan: TransferPlan,
  payer: Address,
  owner: Address,
  tokenAccount: Address,
): void {
  const instruction = built.nextInstruction('create', associatedTokenProgram, 1);
  expectEqual('create data', built.bytes[instruction.dataOffset], discriminators.createIdempotent);
  const accounts = [payer, tokenAccount, owner, plan.mint, systemProgram, plan.tokenProgram];
  built.expectAccounts('create', instruction, accounts, rolesOfCreate);
}

function expectThaw(built: BuiltMessage, plan: TransferPlan, payment: Payment, thaw: Thaw): void {
  const instruction = built.nextInstruction('thaw', tokenAclProgram, 1);
  expectEqual('thaw data', built.bytes[instruction.dataOffset], discriminators.thawPermissionlessIdempotent);
  const { recipientTokenAccount, recipient } = payment;
  const { configuration, flag, gateProgram, gateAccounts } = thaw;
  const accounts = [plan.sender, plan.mint, recipientTokenAccount, flag, recipient, configuration];
  accounts.push(plan.tokenProgram, systemProgram, gateProgram, ...gateAccounts);
  built.expectAccounts('thaw', instruction, accounts, rolesOfThaw);
}

function expectMemo(built: BuiltMessage, plan: TransferPlan, text: string): void {
  const instruction = built.nextInstruction('memo', memoProgram);
  if (!isTextAt(built.bytes, instruction.dataOffset, instruction.dataLength, text)) {
    throw new ReadBackError('memo: the bytes say something else');
  }
  built.expectAccounts('memo', instruction, [plan.sender], rolesOfMemo);
}

function expectTransfer(built: BuiltMessage, plan: TransferPlan, payment: Payment): void {
  const instruction = built.nextInstruction('transfer', plan.tokenProgram, 10);
  expectEqual('transfer discriminator', built.bytes[instruction.dataOffset], discriminators.transferChecked);
  expectEqual('amount', built.view.getBigUint64(instruction.dataOffset + 1, true), payment.amount);
  expectEqual('decimals', built.bytes[instruction.dataOffset + 9], plan.decimals);
  const accounts = [plan.senderTokenAccount, plan.mint, payment.recipientTokenAccount, plan.sender];
  accounts.push(...payment.references);
  for (const { address } of payment.hookAccounts) accounts.push(address);
  const roles = payment.hookAccounts.length === 0 ? rolesOfTransfer : rolesOfHookedTransfer(payment);
  built.expectAccounts('transfer', instruction, accounts, roles);
  // All payments of a plan are from the one account that the first is from.
  if (payment === plan.payments[0]) {
    expectTokenAccount(built, instruction, 0, plan, plan.sender, plan.senderTokenAccountBump);
  }
  expectTokenAccount(built, instruction, 2, plan, payment.recipient, payment.recipientTokenAccountBump);
}

// `accounts`: from, to, and references.
function expectSolTransfer(built: BuiltMessage, name: string, lamports: bigint, accounts: readonly Address[]): void {
  const instruction = built.nextInstruction(name, systemProgram, 12);
  expectEqual(`${name} data`, built.view.getUint32(instruction.dataOffset, true), discriminators.systemTransfer);
  expectEqual(`${name} amount`, built.view.getBigUint64(instruction.dataOffset + 4, true), lamports);
  built.expectAccounts(name, instruction, accounts, rolesOfSolTransfer);
}

function rolesOfHookedTransfer({ references, hookAccounts }: Payment): readonly DemandedRole[] {
  const rolesOfReferences = references.map((): DemandedRole => 'readonly');
  const rolesOfHookAccounts = hookAccounts.map(({ writable }): DemandedRole => (writable ? 'writable' : 'readonly'));
  return [...rolesOfTransfer, ...rolesOfReferences, ...rolesOfHookAccounts];
}

// The plan itself could be wrong: what the bytes pay from and to is tied to the wallets without what the plan was made from.
function expectTokenAccount(
  built: BuiltMessage,
  transfer: InstructionLayout,
  position: number,
  { tokenProgram, mint }: TransferPlan,
  owner: Address,
  bump: number,
): void {
  const offset = built.addressOffset(built.bytes[transfer.accountsOffset + position] ?? 0);
  if (isTokenAccountOf(built.view, offset, { owner, tokenProgram, mint, bump })) return;
  throw new ReadBackError(`transfer: account ${position} is not the token account of ${owner} for the mint ${mint}`);
}

/** The role that an instruction itself demands of an account. */
type DemandedRole = 'readonly' | 'signer' | 'writable' | 'writable signer';

// Of each account of the message, whose index is a byte, whether it is used.
const isUsed = new Uint8Array(256);

/** The bytes of a transaction, whose instructions are compared one after another with what they should say. */
class BuiltMessage {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly layout: TransactionLayout;
  // The address that was last found at each index: most are asked for by every payment of a message.
  readonly #found: (Address | undefined)[];
  // At the same indices, whether an instruction demanded that it may be written.
  readonly #isDemanded: boolean[];
  #next = 0;

  /** Throws a `TransactionDecodeError` for bytes that are no transaction. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.layout = readTransactionLayout(bytes);
    this.#found = new Array<Address | undefined>(this.layout.addressCount);
    this.#isDemanded = new Array<boolean>(this.layout.addressCount);
  }

  /** Takes the next instruction, which must be of this program, and have this many bytes of data if that is given. */
  nextInstruction(name: string, program: Address, dataLength?: number): InstructionLayout {
    const instruction = this.layout.instructions[this.#next++];
    if (!instruction) throw new ReadBackError(`the ${name} instruction is missing`);
    if (!this.hasAddressAt(instruction.programIndex, program)) {
      throw new ReadBackError(`${name} program: the bytes do not name ${program}`);
    }
    if (dataLength !== undefined) expectEqual(`${name} data length`, instruction.dataLength, dataLength);
    return instruction;
  }

  expectNoFurtherInstruction(): void {
    expectEqual('number of instructions', this.layout.instructions.length, this.#next);
  }

  /**
   * A role that the instruction demands must be there; one beyond it can come from another instruction of the message.
   *
   * `roles`: of the first accounts; the others are readonly.
   */
  expectAccounts(
    name: string,
    instruction: InstructionLayout,
    expected: readonly Address[],
    roles: readonly DemandedRole[],
  ): void {
    if (instruction.accountCount !== expected.length) {
      throw new ReadBackError(`${name}: ${instruction.accountCount} accounts instead of ${expected.length}`);
    }
    for (let position = 0; position < expected.length; position++) {
      const address = expected[position];
      const role = roles[position] ?? 'readonly';
      const index = this.bytes[instruction.accountsOffset + position];
      if (address !== undefined && index !== undefined && this.#fits(index, address, role)) continue;
      throw new ReadBackError(`${name}: account ${position} is not ${address} (${role})`);
    }
  }

  /** Whether the address at an index of the message is this one. */
  hasAddressAt(index: number, address: Address): boolean {
    if (this.#found[index] === address) return true;
    if (!isAddressAt(this.view, this.addressOffset(index), address)) return false;
    this.#found[index] = address;
    return true;
  }

  hasSigner(address: Address): boolean {
    for (let index = 0; index < this.layout.requiredSignatures; index++) {
      if (this.hasAddressAt(index, address)) return true;
    }
    return false;
  }

  /** Where the bytes of the address at an index of the message begin. */
  addressOffset(index: number): number {
    return this.layout.addressesOffset + index * 32;
  }

  /**
   * Every account is there once, is used, and is writable only where an instruction was expected to demand it, or pays the fee.
   *
   * A message grants each account one role for all its instructions: none may have more than they need.
   */
  expectRoles(): void {
    const { layout, bytes } = this;
    const { addressesOffset, addressCount } = layout;
    isUsed.fill(0);
    isUsed[0] = 1;
    for (const { programIndex, accountsOffset, accountCount } of layout.instructions) {
      isUsed[programIndex] = 1;
      for (let at = accountsOffset; at < accountsOffset + accountCount; at++) isUsed[bytes[at] ?? 0] = 1;
    }
    for (let index = 0; index < addressCount; index++) {
      if (isUsed[index] !== 1) throw new ReadBackError(`account ${index} is not used`);
      if (index > 0 && isWritableAt(layout, index) && !this.#isDemanded[index]) {
        throw new ReadBackError(`account ${index}: the bytes say writable, the plan not`);
      }
      const offset = addressesOffset + index * 32;
      for (let other = addressesOffset; other < offset; other += 32) {
        if (haveSameBytes(bytes, other, offset)) throw new ReadBackError(`account ${index} is there twice`);
      }
    }
  }

  #fits(index: number, address: Address, role: DemandedRole): boolean {
    const isSigner = role === 'signer' || role === 'writable signer';
    const isWritable = role === 'writable' || role === 'writable signer';
    if (isWritable) this.#isDemanded[index] = true;
    return (
      this.hasAddressAt(index, address) &&
      (!isSigner || isSignerAt(this.layout, index)) &&
      (!isWritable || isWritableAt(this.layout, index))
    );
  }
}

/** Compares a part of the bytes with what it should be. Throws a `ReadBackError` where they differ. */
function expectEqual<T>(name: string, actual: T, expected: T): void {
  if (actual !== expected) throw new ReadBackError(`${name}: the bytes say ${actual}, the plan ${expected}`);
}

function haveSameBytes(bytes: Uint8Array, first: number, second: number): boolean {
  for (let index = 0; index < 32; index++) if (bytes[first + index] !== bytes[second + index]) return false;
  return true;
}

function isTextAt(bytes: Uint8Array, offset: number, length: number, text: string): boolean {
  if (length === text.length && isAsciiAt(bytes, offset, text)) return true;
  const expected = encoder.encode(text);
  return length === expected.length && expected.every((byte, index) => byte === bytes[offset + index]);
}

// Nearly every memo: without an encoder it takes a tenth of the time.
function isAsciiAt(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f || bytes[offset + index] !== code) return false;
  }
  return true;
}
