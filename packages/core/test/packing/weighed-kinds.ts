import fc from 'fast-check';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import { type Choice, choicesOf } from '../../src/packing/patterns/choices.ts';
import { type FewestTransactions, fewestTransactions } from '../../src/packing/weights/fewest-transactions.ts';
import { type Kind, kindsOf } from '../../src/packing/weights/kinds-of-transfers.ts';
import type { Parcel, TransactionFrame } from '../../src/packing/weights/parcel.ts';
import { Pace, runSteps } from '../../src/packing/weights/steps.ts';
import {
  type WeighedBatch,
  type WeighedTransfer,
  type Weight,
  weighBatch,
} from '../../src/packing/weights/weigh-batch.ts';
import { anyTransfer, type BatchOptions, batchFrom, type TransferParts } from '../batch/random-batches.ts';

const options: BatchOptions = {
  version: 0,
  createTokenAccount: 'if_missing',
  priorityFee: undefined,
  isSponsored: false,
  hasNonce: false,
};

/** A batch by kinds of transfers. */
export interface Weighed {
  parcels: readonly Parcel[];
  frame: TransactionFrame;
  batch: WeighedBatch;
  fewest: FewestTransactions;
  kinds: readonly Kind[];
  choices: readonly Choice[];
}

/** Weighs a batch of one sender in transactions of version 0, or of a frame that is changed. */
export function weigh(transfers: readonly TransferParts[], changed: Partial<TransactionFrame> = {}): Weighed {
  const { request, facts } = batchFrom(transfers, options);
  const parcels = facts.payments.map((payment) => parcelOf(payment, 254, request, facts.mint, facts.tokenAccountRent));
  const frame = { ...frameOf(request, facts.mint, facts.addresses.sender, undefined), ...changed };
  const batch = runSteps(weighBatch(parcels, frame, new Pace()));
  const fewest = runSteps(fewestTransactions(batch, new Pace()));
  const kinds = runSteps(kindsOf(batch, fewest.scarcest, new Pace()));
  return { parcels, frame, batch, fewest, kinds, choices: choicesOf(kinds) };
}

/** A transfer of the least. */
export const plain = (recipient: number, exists: boolean): TransferParts => {
  return { recipient, exists, amount: 1, memo: undefined, references: [] };
};

/** One transfer of each recipient. */
export const anyFew = fc
  .array(anyTransfer(1), { minLength: 1, maxLength: 7 })
  .map((transfers) => transfers.map((each, recipient) => ({ ...each, recipient })));

/** Transfers to up to twelve recipients, some of whom are paid again, next to a hook or not. */
export const anyPaidAgain = fc
  .tuple(fc.array(anyTransfer(12), { minLength: 8, maxLength: 24 }), fc.boolean())
  .map(([transfers, isHooked]) => weigh(transfers, { isHooked }));

/** What transfers take of a transaction together, that of each part once. */
export function weightOf({ shared }: WeighedBatch, transfers: readonly WeighedTransfer[]): Weight {
  const sum: Weight = { bytes: 0, accounts: 0, instructions: 0, computeUnits: 0 };
  const parts = new Set(transfers.flatMap((transfer) => transfer.shared));
  for (const each of [...transfers, ...[...parts].flatMap((part) => shared[part] ?? [])]) {
    sum.bytes += each.bytes;
    sum.accounts += each.accounts;
    sum.instructions += each.instructions;
    sum.computeUnits += each.computeUnits;
  }
  return sum;
}
