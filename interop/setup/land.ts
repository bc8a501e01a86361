import {
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  signTransaction,
} from '@solana/kit';
import { callRpc, type Service } from './service.ts';

/** Signs a transaction in base64 and sends it. Resolves with its signature once it is confirmed. */
export async function land(service: Service, transaction: string, signers: readonly string[]): Promise<string> {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const keyPairs = await Promise.all(
    signers.map((name) => createKeyPairFromBytes(getBase58Encoder().encode(service.secretKeyOf(name)))),
  );
  const wire = getBase64EncodedWireTransaction(await signTransaction(keyPairs, decoded));
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
  const signature = await createSolanaRpc(service.rpcUrl).sendTransaction(wire, options).send();
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    const { value } = await callRpc<{ value: readonly ({ confirmationStatus: string } | null)[] }>(
      service,
      'getSignatureStatuses',
      [[signature]],
    );
    if (value[0] && value[0].confirmationStatus !== 'processed') return signature;
  }
  throw new Error(`${signature} was not confirmed`);
}
