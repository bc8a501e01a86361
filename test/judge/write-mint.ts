import type { Address } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { encodeMultisig } from './account-data.ts';
import { clockSysvar, fixedAddress, foreignProgram, somebody, systemProgram } from './addresses.ts';
import { writeHookAccountList } from './hook.ts';
import { encodeMint } from './mint-account.ts';
import type { Situation } from './situation.ts';
import { account, clearAccount, writeTokenAccount } from './token-account.ts';
import type { MintOddity } from './world.ts';

/** Writes what is at the address given as mint, and what its hook needs. The native mints are on the ledger from its start. */
export async function writeMint(ledger: Ledger, situation: Situation): Promise<void> {
  const { world, tokenProgram } = situation;
  switch (world.mint.kind) {
    case 'native':
      break;
    case 'classic':
      write(ledger, situation, tokenProgram, encodeMint(world, world.mint.decimals, [], epochOf(ledger)));
      break;
    case 'token_2022': {
      const { decimals, extensions } = world.mint;
      write(ledger, situation, tokenProgram, encodeMint(world, decimals, extensions, epochOf(ledger)));
      for (const extension of extensions) {
        if (extension.kind === 'transfer_hook') await writeHookAccountList(ledger, situation, extension.hook);
      }
      break;
    }
    case 'oddity':
      writeOddity(ledger, situation, world.mint.oddity);
  }
}

function writeOddity(ledger: Ledger, situation: Situation, oddity: MintOddity): void {
  const { world, mint, tokenProgram } = situation;
  switch (oddity) {
    case 'missing':
      clearAccount(ledger, mint);
      break;
    case 'wallet':
      write(ledger, situation, systemProgram, new Uint8Array());
      break;
    case 'foreign_program':
      write(ledger, situation, foreignProgram, encodeMint(world, 0, [], 0n));
      break;
    case 'uninitialized':
      write(ledger, situation, tokenProgram, new Uint8Array(82));
      break;
    case 'too_short':
      write(ledger, situation, tokenProgram, new Uint8Array(40));
      break;
    case 'multisig':
      write(ledger, situation, tokenProgram, encodeMultisig());
      break;
    case 'token_account': {
      const ofMint = fixedAddress('another mint');
      const fields = { ...situation, address: mint, mintWorld: world.mint, mint: ofMint, owner: somebody, amount: 1n };
      writeTokenAccount(ledger, fields);
    }
  }
}

function write(ledger: Ledger, { mint }: Situation, owner: Address, data: Uint8Array): void {
  ledger.setAccount(account(mint, owner, ledger.minimumBalanceForRentExemption(BigInt(data.length)), data));
}

function epochOf(ledger: Ledger): bigint {
  const data = ledger.getAccount(clockSysvar)?.data;
  if (!data) throw new Error('the ledger has no clock');
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(16, true);
}
