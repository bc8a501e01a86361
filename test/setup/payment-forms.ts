import { AccountRole, type Address, address, createNoopSigner, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferInstruction } from '@solana-program/token';
import {
  getBatchInstruction,
  getTransferCheckedInstruction,
  getTransferCheckedWithFeeInstruction,
} from '@solana-program/token-2022';
import { throughProxy } from './proxy-program.ts';
import { associatedTokenAccountOf } from './token-accounts.ts';
import type { TokenMint } from './token-mints.ts';

const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** A transfer of tokens that somebody makes, in whatever form. */
export interface FormedPayment {
  tokenProgram: Address;
  source: Address;
  mint: Address;
  destination: Address;
  /** The owner or delegate of the source; it signs. */
  authority: Address;
  /** Base units that leave the source. */
  amount: bigint;
  decimals: number;
  /** Base units of the amount that the mint withholds; only `with_fee` says it. */
  fee?: bigint;
  /** Further accounts, which are only read. */
  references?: readonly Address[];
}

/**
 * The forms of a transfer: `TransferChecked`, an unchecked `Transfer`, `TransferCheckedWithFee` (of Token-2022 mints with transfer
 * fees alone), and each of the first two inside the token program's `Batch`.
 */
export const paymentForms = ['checked', 'unchecked', 'with_fee', 'batch', 'batch_unchecked'] as const;
/** A form of a transfer. */
export type PaymentForm = (typeof paymentForms)[number];

/** How deep a transfer lies: 0 is a transaction's own instruction, 1 is called by a program, 2 by one that a program called. */
export const paymentDepths = [0, 1, 2] as const;
/** How deep a transfer lies. */
export type PaymentDepth = (typeof paymentDepths)[number];

/** The instruction that makes a payment in a form, its references after the transfer's own accounts. */
export function paymentIn(form: PaymentForm, payment: FormedPayment): Instruction {
  switch (form) {
    case 'checked':
      return withReferences(checked(payment), payment.references);
    case 'unchecked':
      return withReferences(unchecked(payment), payment.references);
    case 'with_fee':
      return withReferences(withFee(payment), payment.references);
    case 'batch':
      return batchOf(payment.tokenProgram, [withReferences(checked(payment), payment.references)]);
    case 'batch_unchecked':
      return batchOf(payment.tokenProgram, [withReferences(unchecked(payment), payment.references)]);
  }
}

/** An instruction as it is, or called by the proxy program. `named` are accounts of the outermost call, which no inner one has. */
export function atDepth(depth: PaymentDepth, instruction: Instruction, named: readonly Address[] = []): Instruction {
  switch (depth) {
    case 0:
      return withReferences(instruction, named);
    case 1:
      return throughProxy([instruction], named);
    case 2:
      return throughProxy([throughProxy([instruction])], named);
  }
}

/** A memo of the memo program that the product uses, signed by these wallets. */
export function memoOf(text: string, signers: readonly Address[] = []): Instruction {
  const named = signers.map((signer) => createNoopSigner(signer));
  return getAddMemoInstruction({ memo: text, signers: named }, { programAddress: memoProgram });
}

/** The token program's `Batch` of instructions of its own: in p-token, and in Token-2022 from version 11 on. */
export function batchOf(tokenProgram: Address, instructions: readonly Instruction[]): Instruction {
  const own = instructions.map((each) => ({ ...each, programAddress: tokenProgram }));
  return getBatchInstruction(own, { programAddress: tokenProgram });
}

function checked({ source, mint, destination, authority, amount, decimals, tokenProgram }: FormedPayment): Instruction {
  const signer = createNoopSigner(authority);
  const fields = { source, mint, destination, authority: signer, amount, decimals };
  return getTransferCheckedInstruction(fields, { programAddress: tokenProgram });
}

function unchecked({ source, destination, authority, amount, tokenProgram }: FormedPayment): Instruction {
  const fields = { source, destination, authority: createNoopSigner(authority), amount };
  return getTransferInstruction(fields, { programAddress: tokenProgram });
}

function withFee({ authority, references: _, tokenProgram, fee = 0n, ...payment }: FormedPayment): Instruction {
  const fields = { ...payment, authority: createNoopSigner(authority), fee };
  return getTransferCheckedWithFeeInstruction(fields, { programAddress: tokenProgram });
}

/** The instruction with these accounts after its own, which are only read. */
export function withReferences(instruction: Instruction, references: readonly Address[] = []): Instruction {
  const named = references.map((address) => ({ address, role: AccountRole.READONLY }));
  return { ...instruction, accounts: [...(instruction.accounts ?? []), ...named] };
}

/** A mint, and a form and a depth of a transfer of it. */
export interface FormOfMint {
  mint: TokenMint;
  form: PaymentForm;
  depth: PaymentDepth;
  /** In words. */
  name: string;
}

/** Every form at every depth: of mints without transfer fees all but the one with a fee, and of one with fees some. */
export function everyForm(plain: readonly TokenMint[], taxed: TokenMint): readonly FormOfMint[] {
  const plainForms = paymentForms.filter((form) => form !== 'with_fee');
  return [
    ...plain.flatMap((mint) => plainForms.map((form) => ({ mint, form }))),
    ...(['checked', 'with_fee', 'batch'] as const).map((form) => ({ mint: taxed, form })),
  ].flatMap(({ mint, form }) =>
    paymentDepths.map((depth) => ({ mint, form, depth, name: `${form} of ${mint.words}, ${depth} programs deep` })),
  );
}

/** A payment between the associated token accounts of two wallets. */
export async function paymentBetween(
  payer: Address,
  recipient: Address,
  mint: TokenMint,
  amount: bigint,
): Promise<FormedPayment> {
  return {
    tokenProgram: mint.tokenProgram,
    source: await associatedTokenAccountOf(mint, payer),
    mint: mint.address,
    destination: await associatedTokenAccountOf(mint, recipient),
    authority: payer,
    amount,
    decimals: mint.decimals,
    fee: mint.transferFee?.(amount) ?? 0n,
  };
}
