import { after, before, test } from 'node:test';
import {
  assertIsSendableTransaction,
  blockhash,
  createKeyPairFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  getBase58Encoder,
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  sendAndConfirmTransactionFactory,
  signTransaction,
} from 'gill';
import { type Service, startService } from '../setup/service.ts';
import { assertLands, type Built, build, trials } from '../setup/trials.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

function toBytes({ transaction }: Built, encoding: string | undefined) {
  if (typeof transaction !== 'string') return Uint8Array.from(transaction);
  return encoding === 'base58' ? getBase58Encoder().encode(transaction) : getBase64Encoder().encode(transaction);
}

for (const trial of trials) {
  test(`gill lands ${trial.name}`, async () => {
    // Its `createSolanaClient` finds a WebSocket on the next port for port 8899 alone.
    const rpc = createSolanaRpc(service.rpcUrl);
    const rpcSubscriptions = createSolanaRpcSubscriptions(service.webSocketUrl);
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
    const keyPairs = await Promise.all(
      trial.signers.map((name) => createKeyPairFromBytes(getBase58Encoder().encode(service.secretKeyOf(name)))),
    );
    await assertLands(service, [trial], async () => {
      const built = await build(service, trial);
      const decoded = getTransactionDecoder().decode(toBytes(built, trial.body.encoding));
      const signed = await signTransaction(keyPairs, decoded);
      const lifetime = { blockhash: blockhash(built.blockhash), lastValidBlockHeight: built.lastValidBlockHeight };
      const transaction = { ...signed, lifetimeConstraint: lifetime };
      assertIsSendableTransaction(transaction);
      await sendAndConfirm(transaction, { commitment: 'confirmed', preflightCommitment: 'confirmed' });
      return [getSignatureFromTransaction(transaction)];
    });
  });
}
