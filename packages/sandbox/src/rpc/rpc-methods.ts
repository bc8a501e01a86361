import type { Ledger } from '../ledger/ledger.ts';
import type { RpcParameters } from './parameters.ts';

/** Answers one method; throws `RpcError` or `TransactionDecodingError`. */
export type RpcMethod = (ledger: Ledger, parameters: RpcParameters) => unknown;

/** Methods by their JSON-RPC names. */
export type RpcMethods = Readonly<Record<string, RpcMethod>>;
