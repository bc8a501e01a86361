import type { ReadAccounts } from '../accounts/account.ts';
import { type Address, addressFromBytes, addressToBytes } from '../addresses/address.ts';
import { findProgramDerivedAddress } from '../addresses/derived-addresses.ts';
import { readU32, writeU64 } from '../bytes/little-endian.ts';
import type { HookRefusal } from '../findings/finding-faults.ts';
import { type AccountMeta, role } from '../transaction/instruction.ts';

/** One part of what an extra account's address is derived from. Indices count the accounts of the hook's instruction. */
export type HookSeed =
  | { kind: 'literal'; bytes: Uint8Array }
  | { kind: 'instruction_data'; index: number; length: number }
  | { kind: 'account_key'; index: number }
  | { kind: 'account_data'; accountIndex: number; dataIndex: number; length: number };

/** Where the address of an extra account comes from. */
export type HookAddressSource =
  | { kind: 'literal'; bytes: Uint8Array }
  | { kind: 'hook_pda'; seeds: readonly HookSeed[] }
  | { kind: 'account_pda'; programIndex: number; seeds: readonly HookSeed[] }
  | { kind: 'instruction_data'; index: number }
  | { kind: 'account_data'; accountIndex: number; dataIndex: number };

/** An account that a transfer hook wants to be handed beside those of the transfer. */
export interface HookExtraAccount {
  source: HookAddressSource;
  signer: boolean;
  writable: boolean;
}

/** SHA-256("spl-transfer-hook-interface:execute"), first 8 bytes: the hook's instruction, and the type of its account list. */
export const executeDiscriminator = Uint8Array.of(105, 37, 101, 197, 75, 251, 102, 26);

// The list is one type-length-value entry: 8 bytes of type, a u32 of length, then a u32 of count and 35 bytes each
// (spl-tlv-account-resolution `ExtraAccountMeta`, `Seed`, `PubkeyData`).
const countOffset = 12;
const entriesOffset = 16;
const entryLength = 35;
const firstProgramIndexDiscriminator = 128;

/**
 * Reads the list of extra accounts from a hook's validation account, or `undefined` when the data is no such list.
 *
 * `discriminator`: of the instruction that the accounts are for, which differs where the list is not a hook's.
 */
export function decodeHookAccountList(
  data: Uint8Array,
  discriminator = executeDiscriminator,
): readonly HookExtraAccount[] | undefined {
  if (data.length < entriesOffset || discriminator.some((byte, index) => data[index] !== byte)) return undefined;
  const count = readU32(data, countOffset);
  if (entriesOffset + count * entryLength > data.length) return undefined;
  const accounts: HookExtraAccount[] = [];
  for (let index = 0; index < count; index++) {
    const start = entriesOffset + index * entryLength;
    const source = decodeSource(data[start] ?? 0, data.subarray(start + 1, start + 33));
    if (!source) return undefined;
    accounts.push({ source, signer: data[start + 33] === 1, writable: data[start + 34] === 1 });
  }
  return accounts;
}

function decodeSource(discriminator: number, config: Uint8Array): HookAddressSource | undefined {
  if (discriminator === 0) return { kind: 'literal', bytes: config };
  if (discriminator === 2) return decodePubkeyData(config);
  const seeds = decodeSeeds(config);
  if (!seeds) return undefined;
  if (discriminator === 1) return { kind: 'hook_pda', seeds };
  if (discriminator < firstProgramIndexDiscriminator) return undefined;
  return { kind: 'account_pda', programIndex: discriminator - firstProgramIndexDiscriminator, seeds };
}

function decodePubkeyData(config: Uint8Array): HookAddressSource | undefined {
  const [kind, first = 0, second = 0] = config;
  if (kind === 1) return { kind: 'instruction_data', index: first };
  if (kind === 2) return { kind: 'account_data', accountIndex: first, dataIndex: second };
  return undefined;
}

function decodeSeeds(config: Uint8Array): readonly HookSeed[] | undefined {
  const seeds: HookSeed[] = [];
  let offset = 0;
  while (offset < config.length && config[offset] !== 0) {
    const [kind, first = 0, second = 0, third = 0] = config.subarray(offset);
    switch (kind) {
      case 1:
        seeds.push({ kind: 'literal', bytes: config.subarray(offset + 2, offset + 2 + first) });
        offset += 2 + first;
        break;
      case 2:
        seeds.push({ kind: 'instruction_data', index: first, length: second });
        offset += 3;
        break;
      case 3:
        seeds.push({ kind: 'account_key', index: first });
        offset += 2;
        break;
      case 4:
        seeds.push({ kind: 'account_data', accountIndex: first, dataIndex: second, length: third });
        offset += 4;
        break;
      default:
        return undefined;
    }
    if (offset > config.length) return undefined;
  }
  return seeds;
}

/** The transfer that a hook is called for. */
export interface HookedTransfer extends HookMemory {
  hookProgram: Address;
  source: Address;
  mint: Address;
  destination: Address;
  authority: Address;
  /** Who signs the transaction: none of the extra accounts may be one of them. */
  signers: readonly Address[];
  /** Base units. */
  amount: bigint;
}

