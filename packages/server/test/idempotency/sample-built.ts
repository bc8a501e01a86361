import { toAddress } from '../../../core/src/addresses/address.ts';
import { encodeBase58 } from '../../../core/src/addresses/base58.ts';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { role } from '../../../core/src/transaction/instruction.ts';
import type { BuiltReply } from '../../src/idempotency/idempotent-request.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

// TransferChecked of 7 base units with 6 decimals.
const data = Uint8Array.of(12, 7, 0, 0, 0, 0, 0, 0, 0, 6);

/** The reply with a transfer of 7 base units, its bytes different for each number from 0 to 2^32-1. */
export function sampleBuilt(number: number, lastValidBlockHeight: bigint | undefined = 1000n): BuiltReply {
  const lifetime = Buffer.alloc(32);
  lifetime.writeUInt32BE(number, 28);
  const bytes = encodeTransaction({
    version: 'legacy',
    feePayer: toAddress(alice),
    instructions: [
      {
        program: tokenProgram,
        // Any addresses do for the token accounts.
        accounts: [
          role.writable(toAddress('8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t')),
          role.readonly(toAddress(usdc)),
          role.writable(toAddress(bob)),
          role.readonlySigner(toAddress(alice)),
        ],
        data,
      },
    ],
    lifetimeToken: encodeBase58(lifetime),
    config: undefined,
  });
  return {
    reply: `{"data":${number}}`,
    headers: { 'solana-blockhash': encodeBase58(lifetime) },
    transactions: [{ bytes, lastValidBlockHeight }],
  };
}
