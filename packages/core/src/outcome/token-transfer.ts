import type { Address } from '../addresses/address.ts';
import { isTokenProgram, systemProgram } from '../addresses/programs.ts';
import { readU32, readU64 } from '../bytes/little-endian.ts';
import { discriminators } from '../transaction/discriminators.ts';
import type { Instruction } from '../transaction/instruction.ts';

/** One transfer between token accounts, in whatever form an instruction makes it. */
export interface TokenTransfer {
  tokenProgram: Address;
  source: Address;
  /** `undefined` in an unchecked `Transfer`, which names none. */
  mint: Address | undefined;
  destination: Address;
  authority: Address;
  /** Base units that leave the source. */
  amount: bigint;
  /** `undefined` in an unchecked `Transfer`. */
  decimals: number | undefined;
  /** The accounts after its own, in order: references, hook accounts, the signers of a multisig authority. */
  references: readonly Address[];
}

/** A `TransferChecked`, which is what this service builds. */
export type CheckedTransfer = TokenTransfer & { mint: Address; decimals: number };

/**
 * Returns the transfers that one instruction of a token program makes, in order; none for any other instruction.
 *
 * Its forms are `Transfer`, `TransferChecked`, `TransferCheckedWithFee`, and any number of them in one `Batch`.
 */
export function tokenTransfersOf({ program, accounts, data }: Instruction): readonly TokenTransfer[] {
  if (!isTokenProgram(program)) return [];
  const addresses = accounts.map(({ address }) => address);
  if (data[0] === discriminators.batch) return transfersOfBatch(program, addresses, data);
  return transferOf(program, addresses, data) ?? [];
}

/** The `TransferChecked` instructions among these, in order: each by itself, not in a `Batch`. */
export function checkedTransfersOf(instructions: readonly Instruction[]): readonly CheckedTransfer[] {
  return instructions
    .filter(({ data }) => data[0] === discriminators.transferChecked)
    .flatMap(tokenTransfersOf)
    .filter(isChecked);
}

/** Returns the System `Transfer` that an instruction makes: to a token account of wrapped SOL, tokens once they are synced. */
export function lamportTransferOf({ program, accounts, data }: Instruction): readonly TokenTransfer[] {
  const [source, destination, ...references] = accounts.map(({ address }) => address);
  if (program !== systemProgram || data.length < 12 || readU32(data, 0) !== discriminators.systemTransfer) return [];
  if (!source || !destination) return [];
  const form = { tokenProgram: program, mint: undefined, decimals: undefined, authority: source };
  return [{ ...form, source, destination, amount: readU64(data, 4), references }];
}

function isChecked(transfer: TokenTransfer): transfer is CheckedTransfer {
  return transfer.mint !== undefined && transfer.decimals !== undefined;
}

// One byte counts the accounts of each, one the bytes of its data (p-token and token-2022 `process_batch`).
const batchHeaderBytes = 2;

function transfersOfBatch(program: Address, accounts: readonly Address[], data: Uint8Array): readonly TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  let firstAccount = 0;
  let offset = 1;
  while (offset + batchHeaderBytes <= data.length) {
    const lastAccount = firstAccount + (data[offset] ?? 0);
    const end = offset + batchHeaderBytes + (data[offset + 1] ?? 0);
    if (lastAccount > accounts.length || end > data.length) break;
    const own = data.subarray(offset + batchHeaderBytes, end);
    transfers.push(...(transferOf(program, accounts.slice(firstAccount, lastAccount), own) ?? []));
    firstAccount = lastAccount;
    offset = end;
  }
  return transfers;
}

// The token programs ignore bytes after those of the instruction, so a longer one pays as well.
function transferOf(
  tokenProgram: Address,
  accounts: readonly Address[],
  data: Uint8Array,
): [TokenTransfer] | undefined {
  if (data[0] === discriminators.transfer && data.length >= 9) {
    const [source, destination, authority, ...references] = accounts;
    if (!source || !destination || !authority) return undefined;
    const amount = readU64(data, 1);
    return [{ tokenProgram, source, mint: undefined, destination, authority, amount, decimals: undefined, references }];
  }
  const isWithFee = data[0] === discriminators.transferFee && data[1] === discriminators.transferCheckedWithFee;
  if (!isWithFee && data[0] !== discriminators.transferChecked) return undefined;
  const offset = isWithFee ? 2 : 1;
  const [source, mint, destination, authority, ...references] = accounts;
  const decimals = data[offset + 8];
  if (decimals === undefined || !source || !mint || !destination || !authority) return undefined;
  const amount = readU64(data, offset);
  return [{ tokenProgram, source, mint, destination, authority, amount, decimals, references }];
}
