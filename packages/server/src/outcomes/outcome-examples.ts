import { toAddress } from 'splwright-core';
import { exampleLastValidBlockHeight } from '../app/example-transactions.ts';
import type { LandedVerdict, Verdict } from './verdict.ts';
import { outcomeText } from './verdict-json.ts';

const blockHeight = BigInt(exampleLastValidBlockHeight);

const landed: LandedVerdict = {
  outcome: 'landed',
  signature: '3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH',
  slot: 440_208_190n,
  blockTime: 1_795_000_000n,
  commitment: 'finalized',
  fee: 5_000n,
  matchedBy: 'signature',
  message: new Uint8Array(),
  payments: [
    {
      tokenAccount: toAddress('ChtcJX16gfLZ2qELbysj5isAaEpBcFpf4bKTsnLmiK3H'),
      wallet: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
      amount: 1_500_000n,
      received: 1_500_000n,
    },
  ],
};
const pending: Verdict = {
  outcome: 'pending',
  reason: 'lifetime',
  blockHeight: blockHeight - 32n,
  lastValidBlockHeight: blockHeight + 151n,
};
const expired: Verdict = {
  outcome: 'expired',
  blockHeight: blockHeight + 152n,
  lastValidBlockHeight: blockHeight + 151n,
};

const replyOf = (verdicts: readonly Verdict[], isList: boolean): { value: unknown } => ({
  value: JSON.parse(outcomeText(verdicts, isList)),
});

/** The examples of replies, by their names. */
export const outcomeExamples = {
  landed: replyOf([landed], false),
  pending: replyOf([pending], false),
  expired: replyOf([expired, landed], true),
};
