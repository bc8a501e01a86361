import type { Block } from '../../ledger/block-history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import type { TransactionRecord } from '../../ledger/transaction-history.ts';
import {
  asConfig,
  asString,
  asUnsigned,
  confirmedCommitmentOf,
  type RpcConfig,
  type RpcParameters,
  required,
  unknownVariant,
} from '../wire/parameters.ts';
import { blockCleanedUpCode, blockNotAvailableCode, invalidParameters, RpcError } from '../wire/rpc-errors.ts';
import {
  toUiAccountKeys,
  toUiMeta,
  toUiOutcome,
  toUiSignatures,
  toUiTransaction,
} from '../wire/transaction-encoding.ts';
import { assertVersionSupported } from '../wire/transaction-version.ts';
import type { RpcMethods } from './rpc-methods.ts';

/** One answer names at most so many blocks (`MAX_GET_CONFIRMED_BLOCKS_RANGE`). */
const maxBlocks = 500_000n;

const transactionDetails = ['full', 'signatures', 'none', 'accounts'] as const;

function blockAt(ledger: Ledger, slot: bigint, commitment: Commitment): Block {
  if (slot > ledger.slot(commitment)) throw new RpcError(blockNotAvailableCode, `Block not available for slot ${slot}`);
  const block = ledger.block(slot);
  if (block !== undefined) return block;
  const text = `Block ${slot} cleaned up, does not exist on node. First available block: ${ledger.firstSlot}`;
  throw new RpcError(blockCleanedUpCode, text);
}

function toUiBlockTransaction(record: TransactionRecord, encoding: string, config: RpcConfig): unknown {
  assertVersionSupported(record, config);
  const version = config.maxSupportedTransactionVersion === undefined ? {} : { version: record.transaction.version };
  return { transaction: toUiTransaction(record, encoding), meta: toUiMeta(record, encoding), ...version };
}

function toUiBlockAccounts(record: TransactionRecord, config: RpcConfig): unknown {
  assertVersionSupported(record, config);
  const version = config.maxSupportedTransactionVersion === undefined ? {} : { version: record.transaction.version };
  const transaction = { signatures: toUiSignatures(record), accountKeys: toUiAccountKeys(record) };
  return { transaction, meta: toUiOutcome(record), ...version };
}

function toUiTransactions({ transactions }: Block, config: RpcConfig): object {
  const name = asString(config.transactionDetails ?? 'full');
  const details = transactionDetails.find((known) => known === name);
  const encoding = asString(config.encoding ?? 'json');
  switch (details) {
    case 'full':
      return { transactions: transactions.map((record) => toUiBlockTransaction(record, encoding, config)) };
    case 'accounts':
      return { transactions: transactions.map((record) => toUiBlockAccounts(record, config)) };
    case 'signatures':
      return { signatures: transactions.map(({ signature }) => signature) };
    case 'none':
      return {};
    case undefined:
      throw unknownVariant(name, transactionDetails);
  }
}

/** Returns the slots from one to another that have a block. */
function slotsBetween(ledger: Ledger, first: bigint, last: bigint): bigint[] {
  const start = first > ledger.firstSlot ? first : ledger.firstSlot;
  return Array.from({ length: last < start ? 0 : Number(last - start) + 1 }, (_, index) => start + BigInt(index));
}

function commitmentConfigOf(parameters: RpcParameters): RpcConfig {
  return asConfig(parameters.findLast((each) => typeof each === 'object'));
}

/** Methods about blocks. Every slot has one. */
export const blockMethods: RpcMethods = {
  getBlock(ledger, parameters) {
    const slot = asUnsigned(required(parameters, 0));
    const second = parameters[1];
    const config = typeof second === 'string' ? { encoding: second } : asConfig(second);
    const block = blockAt(ledger, slot, confirmedCommitmentOf(config));
    return {
      previousBlockhash: block.previousBlockhash,
      blockhash: block.blockhash,
      parentSlot: slot - 1n,
      ...toUiTransactions(block, config),
      ...(config.rewards !== false && { rewards: [] }),
      blockTime: ledger.blockTime(slot),
      blockHeight: block.blockHeight,
    };
  },

  getBlockTime(ledger, parameters) {
    const slot = asUnsigned(required(parameters, 0));
    return ledger.blockTime(blockAt(ledger, slot, 'confirmed').slot);
  },

  getBlocks(ledger, parameters) {
    const first = asUnsigned(required(parameters, 0));
    const newest = ledger.slot(confirmedCommitmentOf(commitmentConfigOf(parameters)));
    const end = typeof parameters[1] === 'object' ? undefined : parameters[1];
    const asked = end === undefined ? newest : asUnsigned(end);
    const last = asked < newest ? asked : newest;
    if (last >= first && last - first > maxBlocks) throw invalidParameters(`Slot range too large; max ${maxBlocks}`);
    return slotsBetween(ledger, first, last);
  },

  getBlocksWithLimit(ledger, parameters) {
    const first = asUnsigned(required(parameters, 0));
    const limit = asUnsigned(required(parameters, 1));
    if (limit > maxBlocks) throw invalidParameters(`Limit too large; max ${maxBlocks}`);
    const newest = ledger.slot(confirmedCommitmentOf(asConfig(parameters[2])));
    return slotsBetween(ledger, first, newest).slice(0, Number(limit));
  },

  // A block without all of its transactions would be a history that hides some.
  getFirstAvailableBlock: (ledger) => ledger.firstAvailableSlot,

  minimumLedgerSlot: (ledger) => ledger.firstAvailableSlot,
};
