import { address, lamports } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { readClassicMemoProgram } from './classic-memo-program.ts';

/** Puts the classic Memo program at the pinned address of a ledger that carries the newer one. */
export function installClassicMemoProgram(ledger: Ledger): void {
  const data = readClassicMemoProgram();
  ledger.setAccount({
    address: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    data,
    executable: true,
    lamports: lamports(ledger.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: address('BPFLoader2111111111111111111111111111111111'),
    space: BigInt(data.length),
  });
}