/** What a hook needs: the accounts to append to the transfer, further accounts to read first, or why it cannot be had. */
export type HookResolution =
  | { accounts: readonly AccountMeta[] }
  | { needs: readonly Address[] }
  | { unresolvable: HookRefusal };

// The runtime derives from at most 16 seeds, the bump among them, of at most 32 bytes (`MAX_SEEDS`, `MAX_SEED_LEN`).
const maxSeeds = 16;
const maxSeedLength = 32;

const validationSeed = new TextEncoder().encode('extra-account-metas');

/** The account in which a hook program keeps its list of extra accounts for a mint. */
export function hookValidationAddress(mint: Address, hookProgram: Address): Address {
  return findProgramDerivedAddress(hookProgram, [validationSeed, addressToBytes(mint)]).address;
}

/**
 * Resolves the accounts that must follow a hooked transfer's own: the extra ones, the hook program, its validation account.
 *
 * Follows spl-tlv-account-resolution, whose order of accounts (source, mint, destination, authority, validation account, then
 * the extra ones) the indices in the list count.
 */
export function resolveHookAccounts(transfer: HookedTransfer, read: ReadAccounts): HookResolution {
  const { hookProgram } = transfer;
  const validationAddress = hookValidationAddress(transfer.mint, hookProgram);
  const program = read.get(hookProgram);
  const validation = read.get(validationAddress);
  if (program === undefined || validation === undefined) return { needs: [hookProgram, validationAddress] };
  if (!program?.executable) return { unresolvable: { kind: 'program_not_found', program: hookProgram } };
  if (validation?.owner !== hookProgram) {
    return { unresolvable: { kind: 'list_not_found', program: hookProgram, list: validationAddress } };
  }
  const list = decodeHookAccountList(validation.data);
  if (!list) return { unresolvable: { kind: 'list_unreadable', list: validationAddress } };

  const max = maxExtraAccounts(list, transfer);
  if (list.length > max) {
    const { demandedMemoBytes } = transfer;
    return { unresolvable: { kind: 'too_many_accounts', count: list.length, max, demandedMemoBytes } };
  }

  const { source, mint, destination, authority, signers } = transfer;
  const own = [source, mint, destination, authority, validationAddress].map(role.readonly);
  const instructionData = new Uint8Array(16);
  instructionData.set(executeDiscriminator);
  writeU64(instructionData, 8, transfer.amount);
  const execute = { program: hookProgram, instructionData, accounts: own, signers };
  const resolver = new ExtraAccountResolver(execute, read);
  const extras: AccountMeta[] = [];
  for (const extra of list) {
    const resolved = resolver.resolve(extra);
    if (!('meta' in resolved)) return resolved;
    extras.push(resolved.meta);
  }
  return { accounts: [...extras, role.readonly(hookProgram), role.readonly(validationAddress)] };
}

/** The instruction whose extra accounts are resolved: a hook's, or another one of the same interface. */
export interface ExtendedInstruction {
  program: Address;
  instructionData: Uint8Array;
  /** Those that it has before the extra ones, with what it may do to each. */
  accounts: readonly AccountMeta[];
  /** The signers of the transaction, none of which may be an extra account: old versions of Token-2022 passed their signatures on. */
  signers: readonly Address[];
}

type Resolved<T> = T | Exclude<HookResolution, { accounts: unknown }>;

/** Resolves the extra accounts of an instruction, one after another in the order of their list. */
export class ExtraAccountResolver {
  readonly #program: Address;
  /** The accounts of the instruction so far, with what it lets its program do to each. */
  readonly #accounts: AccountMeta[];
  readonly #read: Pick<ReadAccounts, 'get'>;
  readonly #instructionData: Uint8Array;
  readonly #signers: readonly Address[];

  constructor({ program, instructionData, accounts, signers }: ExtendedInstruction, read: Pick<ReadAccounts, 'get'>) {
    this.#program = program;
    this.#accounts = [...accounts];
    this.#read = read;
    this.#instructionData = instructionData;
    this.#signers = signers;
  }

  /** Returns the account of an entry of the list, further accounts to read first, or why it cannot be had. */
  resolve(extra: HookExtraAccount): Resolved<{ meta: AccountMeta }> {
    const resolved = this.#resolveAddress(extra.source);
    if (!('address' in resolved)) return resolved;
    const { address } = resolved;
    if (this.#signers.includes(address)) return { unresolvable: { kind: 'signer_named', signer: address } };
    // An account that is there already keeps the rights it has, as the token program does before it calls the hook.
    const same = this.#accounts.filter((account) => account.address === address);
    const meta = {
      address,
      signer: extra.signer && (same.length === 0 || same.some((account) => account.signer)),
      writable: extra.writable && (same.length === 0 || same.some((account) => account.writable)),
    };
    this.#accounts.push(meta);
    return meta.signer ? { unresolvable: { kind: 'signature_demanded', signer: address } } : { meta };
  }

  #resolveAddress(source: HookAddressSource): Resolved<{ address: Address }> {
    switch (source.kind) {
      case 'literal':
        return { address: addressFromBytes(source.bytes) };
      case 'account_data': {
        const part = this.#slice(source.accountIndex, source.dataIndex, 32);
        return 'bytes' in part ? { address: addressFromBytes(part.bytes) } : part;
      }
      case 'hook_pda':
        return this.#derive(this.#program, source.seeds);
      case 'account_pda': {
        const program = this.#accounts[source.programIndex]?.address;
        return program === undefined ? missingPart : this.#derive(program, source.seeds);
      }
      // The instruction has 16 bytes at most, too few for an address.
      case 'instruction_data':
        return missingPart;
    }
  }

