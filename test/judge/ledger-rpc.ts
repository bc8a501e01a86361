import { address, createSolanaRpcFromTransport, type GetAccountInfoApi, type Rpc } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';

/** The one RPC method that a library needs to resolve a transfer hook's accounts, straight over a ledger. */
export function ledgerRpc(ledger: Ledger): Rpc<GetAccountInfoApi> {
  return createSolanaRpcFromTransport(async <TResponse>({ payload }: { payload: unknown }): Promise<TResponse> => {
    const found = ledger.getAccount(address(readFirstParameter(payload)));
    const value = found && {
      owner: found.programAddress,
      lamports: found.lamports,
      executable: found.executable,
      space: BigInt(found.data.length),
      rentEpoch: 0n,
      data: [Buffer.from(found.data).toString('base64'), 'base64'],
    };
    // What a node would answer; the library that asks knows the type.
    return { jsonrpc: '2.0', id: 0, result: { context: { slot: ledger.slot() }, value: value ?? null } } as TResponse;
  });
}

function readFirstParameter(payload: unknown): string {
  const isCall = typeof payload === 'object' && payload !== null && 'params' in payload;
  const first: unknown = isCall && Array.isArray(payload.params) ? payload.params[0] : undefined;
  if (typeof first !== 'string') throw new TypeError('only getAccountInfo is answered');
  return first;
}
