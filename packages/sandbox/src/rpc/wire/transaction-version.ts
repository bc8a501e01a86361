import type { TransactionRecord } from '../../ledger/transaction-history.ts';
import { asUnsigned, type RpcConfig } from './parameters.ts';
import { RpcError, unsupportedTransactionVersionCode } from './rpc-errors.ts';

/** Throws when the caller does not say that it understands a transaction of this version. */
export function assertVersionSupported({ transaction }: TransactionRecord, config: RpcConfig): void {
  const { version } = transaction;
  const supported = config.maxSupportedTransactionVersion;
  if (version === 'legacy') return;
  if (supported !== undefined && supported !== null && asUnsigned(supported) >= BigInt(version)) return;
  throw new RpcError(
    unsupportedTransactionVersionCode,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}