  #derive(program: Address, seeds: readonly HookSeed[]): Resolved<{ address: Address }> {
    const parts: Uint8Array[] = [];
    for (const seed of seeds) {
      const part = this.#seedBytes(seed);
      if (!('bytes' in part)) return part;
      parts.push(part.bytes);
    }
    const isWithinLimits = parts.length < maxSeeds && parts.every((part) => part.length <= maxSeedLength);
    return isWithinLimits ? { address: findProgramDerivedAddress(program, parts).address } : missingPart;
  }

  #seedBytes(seed: HookSeed): Resolved<{ bytes: Uint8Array }> {
    switch (seed.kind) {
      case 'literal':
        return { bytes: seed.bytes };
      case 'instruction_data':
        return slice(this.#instructionData, seed.index, seed.length);
      case 'account_key': {
        const address = this.#accounts[seed.index]?.address;
        return address === undefined ? missingPart : { bytes: addressToBytes(address) };
      }
      case 'account_data':
        return this.#slice(seed.accountIndex, seed.dataIndex, seed.length);
    }
  }

  #slice(index: number, offset: number, length: number): Resolved<{ bytes: Uint8Array }> {
    const address = this.#accounts[index]?.address;
    if (address === undefined) return missingPart;
    const account = this.#read.get(address);
    if (account === undefined) return { needs: [address] };
    if (!account) return { unresolvable: { kind: 'account_not_found', account: address } };
    return slice(account.data, offset, length);
  }
}

const missingPart = { unresolvable: { kind: 'data_not_found' } } as const;

function slice(data: Uint8Array, offset: number, length: number): Resolved<{ bytes: Uint8Array }> {
  return offset + length <= data.length ? { bytes: data.subarray(offset, offset + length) } : missingPart;
}

/** What a hooked transfer has that takes memory of Token-2022 in addition to the hook's own accounts. */
export interface HookMemory {
  /** Accounts between the transfer's own and the hook's. */
  referenceCount: number;
  /** Bytes of the memo, where the recipient's token account demands one: Token-2022 reads all of it. 0 where it does not. */
  demandedMemoBytes: number;
}

/**
 * The most extra accounts with which a hook runs.
 *
 * Token-2022 finds them and builds the hook's instruction on a heap of 32 KiB that it never frees. Measured, with 0 to 10
 * references, every number of seeds, of up to 30 bytes, and memos of up to 3,700 bytes: room for seeds doubles at 1, 5 and 9.
 */
export function maxExtraAccounts(list: readonly HookExtraAccount[], memory: HookMemory): number {
  const maxSeeds = Math.max(0, ...list.map((extra) => seedsOf(extra).length));
  const withoutMemo = maxWithoutMemo(maxSeeds, Math.max(0, ...list.map(literalMemory)), memory.referenceCount);
  return memory.demandedMemoBytes === 0 ? withoutMemo : Math.min(withoutMemo, maxWithMemo(maxSeeds, memory));
}

function maxWithoutMemo(maxSeeds: number, maxLiteralMemory: number, referenceCount: number): number {
  if (maxSeeds > 8) return 11;
  if (maxSeeds > 4) return 13;
  if (referenceCount > 2) return 14;
  // Of each extra account a reference takes as much as eight bytes of literal seeds.
  return maxLiteralMemory + 8 * referenceCount <= 24 ? 15 : 14;
}

// In bytes of memo, rounded so that all that was measured stays within: what is left to a memo by the most extra accounts
// that run with one, what a reference takes of that, and what each extra account fewer leaves.
const roomForMemo = 1_000;
const memoBytesOfReference = 60;
const memoBytesOfExtra = 1_300;

function maxWithMemo(maxSeeds: number, { referenceCount, demandedMemoBytes }: HookMemory): number {
  const most = maxSeeds > 8 ? 11 : maxSeeds > 4 ? 13 : maxSeeds > 0 ? 14 : 15;
  const missing = demandedMemoBytes + memoBytesOfReference * referenceCount - roomForMemo;
  return missing <= 0 ? most : most - Math.ceil(missing / memoBytesOfExtra);
}

function seedsOf({ source }: HookExtraAccount): Extract<HookExtraAccount['source'], { seeds: unknown }>['seeds'] {
  return 'seeds' in source ? source.seeds : [];
}

// Literal seeds are copied, each to a multiple of eight bytes; the others are used where they are.
function literalMemory(extra: HookExtraAccount): number {
  return seedsOf(extra).reduce((sum, seed) => sum + ('bytes' in seed ? Math.ceil(seed.bytes.length / 8) * 8 : 0), 0);
}
