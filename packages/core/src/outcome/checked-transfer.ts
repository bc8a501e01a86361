import type { Address } from '../addresses/address.ts';
import { isTokenProgram } from '../addresses/programs.ts';
import { readU64 } from '../bytes/little-endian.ts';
import { discriminators } from '../transaction/discriminators.ts';
import type { Instruction } from '../transaction/instruction.ts';

/** One `TransferChecked` of a transaction. */
export interface CheckedTransfer {
  tokenProgram: Address;
  source: Address;
  mint: Address;
  destination: Address;
  authority: Address;
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** The accounts after its own four, in order: references, hook accounts, the signers of a multisig authority. */
  references: readonly Address[];
}

/** The `TransferChecked` instructions at the top level of a transaction, in order. */
export function checkedTransfersOf(instructions: readonly Instruction[]): CheckedTransfer[] {
  return instructions.flatMap((instruction) => readCheckedTransfer(instruction) ?? []);
}

// The token programs ignore bytes after the ten, so a longer one pays as well.
function readCheckedTransfer({ program, accounts, data }: Instruction): CheckedTransfer | undefined {
  if (!isTokenProgram(program) || data[0] !== discriminators.transferChecked) return undefined;
  if (data.length < 10 || accounts.length < 4) return undefined;
  const [source, mint, destination, authority, ...others] = accounts;
  if (!source || !mint || !destination || !authority) return undefined;
  return {
    tokenProgram: program,
    source: source.address,
    mint: mint.address,
    destination: destination.address,
    authority: authority.address,
    amount: readU64(data, 1),
    decimals: data[9] ?? 0,
    references: others.map(({ address }) => address),
  };
}
