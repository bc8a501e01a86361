import { after, before, test } from 'node:test';
import { Connection, Keypair, Transaction, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { type Service, startService } from '../setup/service.ts';
import { assertLands, type Built, build, trials } from '../setup/trials.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

function toBytes({ transaction }: Built, encoding: string | undefined): Uint8Array {
  if (typeof transaction !== 'string') return Uint8Array.from(transaction);
  return encoding === 'base58' ? bs58.decode(transaction) : Buffer.from(transaction, 'base64');
}

function sign(bytes: Uint8Array, keypairs: Keypair[], isVersioned: boolean): Uint8Array {
  if (isVersioned) {
    const transaction = VersionedTransaction.deserialize(bytes);
    transaction.sign(keypairs);
    return transaction.serialize();
  }
  const transaction = Transaction.from(bytes);
  transaction.sign(...keypairs);
  return transaction.serialize();
}

for (const trial of trials) {
  test(`web3.js lands ${trial.name}`, async () => {
    const connection = new Connection(service.rpcUrl, 'confirmed');
    const keypairs = trial.signers.map((name) => Keypair.fromSecretKey(bs58.decode(service.secretKeyOf(name))));
    await assertLands(service, [trial], async () => {
      const built = await build(service, trial);
      const bytes = toBytes(built, trial.body.encoding);
      const signed = sign(bytes, keypairs, 'transaction_version' in trial.body);
      const signature = await connection.sendRawTransaction(signed, { preflightCommitment: 'confirmed' });
      const { blockhash } = built;
      const lastValidBlockHeight = Number(built.lastValidBlockHeight);
      await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight }, 'confirmed');
      return [signature];
    });
  });
}
