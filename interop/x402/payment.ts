import {
  createKeyPairFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import { type TransferInputs, validateTransferRequest } from '../../packages/core/src/index.ts';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { withX402Memo } from '../../packages/server/src/http/transfer-requests/x402-memo.ts';
import { TransferBuilder } from '../../packages/server/src/service/transfer-builder.ts';
import { LedgerChainReader } from '../../test/judge/ledger-chain-reader.ts';

/** Returns a wallet of the sandbox. */
export function walletOf(sandbox: Sandbox, name: string): { address: string; secretKey: Uint8Array } {
  const wallet = sandbox.world.wallets.find((each) => each.name === name);
  if (!wallet) throw new Error(`the sandbox has no ${name}`);
  return { address: wallet.address, secretKey: Uint8Array.from(getBase58Encoder().encode(wallet.secret_key)) };
}

/** Builds a transfer as the service does. `drawsMemo`: whether one without a memo gets a random one. */
export async function build(sandbox: Sandbox, inputs: TransferInputs, drawsMemo: boolean): Promise<Uint8Array> {
  const { request, findings } = validateTransferRequest(drawsMemo ? withX402Memo(inputs) : inputs);
  if (!request)
    throw new Error(JSON.stringify(findings, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
  const builder = new TransferBuilder(new LedgerChainReader(sandbox.ledger), { maxPriorityFeeLamports: 1_000_000n });
  return (await builder.build(request, Number.POSITIVE_INFINITY)).bytes;
}

/** Signs as the sender alone, and returns base64: what the payload of an x402 payment holds. */
export async function signAsSender(bytes: Uint8Array, secretKey: Uint8Array): Promise<string> {
  const keyPair = await createKeyPairFromBytes(secretKey);
  return getBase64EncodedWireTransaction(
    await partiallySignTransaction([keyPair], getTransactionDecoder().decode(bytes)),
  );
}
