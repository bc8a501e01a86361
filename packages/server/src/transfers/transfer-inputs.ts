import type { FindingField, TransferInputs } from 'splwright-core';
import type { Incomplete } from '../app/read-shape.ts';
import type { TransferFields } from './transfer-schema.ts';

/** The field of a request in which each value is that the core finds faults in. */
export const fieldNames = {
  from: 'from_address',
  to: 'to_address',
  mint: 'token_mint_address',
  amount: 'amount',
  amountDecimal: 'amount_decimal',
  amountMin: 'amount_min',
  memo: 'memo',
  splits: 'splits',
  transfers: 'transfers',
  feePayer: 'fee_payer',
  priorityFee: 'priority_fee',
  nonceAccount: 'nonce_account',
  recentBlockhash: 'recent_blockhash',
  lastValidBlockHeight: 'last_valid_block_height',
  transactionVersion: 'transaction_version',
  createTokenAccount: 'create_token_account',
  references: 'references',
} as const satisfies Record<Extract<FindingField, string>, string>;

/** Returns the fields of a transfer as inputs of the core; the memo and the default of `create_token_account` are the operation's. */
export function transferInputs(values: Incomplete<TransferFields>): Omit<TransferInputs, 'createTokenAccount'> {
  return {
    from: values.from_address,
    to: values.to_address,
    mint: values.token_mint_address,
    amount: values.amount,
    amountDecimal: values.amount_decimal,
    memo: values.memo,
    layout: values.layout,
    recentBlockhash: values.recent_blockhash,
    lastValidBlockHeight: values.last_valid_block_height,
    splits: values.splits?.map((split) => ({ to: split?.to_address, amount: split?.amount })),
    feePayer: values.fee_payer,
    priorityFee: values.priority_fee,
    nonceAccount: values.nonce_account,
    transactionVersion: values.transaction_version,
    references: values.references?.filter((each) => each !== undefined),
    allowsOffCurveRecipient: values.allow_off_curve_recipient,
    checks: values.checks,
  };
}
