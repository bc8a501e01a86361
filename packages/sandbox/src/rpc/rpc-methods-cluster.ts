import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { slotsPerEpoch } from '../ledger/slot-clock.ts';
import { decodeMessage } from '../ledger/transaction-decoding.ts';
import { apiVersion, asArray, asConfig, asString, commitmentOf, contextAt, required } from './parameters.ts';
import type { RpcMethods } from './rpc-methods.ts';
import { messageBytesOf } from './transaction-encoding.ts';

const genesisHash = getBase58Decoder().decode(createHash('sha256').update('splwright sandbox genesis').digest());

/** Any number does: it names a set of features among validators. */
const featureSet = 1;

/** Slots for which a validator remembers what was paid for priority (`MAX_NUM_RECENT_BLOCKS`). */
const prioritizationFeeSlots = 150n;

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

  getHealth: () => 'ok',

  getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': featureSet }),

  getGenesisHash: () => genesisHash,
};
