/** JSON-RPC 2.0's own error codes. */
export const parseErrorCode = -32700;
export const invalidRequestCode = -32600;
export const methodNotFoundCode = -32601;
export const invalidParamsCode = -32602;
export const internalErrorCode = -32603;

/** A validator's error codes (`rpc-client-api`, `custom_error.rs`). */
export const blockCleanedUpCode = -32001;
export const preflightFailureCode = -32002;
export const blockNotAvailableCode = -32004;
export const unsupportedTransactionVersionCode = -32015;
export const minContextSlotNotReachedCode = -32016;

/** An error that is answered to the caller as it is: code, message, and data where the code has some. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Makes the error for parameters that are missing or wrong. */
export function invalidParameters(message: string): RpcError {
  return new RpcError(invalidParamsCode, message);
}
