import fc from 'fast-check';
import { frameOf, parcelOf } from '../../src/batch/parcel-of.ts';
import { fewestTransactions } from '../../src/packing/fewest-transactions.ts';
import { type Kind, kindsOf } from '../../src/packing/kinds-of-transfers.ts';
import type { Parcel, TransactionFrame } from '../../src/packing/parcel.ts';
import { Pace, runSteps } from '../../src/packing/steps.ts';
import { type WeighedBatch, weighBatch } from '../../src/packing/weigh-batch.ts';
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
  kinds: readonly Kind[];
}

/** Weighs a batch of one sender in transactions of version 0. */
export function weigh(transfers: readonly TransferParts[]): Weighed {
  const { request, facts } = batchFrom(transfers, options);
  const parcels = facts.payments.map((payment) => parcelOf(payment, 254, request, facts.mint, facts.tokenAccountRent));
  const frame = frameOf(request, facts.mint, facts.addresses.sender, undefined);
  const batch = runSteps(weighBatch(parcels, frame, new Pace()));
  const { scarcest } = runSteps(fewestTransactions(batch, new Pace()));
  const kinds = runSteps(kindsOf(batch, scarcest, new Pace()));
  return { parcels, frame, batch, kinds };
}

/** A transfer of the least. */
export const plain = (recipient: number, exists: boolean): TransferParts => {
  return { recipient, exists, amount: 1, memo: undefined, references: [] };
};

/** One transfer of each recipient. */
export const anyFew = fc
  .array(anyTransfer(1), { minLength: 1, maxLength: 7 })
  .map((transfers) => transfers.map((each, recipient) => ({ ...each, recipient })));
