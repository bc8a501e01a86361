import {
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { RecentBlockhash } from './blockhash-queue.ts';
import type { Keypair } from './keypair.ts';

/** Builds and signs a legacy transaction at once, without promises; the first signer pays the fee. */
export function signedTransaction(
  instructions: readonly Instruction[],
  signers: readonly [Keypair, ...Keypair[]],
  lifetime: RecentBlockhash,
): Uint8Array {
  const compiled = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (message) => setTransactionMessageFeePayer(signers[0].address, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  );
  const signatures: Record<Address, SignatureBytes | null> = { ...compiled.signatures };
  for (const signer of signers) {
    // kit brands 64 bytes as a signature; these are one, just made.
    signatures[signer.address] = signer.sign(Uint8Array.from(compiled.messageBytes)) as SignatureBytes;
  }
  return Uint8Array.from(getTransactionEncoder().encode({ ...compiled, signatures }));
}
