import type { Ledger } from '../ledger/ledger.ts';
import { TransactionDecodingError } from '../ledger/transaction-decoding.ts';
import { accountMethods } from './methods/account-methods.ts';
import { blockMethods } from './methods/block-methods.ts';
import { clusterMethods } from './methods/cluster-methods.ts';
import { historyMethods } from './methods/history-methods.ts';
import type { RpcMethods, RpcSettings } from './methods/rpc-methods.ts';
import { tokenMethods } from './methods/token-methods.ts';
import { transactionMethods } from './methods/transaction-methods.ts';
import { fromJson, toJson } from './wire/json.ts';
import type { RpcParameters } from './wire/parameters.ts';
import {
  internalErrorCode,
  invalidParameters,
  invalidParamsCode,
  invalidRequestCode,
  methodNotFoundCode,
  parseErrorCode,
  RpcError,
} from './wire/rpc-errors.ts';

/** A JSON-RPC call with its shape checked. */
export interface RpcRequest {
  /** Undefined in a notification, which is not answered. */
  id: string | number | bigint | null | undefined;
  method: string;
  parameters: RpcParameters;
}

const methods: RpcMethods = {
  ...clusterMethods,
  ...blockMethods,
  ...accountMethods,
  ...tokenMethods,
  ...transactionMethods,
  ...historyMethods,
};

/** The names of the methods that are answered over HTTP. */
export const methodNames: readonly string[] = Object.keys(methods);

const defaultSettings: RpcSettings = { strictPreflight: false };

function toErrorReply(error: unknown, id: RpcRequest['id']): unknown {
  const { code, message, data } =
    error instanceof RpcError
      ? error
      : error instanceof TransactionDecodingError
        ? new RpcError(invalidParamsCode, error.message)
        : new RpcError(internalErrorCode, 'Internal error');
  const version = message === unsupportedVersion ? {} : { jsonrpc: '2.0' };
  return { ...version, error: { code, message, data }, id: id ?? null };
}

/** A validator answers a request without a version by a reply without one. */
const unsupportedVersion = 'Unsupported JSON-RPC protocol version';

function invalidRequest(): RpcError {
  return new RpcError(invalidRequestCode, 'Invalid request');
}

function toRequest(value: unknown): RpcRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest();
  const { jsonrpc, id, method, params }: Record<string, unknown> = { ...value };
  const knownId =
    id === undefined || id === null || typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint';
  if (jsonrpc !== '2.0') throw new RpcError(invalidRequestCode, unsupportedVersion);
  if (typeof method !== 'string' || !knownId) throw invalidRequest();
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw invalidParameters('Invalid params: expected an array.');
  }
  return { id, method, parameters: params ?? [] };
}

function idOf(value: unknown): RpcRequest['id'] {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? id : null;
}

function replyTo(value: unknown, answer: (request: RpcRequest) => unknown): unknown {
  try {
    const request = toRequest(value);
    const result = answer(request);
    return request.id === undefined ? undefined : { jsonrpc: '2.0', result, id: request.id };
  } catch (error) {
    return toErrorReply(error, idOf(value));
  }
}

/** Answers one of the standard methods; throws `RpcError` or `TransactionDecodingError`. */
export function callMethod(
  ledger: Ledger,
  { method, parameters }: RpcRequest,
  settings: RpcSettings = defaultSettings,
): unknown {
  const implementation = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (implementation === undefined) throw new RpcError(methodNotFoundCode, 'Method not found');
  return implementation(ledger, parameters, settings);
}

/**
 * Answers the text of a call or of a batch of calls with the text of the reply; empty when nothing in it wants an
 * answer. Never throws: faults are replies.
 */
export function replyToText(text: string, answer: (request: RpcRequest) => unknown): string {
  let body: unknown;
  try {
    body = fromJson(text);
  } catch {
    return toJson(toErrorReply(new RpcError(parseErrorCode, 'Parse error'), null));
  }
  if (Array.isArray(body)) {
    const replies = body.map((value) => replyTo(value, answer)).filter((reply) => reply !== undefined);
    return replies.length === 0 ? '' : toJson(replies);
  }
  const reply = replyTo(body, answer);
  return reply === undefined ? '' : toJson(reply);
}
