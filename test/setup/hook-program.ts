import { type Address, address, lamports } from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { exit, loadDoubleword, moveImmediate, skipIfEqual } from './sbpf-assembler.ts';
import { encodeSbpfElf } from './sbpf-elf.ts';

/** The custom error of `countingHook` when it is given another number of accounts. */
export const wrongAccountCount = 7;

/** Makes a transfer hook program that accepts every transfer. */
export function acceptingHook(): Uint8Array {
  return encodeSbpfElf(Buffer.concat([moveImmediate(0, 0), exit()]));
}

/**
 * Makes a transfer hook program that accepts a transfer when it is given exactly so many accounts, and otherwise fails
 * with the custom error `WRONG_ACCOUNT_COUNT`.
 *
 * Execute has five accounts (source, mint, destination, authority, validation account) and then the extra ones; the
 * serialized input begins with their number as a u64. Throws `RangeError` past an i32.
 */
export function countingHook(expectedAccounts: number): Uint8Array {
  return encodeSbpfElf(
    Buffer.concat([
      loadDoubleword(2, 1, 0),
      moveImmediate(0, 0),
      skipIfEqual(2, expectedAccounts, 1),
      moveImmediate(0, wrongAccountCount),
      exit(),
    ]),
  );
}

/**
 * Makes a transfer hook program that fails every transfer with this custom error.
 * Throws `RangeError` for a code outside 1 to 2^32 - 1: a program that returns 0 succeeds.
 */
export function refusingHook(code: number): Uint8Array {
  if (!Number.isInteger(code) || code < 1 || code > 0xffff_ffff) throw new RangeError(`no custom error: ${code}`);
  return encodeSbpfElf(Buffer.concat([moveImmediate(0, code), exit()]));
}

/** Puts a program at an address of the ledger, in place of the one there. Throws when the loader does not accept it. */
export function installHookProgram(ledger: Ledger, programAddress: Address, program: Uint8Array): void {
  ledger.setAccount({
    address: programAddress,
    data: program,
    executable: true,
    lamports: lamports(ledger.minimumBalanceForRentExemption(BigInt(program.length))),
    programAddress: address('BPFLoader2111111111111111111111111111111111'),
    space: BigInt(program.length),
  });
}
