import { address, lamports } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';

const certificate = address('42Ym56TQ7AKFThRv5nyoSABq5ZPgE2TLKo8BALZEtoU1');
const systemProgram = address('11111111111111111111111111111111');

/** Writes the account by which a cluster tells that it has migrated to Alpenglow, on a ledger that goes on as before. */
export function writeAlpenglowCertificate(ledger: Ledger): void {
  const data = Uint8Array.of(1);
  const space = BigInt(data.length);
  ledger.setAccount({
    address: certificate,
    programAddress: systemProgram,
    lamports: lamports(1n),
    data,
    space,
    executable: false,
  });
}
