import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { encodeBase58 } from '../../packages/core/src/index.ts';
import { usdc } from '../../packages/server/test/app/sample-bodies.ts';

/** Wallets with 240 landed transactions each, in one slot. */
export const busyWallets: readonly string[] = walletsOf(1, 1);

/** Wallets with pages of history without end. */
export const veryBusyWallets: readonly string[] = walletsOf(2, 200);

/** How many transfers a landed transaction of theirs makes: as many as its bytes have room for. */
export const transfersPerTransaction = 57;

/** The token account of the sandbox's USDC that belongs to a wallet. */
export function usdcAccountOf(wallet: string): string {
  return getAssociatedTokenAddressSync(new PublicKey(usdc), new PublicKey(wallet), true).toBase58();
}

function walletsOf(kind: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(32).fill(kind);
    // Drawn by trial: a wallet is on the curve.
    for (let trial = 0; ; trial += 1) {
      new DataView(bytes.buffer).setUint32(0, 1_000 * index + trial);
      if (PublicKey.isOnCurve(bytes)) return encodeBase58(bytes);
    }
  });
}
