import fc from 'fast-check';
import { type Address, addressFromBytes } from '../../src/addresses/address.ts';
import { computeBudgetProgram } from '../../src/addresses/programs.ts';
import { type WeighedBatch, weighBatch } from '../../src/batch/weigh-batch.ts';
import type { Prices } from '../../src/plan/compute-budget.ts';
import { type MintFacts, walletOf } from '../../src/plan/transfer-facts.ts';
import { parseMemo } from '../../src/request/memo.ts';
import type { BatchRequest } from '../../src/request/transfer-request.ts';
import { associatedAccount, plainMint, plainState, readPaymentWith } from '../fixtures.ts';

/** A batch and what is known of it, made of plain values. */
export interface BatchParts {
  request: BatchRequest;
  facts: MintFacts;
}

/** An address that is the same for the same number; 0 is the program of compute limits. */
export function addressAt(number: number): Address {
  if (number === 0) return computeBudgetProgram;
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(0, number);
  return addressFromBytes(bytes);
}

const [sender, sponsor, mint, senderTokenAccount, nonceAccount] = [1_001, 1_002, 1_003, 1_004, 1_005].map(
  addressAt,
) as [Address, Address, Address, Address, Address];

/** One transfer, in plain values: the same `recipient` is the same wallet. */
export interface TransferParts {
  recipient: number;
  exists: boolean;
  amount: number;
  memo: string | undefined;
  references: readonly number[];
}

/** What all transfers of a batch share, in plain values. */
export type BatchOptions = Pick<BatchRequest, 'version' | 'createTokenAccount' | 'priorityFee'> & {
  isSponsored: boolean;
  hasNonce: boolean;
};

/** What a batch asks for when it asks for nothing. */
export const plainOptions = {
  version: 'legacy',
  createTokenAccount: 'if_missing',
  priorityFee: undefined,
  isSponsored: false,
  hasNonce: false,
} as const;

/** Transfers to different recipients who have token accounts, of 1, 2, 3, … base units, as far as the parts say nothing else. */
export function transfersTo(...parts: readonly Partial<TransferParts>[]): TransferParts[] {
  return parts.map((each, recipient) => {
    return { recipient, exists: true, amount: recipient + 1, memo: undefined, references: [], ...each };
  });
}

/** What transfers of plain values take of the transactions of a batch. */
export function weighed(transfers: readonly TransferParts[], options: BatchOptions = plainOptions): WeighedBatch {
  const { request, facts } = batchFrom(transfers, options);
  return weighBatch(request, facts);
}

/** Makes a batch out of plain values. */
export function batchFrom(transfers: readonly TransferParts[], options: BatchOptions): BatchParts {
  const resolved = transfers.map(({ recipient, amount, memo, references }) => {
    const parsed = memo === undefined ? undefined : parseMemo(memo);
    return {
      to: addressAt(10_000 + recipient),
      amount: BigInt(amount),
      memo: parsed && 'memo' in parsed ? parsed.memo : undefined,
      references: [...new Set(references)].map(addressAt),
    };
  });
  const { version, createTokenAccount, priorityFee, isSponsored, hasNonce } = options;
  const nonce = { account: nonceAccount, authority: sender, nonce: addressAt(9) };
  const request: BatchRequest = {
    layout: 'default',
    from: sender,
    mint,
    transfers: resolved,
    feePayer: isSponsored ? sponsor : sender,
    version,
    createTokenAccount,
    priorityFee,
    nonceAccount: hasNonce ? nonceAccount : undefined,
    allowsOffCurveRecipient: true,
    checks: 'full',
  };
  return {
    request,
    facts: {
      clock: { epoch: 0n, unixSeconds: 0n },
      emptyAccountRent: 890_880n,
      feePayer: walletOf(null),
      sender: walletOf(null),
      mint: plainMint,
      senderTokenAccount: associatedAccount({ address: senderTokenAccount, bump: 255 }),
      payments: resolved.map((payment, index) => {
        const { recipient } = transfers[index] ?? {};
        const first = transfers.find((each) => each.recipient === recipient);
        const address = addressAt(20_000 + (recipient ?? 0));
        const state = first?.exists ? plainState(payment.to) : undefined;
        const field = { transfer: index, part: 'to' } as const;
        return readPaymentWith({ ...payment, field, tokenAccount: associatedAccount({ address, state }) });
      }),
      nonce: hasNonce ? nonce : undefined,
      nonceFinding: undefined,
      tokenAccountRent: 2_039_280n,
    },
  };
}

/** No recent prices, and a maximum that no priority fee of these batches reaches. */
export const noPrices: Prices = { recentPrices: undefined, maxPriorityFee: 1_000_000n };

/** Any transfer of a batch with so many recipients. */
export function anyTransfer(recipients: number): fc.Arbitrary<TransferParts> {
  return fc.record({
    recipient: fc.nat(recipients - 1),
    exists: fc.boolean(),
    amount: fc.integer({ min: 1, max: 3 }),
    memo: fc.option(
      fc.oneof(fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme-ascii' }), fc.constant('漢'.repeat(40))),
      { nil: undefined },
    ),
    references: fc.array(fc.nat(6), { maxLength: 5 }),
  });
}

/** Any options of a batch. */
export const anyOptions: fc.Arbitrary<BatchOptions> = fc.record({
  version: fc.constantFrom('legacy' as const, 0 as const, 1 as const),
  createTokenAccount: fc.constantFrom('always' as const, 'if_missing' as const, 'never' as const),
  priorityFee: fc.constantFrom(undefined, { microLamportsPerComputeUnit: 1_000n }),
  isSponsored: fc.boolean(),
  hasNonce: fc.boolean(),
});
