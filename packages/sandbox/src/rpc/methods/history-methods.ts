import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import type { TransactionRecord } from '../../ledger/transaction-history.ts';
import {
  asAddress,
  asArray,
  asConfig,
  asFlag,
  asSignature,
  asString,
  asUnsigned,
  confirmedCommitmentOf,
  contextAt,
  type RpcConfig,
  required,
} from '../wire/parameters.ts';
import { invalidParameters, RpcError, unsupportedTransactionVersionCode } from '../wire/rpc-errors.ts';
import { toUiMeta, toUiTransaction } from '../wire/transaction-encoding.ts';
import type { RpcMethods } from './rpc-methods.ts';

/** One request asks for at most so many statuses (`MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const maxStatuses = 256;

/** One answer names at most so many signatures of an address (`MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT`). */
const maxSignatures = 1000n;

/** Without `searchTransactionHistory`, a validator knows the signatures of so many slots (`MAX_CACHE_ENTRIES`). */
const slotsOfStatuses = 300n;

/** A validator counts confirmations up to this (`MAX_LOCKOUT_HISTORY`). */
const maxConfirmations = 31n;

/** Returns how certain a slot is, and the blocks on top of its own, itself included: null once it is final. */
function confirmationOf(
  ledger: Ledger,
  slot: bigint,
): { confirmations: bigint | null; confirmationStatus: Commitment } {
  const slotsSince = ledger.slot() - slot;
  if (slotsSince >= ledger.slotsToFinalize) return { confirmations: null, confirmationStatus: 'finalized' };
  const confirmations = slotsSince < maxConfirmations ? slotsSince + 1n : maxConfirmations;
  return { confirmations, confirmationStatus: 'confirmed' };
}

/** Throws when the caller does not say that it understands a transaction of this version. */
function assertVersionSupported({ transaction }: TransactionRecord, config: RpcConfig): void {
  const { version } = transaction;
  const supported = config.maxSupportedTransactionVersion;
  if (version === 'legacy') return;
  if (supported !== undefined && supported !== null && asUnsigned(supported) >= BigInt(version)) return;
  throw new RpcError(
    unsupportedTransactionVersionCode,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

/** Returns the records older than `before` and newer than `until`, newest first. */
function between(records: readonly TransactionRecord[], config: RpcConfig): readonly TransactionRecord[] {
  const indexOf = (member: string) => {
    const value = config[member];
    if (value === undefined || value === null) return undefined;
    const wanted = asSignature(value);
    return records.findIndex(({ signature }) => signature === wanted);
  };
  const before = indexOf('before');
  const until = indexOf('until');
  if (before === -1) return [];
  return records.slice(before === undefined ? 0 : before + 1, until === -1 ? undefined : until);
}

/** Methods about transactions that landed. */
export const historyMethods: RpcMethods = {
  getSignatureStatuses(ledger, parameters) {
    const signatures = asArray(required(parameters, 0));
    if (signatures.length > maxStatuses) throw invalidParameters(`Too many inputs provided; max ${maxStatuses}`);
    const oldest = asFlag(asConfig(parameters[1]).searchTransactionHistory) ? 0n : ledger.slot() - slotsOfStatuses;
    const value = signatures.map((each) => {
      const record = ledger.transactionRecord(asSignature(each));
      if (record === undefined || record.slot < oldest) return null;
      return {
        slot: record.slot,
        ...confirmationOf(ledger, record.slot),
        err: record.error,
        status: record.error === null ? { Ok: null } : { Err: record.error },
      };
    });
    return { context: contextAt(ledger, {}, 'processed'), value };
  },

  getTransaction(ledger, parameters) {
    const signature = asSignature(required(parameters, 0));
    const second = parameters[1];
    const config = typeof second === 'string' ? { encoding: second } : asConfig(second);
    const commitment = confirmedCommitmentOf(config);
    const record = ledger.transactionRecord(signature);
    if (record === undefined || record.slot > ledger.slot(commitment)) return null;
    assertVersionSupported(record, config);
    const encoding = asString(config.encoding ?? 'json');
    const versionAsked = config.maxSupportedTransactionVersion !== undefined;
    return {
      slot: record.slot,
      blockTime: record.blockTime,
      transaction: toUiTransaction(record, encoding),
      meta: toUiMeta(record, encoding),
      transactionIndex: record.transactionIndex,
      ...(versionAsked ? { version: record.transaction.version } : {}),
    };
  },

  getSignaturesForAddress(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const { slot } = contextAt(ledger, config, confirmedCommitmentOf(config));
    const limit = asUnsigned(config.limit ?? maxSignatures);
    if (limit === 0n || limit > maxSignatures) throw invalidParameters(`Invalid limit; max ${maxSignatures}`);
    const records = ledger.transactionRecordsOf(address).filter((record) => record.slot <= slot);
    return between(records, config)
      .slice(0, Number(limit))
      .map((record) => ({
        signature: record.signature,
        slot: record.slot,
        err: record.error,
        memo: record.memo,
        blockTime: record.blockTime,
        transactionIndex: record.transactionIndex,
        confirmationStatus: confirmationOf(ledger, record.slot).confirmationStatus,
      }));
  },
};
