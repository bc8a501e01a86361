import type { Ledger } from '../../ledger/ledger.ts';
import type { RpcParameters } from '../wire/parameters.ts';

/** How a sandbox was asked to behave. */
export interface RpcSettings {
  /** Runs a transaction at `finalized` when its caller names no commitment, as a validator does. */
  strictPreflight: boolean;
}

/** Answers one method; throws `RpcError` or `TransactionDecodingError`. */
export type RpcMethod = (ledger: Ledger, parameters: RpcParameters, settings: RpcSettings) => unknown;

/** Methods by their JSON-RPC names. */
export type RpcMethods = Readonly<Record<string, RpcMethod>>;
