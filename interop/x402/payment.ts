import {
  createKeyPairFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import { type TransferInputs, validateTransferRequest } from '../../packages/core/src/index.ts';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { TransferBuilder } from '../../packages/server/src/transfers/transfer-builder.ts';
import { LedgerChainReader } from '../../test/judge/ledger-chain-reader.ts';

/** Returns a wallet of the sandbox. */
export function walletOf(sandbox: Sandbox, name: string): { address: string; secretKey: Uint8Array } {
  const wallet = sandbox.world.wallets.find((each) => each.name === name);
  if (!wallet) throw new Error(`the sandbox has no ${name}`);
  return { address: wallet.address, secretKey: Uint8Array.from(getBase58Encoder().encode(wallet.secret_key)) };
}

/** Builds a transfer without a memo, which the service always adds: by its parts below HTTP. */
export async function buildWithoutMemo(sandbox: Sandbox, inputs: TransferInputs): Promise<Uint8Array> {
  const { request, findings } = validateTransferRequest(inputs);
  if (!request) throw new Error(findings.map(({ code }) => code).join());
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
