import {
  type AccountMeta,
  AccountRole,
  type Address,
  address,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import { findProgramDerivedAddress } from '../../packages/core/src/addresses/derived-addresses.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { installHookProgram } from './hook-program.ts';
import {
  add,
  addImmediate,
  andImmediate,
  assemble,
  callSyscall,
  exit,
  jump,
  jumpIfAtLeast,
  jumpIfEqual,
  jumpIfNot,
  loadByte,
  loadDoubleword,
  loadImmediate,
  move,
  moveImmediate,
  multiplyImmediate,
  type Step,
  storeByte,
  storeDoubleword,
} from './sbpf-assembler.ts';
import { encodeSbpfElf } from './sbpf-elf.ts';

/** Where tests put the proxy program. */
export const proxyProgram: Address = keypairFromName('splwright test proxy program').address;

/** Where tests put a program with a vault, for which it signs as that of a multisig does; and the vault. */
export const vaultProgram: Address = keypairFromName('splwright test vault program').address;
const derived = findProgramDerivedAddress(toAddress(vaultProgram), []);
export const vault: Address = address(derived.address);

/** Puts the program with a vault on a ledger. */
export function installVaultProgram(ledger: Ledger): void {
  installHookProgram(ledger, vaultProgram, encodeProxyProgram(derived.bump));
}

/** An instruction of the program with a vault that makes the calls of a message with the signature of the vault: a multisig's proposal. */
export function throughVault(message: ReadonlyUint8Array): Instruction {
  const { instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(message));
  const { data, accounts = [] } = throughProxy(instructions);
  const unsigned = accounts.map((each) => (each.address === vault ? { ...each, role: AccountRole.WRITABLE } : each));
  return {
    programAddress: vaultProgram,
    accounts: [{ address: vault, role: AccountRole.WRITABLE }, ...unsigned],
    data: data ?? new Uint8Array(),
  };
}

/** Puts the proxy program on a ledger. */
export function installProxyProgram(ledger: Ledger): void {
  installHookProgram(ledger, proxyProgram, encodeProxyProgram());
}

/**
 * An instruction of the proxy program that makes these calls, as smart wallets and vaults do: its own accounts, which it can be
 * given more of (`named`), then nothing but what the calls need. A call of the proxy program nests them.
 *
 * Throws `RangeError` for a call of more than 255 accounts or bytes.
 */
export function throughProxy(calls: readonly Instruction[], named: readonly Address[] = []): Instruction {
  const data: number[] = [];
  const accounts: AccountMeta[] = [];
  for (const { programAddress, accounts: own = [], data: ownData = new Uint8Array() } of calls) {
    if (own.length > 255 || ownData.length > 255) throw new RangeError('a call has at most 255 accounts and bytes');
    data.push(own.length, ownData.length, ...ownData);
    accounts.push({ address: programAddress, role: AccountRole.READONLY });
    for (const { address, role } of own) accounts.push({ address, role });
  }
  for (const address of named) accounts.push({ address, role: AccountRole.READONLY });
  return { programAddress: proxyProgram, accounts, data: Uint8Array.from(data) };
}

const heap = 0x3_0000_0000n;
// On the heap: a `SolAccountInfo` for each account, a `SolAccountMeta` for each, and one `SolInstruction` (`sol/cpi.h`).
const infos = heap;
const infoBytes = 56;
const metas = heap + 8_192n;
const metaBytes = 16;
const instructionAt = heap + 16_384n;
// One `SolSignerSeeds`, one `SolSignerSeed`, and the seed: the bump of the vault.
const seedsAt = heap + 20_480n;

/** Bytes that follow an account's data so that it can grow (`MAX_PERMITTED_DATA_INCREASE`). */
const growthBytes = 10_240;
/** The first byte of an account that is not one of those before it. */
const notDuplicate = 255;

/**
 * Makes a program that calls others. Its data: for each call u8 number of accounts, u8 length of the data, the data. Its
 * accounts: for each call the program, then the accounts of the call; what is left over is only named. Signatures are passed on.
 *
 * `vaultBump`: of the address that is derived from no other seed. Then that is the first account, before those of the calls, and signs.
 */
export function encodeProxyProgram(vaultBump?: number): Uint8Array {
  const isVault = vaultBump !== undefined;
  const steps = [...readAccounts(isVault), ...(isVault ? makeSeeds(vaultBump) : []), ...makeCalls(isVault)];
  return encodeSbpfElf(assemble(steps), 'sol_invoke_signed_c');
}

function makeSeeds(bump: number): readonly Step[] {
  return [
    loadImmediate(1, seedsAt + 32n),
    moveImmediate(2, bump),
    storeByte(1, 0, 2),
    loadImmediate(3, seedsAt + 16n),
    storeDoubleword(3, 0, 1),
    moveImmediate(2, 1),
    storeDoubleword(3, 8, 2),
    loadImmediate(1, seedsAt),
    storeDoubleword(1, 0, 3),
    storeDoubleword(1, 8, 2),
  ];
}

/** Marks the account at register 8 as a signer in the `SolAccountMeta` at register 5, where it is the first account. */
function signIfVault(): readonly Step[] {
  return [
    loadImmediate(2, infos),
    loadDoubleword(2, 2, 0),
    loadDoubleword(1, 8, 0),
    jumpIfEqual(1, 2, 'vault'),
    jump('not the vault'),
    { label: 'vault' },
    moveImmediate(1, 1),
    storeByte(5, 9, 1),
    { label: 'not the vault' },
  ];
}

/** Leaves the number of accounts in register 7, and the place of the data's length in register 6. */
function readAccounts(isVault: boolean): readonly Step[] {
  return [
    move(6, 1),
    loadDoubleword(7, 6, 0),
    addImmediate(6, 8),
    loadImmediate(8, infos),
    loadImmediate(5, metas),
    moveImmediate(9, 0),
    { label: 'account' },
    jumpIfEqual(9, 7, 'accounts read'),
    loadByte(1, 6, 0),
    jumpIfNot(1, notDuplicate, 'duplicate'),
    ...readAccount(),
    jump('account read'),
    { label: 'duplicate' },
    // Its first byte is the index of the account that it is.
    multiplyImmediate(1, infoBytes),
    loadImmediate(2, infos),
    add(2, 1),
    ...[0, 8, 16, 24, 32, 40, 48].flatMap((offset) => [loadDoubleword(3, 2, offset), storeDoubleword(8, offset, 3)]),
    addImmediate(6, 8),
    { label: 'account read' },
    loadDoubleword(1, 8, 0),
    storeDoubleword(5, 0, 1),
    loadByte(1, 8, 49),
    storeByte(5, 8, 1),
    loadByte(1, 8, 48),
    storeByte(5, 9, 1),
    ...(isVault ? signIfVault() : []),
    addImmediate(8, infoBytes),
    addImmediate(5, metaBytes),
    addImmediate(9, 1),
    jump('account'),
    { label: 'accounts read' },
  ];
}

/** Writes the `SolAccountInfo` of the account at register 6 to register 8, and leaves the next account's place in 6. */
function readAccount(): readonly Step[] {
  const place = (offset: number, field: number): Step[] => [
    move(2, 6),
    addImmediate(2, offset),
    storeDoubleword(8, field, 2),
  ];
  return [
    // After the marker, three flags and padding: key, owner, lamports, length, data.
    ...place(8, 0),
    ...place(72, 8),
    loadDoubleword(3, 6, 80),
    storeDoubleword(8, 16, 3),
    ...place(88, 24),
    ...place(40, 32),
    move(2, 6),
    addImmediate(2, 88 + growthBytes + 7),
    add(2, 3),
    andImmediate(2, -8),
    loadDoubleword(3, 2, 0),
    storeDoubleword(8, 40, 3),
    // Signer, writable, executable.
    ...[1, 2, 3].flatMap((offset) => [loadByte(3, 6, offset), storeByte(8, 47 + offset, 3)]),
    move(6, 2),
    addImmediate(6, 8),
  ];
}

/** Makes the calls that the data at register 6 says, with the accounts, whose number is in register 7. */
function makeCalls(isVault: boolean): readonly Step[] {
  return [
    loadDoubleword(9, 6, 0),
    addImmediate(6, 8),
    // The end of the data.
    add(9, 6),
    // The `SolAccountMeta` of the next call's program.
    loadImmediate(8, isVault ? metas + BigInt(metaBytes) : metas),
    { label: 'call' },
    jumpIfAtLeast(6, 9, 'done'),
    loadByte(1, 6, 0),
    loadByte(2, 6, 1),
    addImmediate(6, 2),
    loadImmediate(3, instructionAt),
    loadDoubleword(4, 8, 0),
    storeDoubleword(3, 0, 4),
    addImmediate(8, metaBytes),
    storeDoubleword(3, 8, 8),
    storeDoubleword(3, 16, 1),
    storeDoubleword(3, 24, 6),
    storeDoubleword(3, 32, 2),
    add(6, 2),
    multiplyImmediate(1, metaBytes),
    add(8, 1),
    move(1, 3),
    loadImmediate(2, infos),
    move(3, 7),
    ...(isVault ? [loadImmediate(4, seedsAt), moveImmediate(5, 1)] : [moveImmediate(4, 0), moveImmediate(5, 0)]),
    // Does not come back when the call fails.
    callSyscall(),
    jump('call'),
    { label: 'done' },
    moveImmediate(0, 0),
    exit(),
  ];
}
