import type { Ledger } from '../../ledger/ledger.ts';
import { slotsPerEpoch } from '../../ledger/slot-clock.ts';
import { decodeMessage } from '../../ledger/transaction-decoding.ts';
import {
  apiVersion,
  asArray,
  asConfig,
  asString,
  asUnsigned,
  commitmentOf,
  contextAt,
  required,
} from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import { messageBytesOf } from '../wire/transaction-bytes.ts';
import type { RpcMethods } from './rpc-methods.ts';

/** The number of a set of features: that of the validator whose answers the sandbox gives. */
const featureSet = 3_718_597_879;

/** A validator remembers the priority fees of so many slots (`MAX_NUM_RECENT_BLOCKS`). */
const prioritizationFeeSlots = 150n;

/** A validator keeps so many samples of its performance (`PERFORMANCE_SAMPLES_LIMIT`), each of a minute. */
const maxSamples = 720n;
const sampleSeconds = 60;

/** Counts what landed in the slots up to one. Of a young ledger it counts slots from before it: all of them are equally long. */
function sampleOf(ledger: Ledger, last: bigint, slots: bigint): unknown {
  const first = last - slots + 1n;
  let transactions = 0;
  for (let slot = first; slot <= last; slot += 1n) transactions += ledger.block(slot)?.transactions.length ?? 0;
  return {
    slot: last,
    numTransactions: transactions,
    numNonVoteTransactions: transactions,
    numSlots: slots,
    samplePeriodSecs: sampleSeconds,
  };
}

/** Methods about the cluster: its slots, blockhashes, fees and health. */
export const clusterMethods: RpcMethods = {
  getSlot(ledger, parameters) {
    const config = asConfig(parameters[0]);
    return contextAt(ledger, config, commitmentOf(config)).slot;
  },

  getBlockHeight(ledger, parameters) {
    const config = asConfig(parameters[0]);
    contextAt(ledger, config, commitmentOf(config));
    return ledger.latestBlockhash(commitmentOf(config)).blockHeight;
  },

  getEpochInfo(ledger, parameters) {
    const config = asConfig(parameters[0]);
    const { slot } = contextAt(ledger, config, commitmentOf(config));
    return {
      absoluteSlot: slot,
      blockHeight: ledger.latestBlockhash(commitmentOf(config)).blockHeight,
      epoch: slot / slotsPerEpoch,
      slotIndex: slot % slotsPerEpoch,
      slotsInEpoch: slotsPerEpoch,
      transactionCount: ledger.transactionCount,
    };
  },

  getLatestBlockhash(ledger, parameters) {
    const config = asConfig(parameters[0]);
    const context = contextAt(ledger, config, commitmentOf(config));
    const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash(commitmentOf(config));
    return { context, value: { blockhash, lastValidBlockHeight } };
  },

  isBlockhashValid(ledger, parameters) {
    const blockhash = asString(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const commitment = commitmentOf(config);
    return { context: contextAt(ledger, config, commitment), value: ledger.isBlockhashValid(blockhash, commitment) };
  },

  getFeeForMessage(ledger, parameters) {
    const message = decodeMessage(messageBytesOf(required(parameters, 0)));
    const config = asConfig(parameters[1]);
    const commitment = commitmentOf(config);
    const context = contextAt(ledger, config, commitment);
    return { context, value: ledger.feeForMessage(message, commitment) ?? null };
  },

  getRecentPrioritizationFees(ledger, parameters) {
    asArray(parameters[0] ?? []);
    const newest = ledger.slot();
    return Array.from({ length: Number(prioritizationFeeSlots) }, (_, index) => ({
      slot: newest - prioritizationFeeSlots + 1n + BigInt(index),
      prioritizationFee: 0,
    }));
  },

  getRecentPerformanceSamples(ledger, parameters) {
    const limit = asUnsigned(parameters[0] ?? maxSamples);
    if (limit > maxSamples) throw invalidParameters(`Invalid limit; max ${maxSamples}`);
    const slotsPerSample = BigInt(Math.max(1, Math.round((sampleSeconds * 1000) / ledger.slotMs)));
    const samples: unknown[] = [];
    for (let last = ledger.slot(); samples.length < limit && last >= ledger.firstSlot; last -= slotsPerSample) {
      samples.push(sampleOf(ledger, last, slotsPerSample));
    }
    return samples;
  },

  getHealth: () => 'ok',

  getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': featureSet }),

  getGenesisHash: (ledger) => ledger.genesisHash,
};
