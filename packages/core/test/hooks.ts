import { address } from '@solana/kit';
import { extension } from '@solana-program/token-2022';
import type { Account } from '../src/accounts/account.ts';
import { type Address, addressToBytes } from '../src/addresses/address.ts';
import { systemProgram } from '../src/addresses/programs.ts';
import { executeDiscriminator, hookValidationAddress } from '../src/plan/resolve-hook-accounts.ts';
import { accountOf, freshWallet, mintAccount } from './fixtures.ts';

/** A mint whose transfers call this program. */
export function hookedMint(program: Address): Account {
  const hook = { authority: address(systemProgram), programId: address(program) };
  return mintAccount({ extensions: [extension('TransferHook', hook)] });
}

/** A scene of a mint with a hook: the program, its list with these entries, or no list, and what else was read. */
export function hookScene(
  mint: Address,
  program: Address,
  entries: readonly number[][] | null,
  ...others: readonly (readonly [Address, Account | null])[]
) {
  const list = entries && accountOf(program, hookListOf(...entries));
  const read = [
    [program, accountOf(freshWallet(), [], true)],
    [hookValidationAddress(mint, program), list],
  ] as const;
  return { mint: hookedMint(program), others: [...read, ...others] };
}

/** An entry of a hook's list: 33 bytes that say what its address comes from, and the two flags. */
export function hookEntry(source: readonly number[], signer = 0, writable = 0): number[] {
  return [...source, ...Array(33 - source.length).fill(0), signer, writable];
}

/** The entry of a fixed address. */
export function literalEntry(address: Address, signer = 0, writable = 0): number[] {
  return hookEntry([0, ...addressToBytes(address)], signer, writable);
}

/** The data of the account that lists the extra accounts of a hook. */
export function hookListOf(...entries: readonly number[][]): Uint8Array {
  const head = Buffer.alloc(16);
  head.set(executeDiscriminator);
  head.writeUInt32LE(4 + 35 * entries.length, 8);
  head.writeUInt32LE(entries.length, 12);
  return Uint8Array.from([...head, ...entries.flat()]);
}
