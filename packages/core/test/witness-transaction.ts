import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Address as KitAddress,
  type Instruction as KitInstruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { createMemoInstruction } from '@solana/spl-memo';
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  type Message,
  PublicKey,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import type { Payment, TransferPlan } from '../src/plan/transfer-plan.ts';
import type { UnsignedMessage } from '../src/transaction/encode-transaction.ts';
import type { AccountMeta, Instruction } from '../src/transaction/instruction.ts';
import { recipientOf, splitsOf } from './fixtures.ts';

/** An instruction as a decoded message says it, whichever library decoded it. */
export interface PlainInstruction {
  program: string;
  accounts: { address: string; signer: boolean; writable: boolean }[];
  data: string;
}

/** The instructions of a plan, made by the reference libraries. */
export function witnessInstructions(plan: TransferPlan): TransactionInstruction[] {
  const key = (address: string): PublicKey => new PublicKey(address);
  const program = key(plan.tokenProgram);
  const instructions: TransactionInstruction[] = [];
  if (plan.computeUnitLimit !== undefined) {
    instructions.push(ComputeBudgetProgram.setComputeUnitLimit({ units: plan.computeUnitLimit }));
  }
  const create = (payment: Payment): TransactionInstruction[] => {
    if (!payment.createsRecipientTokenAccount) return [];
    const [payer, tokenAccount] = [key(plan.feePayer), key(payment.recipientTokenAccount)];
    const [owner, mint] = [key(payment.recipient), key(plan.mint)];
    return [createAssociatedTokenAccountIdempotentInstruction(payer, tokenAccount, owner, mint, program)];
  };
  const transfer = (payment: Payment): TransactionInstruction => {
    const [source, destination] = [key(plan.senderTokenAccount), key(payment.recipientTokenAccount)];
    const [mint, owner, { amount }] = [key(plan.mint), key(plan.sender), payment];
    const instruction = createTransferCheckedInstruction(
      source,
      mint,
      destination,
      owner,
      amount,
      plan.decimals,
      [],
      program,
    );
    for (const { address, signer, writable } of payment.hookAccounts) {
      instruction.keys.push({ pubkey: key(address), isSigner: signer, isWritable: writable });
    }
    return instruction;
  };
  for (const split of splitsOf(plan)) instructions.push(...create(split), transfer(split));
  const main = recipientOf(plan);
  instructions.push(...create(main));
  const { memo } = main;
  if (memo) instructions.push(createMemoInstruction(memo.text, [key(plan.sender)]));
  return [...instructions, transfer(main)];
}

/** The message of a plan, compiled by web3.js. */
export function witnessMessage(plan: TransferPlan, blockhash: string): Message {
  const transaction = new Transaction({ feePayer: new PublicKey(plan.feePayer), recentBlockhash: blockhash } as const);
  return transaction.add(...witnessInstructions(plan)).compileMessage();
}

/** The instructions of a message with the roles that the message gives to their accounts. */
export function instructionsOf(message: Message): PlainInstruction[] {
  const plainAccount = (index: number): PlainInstruction['accounts'][number] => {
    const key = message.accountKeys[index];
    assert.ok(key, `account ${index} is there`);
    return {
      address: key.toBase58(),
      signer: message.isAccountSigner(index),
      writable: message.isAccountWritable(index),
    };
  };
  return message.compiledInstructions.map((instruction) => ({
    program: plainAccount(instruction.programIdIndex).address,
    accounts: instruction.accountKeyIndexes.map(plainAccount),
    data: Buffer.from(instruction.data).toString('hex'),
  }));
}

/** Every account of a message with its role, in an order that does not depend on who compiled it. */
export function rolesOf(message: Message): string[] {
  const roles = message.accountKeys.map((key, index) => {
    const signer = message.isAccountSigner(index) ? ' signer' : '';
    return `${key.toBase58()}${signer}${message.isAccountWritable(index) ? ' writable' : ''}`;
  });
  return roles.sort();
}

function toKitRole({ signer, writable }: AccountMeta): AccountRole {
  if (signer) return writable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return writable ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** An instruction as kit wants it. */
export function toKitInstruction({ program, accounts, data }: Instruction): KitInstruction {
  return {
    programAddress: address(program),
    accounts: accounts.map((meta) => ({ address: address(meta.address), role: toKitRole(meta) })),
    data,
  };
}

/** The message's bytes as kit compiles and encodes them. */
export function compileWithKit({
  version,
  feePayer,
  instructions,
  lifetimeToken,
  config,
}: UnsignedMessage): Uint8Array {
  const lifetime = { blockhash: blockhash(lifetimeToken), lastValidBlockHeight: 0n };
  const payer: KitAddress = address(feePayer);
  const body = instructions.map(toKitInstruction);
  if (version !== 1) {
    const message = pipe(
      createTransactionMessage({ version }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (alive) => appendTransactionMessageInstructions(body, alive),
    );
    return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
  }
  assert.ok(config);
  const { priorityFee, ...limits } = config;
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) =>
      setTransactionMessageConfig({ ...limits, ...(priorityFee > 0n && { priorityFeeLamports: priorityFee }) }, alive),
    (limited) => appendTransactionMessageInstructions(body, limited),
  );
  return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
}

/** A transaction of kit's message, with empty signatures. */
export function transactionOf(
  messageBytes: Uint8Array,
  version: UnsignedMessage['version'],
  signers: number,
): Uint8Array {
  const signatures = new Uint8Array(64 * signers);
  return version === 1
    ? Uint8Array.from([...messageBytes, ...signatures])
    : Uint8Array.from([signers, ...signatures, ...messageBytes]);
}

/** A lookup table with these addresses. */
export function lookupTableOf(addresses: readonly (string | PublicKey)[]): AddressLookupTableAccount {
  return new AddressLookupTableAccount({
    key: new PublicKey(randomBytes(32)),
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: addresses.map((each) => new PublicKey(each)),
    },
  });
}
