import type { Address } from '@solana/kit';
import {
  type ExtraAccountMeta,
  type ExtraAccountMetaConfig,
  type ExtraAccountMetaPubkeyData,
  type ExtraAccountMetaSeed,
  findExtraAccountMetaListPda,
  getExtraAccountMetasEncoder,
} from '@solana-program/token-2022';

/** How many accounts Execute has before the extra ones. */
export const executeAccounts = 5;

/** What an extra account may do in the hook's instruction; nothing unless told otherwise. */
interface ExtraAccountPrivileges {
  isSigner?: boolean;
  isWritable?: boolean;
}

/** What stands before the entry in the validation account: the discriminator of Execute, then a u32 length. */
const executeDiscriminator = [105, 37, 101, 197, 75, 251, 102, 26];
const entryPrefixBytes = 12;

/** Gives the address of the account that holds a mint's extra account metas. */
export async function validationAddressOf(mint: Address, hookProgram: Address): Promise<Address> {
  const [validationAddress] = await findExtraAccountMetaListPda({ mint }, { programAddress: hookProgram });
  return validationAddress;
}

/**
 * Writes the data of a validation account: 8 bytes of discriminator, a u32 length of what follows, a u32 count, and 35
 * bytes for each meta. Throws when a meta's seeds take more than 32 bytes. `discriminator`: of another instruction than Execute.
 */
export function encodeExtraAccountMetaList(
  metas: readonly ExtraAccountMeta[],
  discriminator: readonly number[] = executeDiscriminator,
): Uint8Array {
  // The library's encoder leaves the twelve bytes of the prefix zero.
  const data = Buffer.from(getExtraAccountMetasEncoder().encode([...metas]));
  data.set(discriminator);
  data.writeUInt32LE(data.length - entryPrefixBytes, discriminator.length);
  return Uint8Array.from(data);
}

function toMeta(config: ExtraAccountMetaConfig, privileges: ExtraAccountPrivileges = {}): ExtraAccountMeta {
  return { config, isSigner: privileges.isSigner ?? false, isWritable: privileges.isWritable ?? false };
}

/** An extra account with a fixed address. */
export function literalMeta(address: Address, privileges?: ExtraAccountPrivileges): ExtraAccountMeta {
  return toMeta({ __kind: 'Literal', address }, privileges);
}

/** An extra account whose address is derived from the hook program and seeds. */
export function hookPdaMeta(seeds: ExtraAccountMetaSeed[], privileges?: ExtraAccountPrivileges): ExtraAccountMeta {
  return toMeta({ __kind: 'ProgramPda', seeds }, privileges);
}

/** An extra account whose address is derived from seeds and the program at this index of Execute's accounts. */
export function accountPdaMeta(
  accountIndex: number,
  seeds: ExtraAccountMetaSeed[],
  privileges?: ExtraAccountPrivileges,
): ExtraAccountMeta {
  return toMeta({ __kind: 'AccountPda', accountIndex, seeds }, privileges);
}

/**
 * An extra account whose address is read from the instruction's data or an account's. The data of Execute (8 bytes of
 * discriminator, a u64 amount) is too short to hold one, so that kind can never be resolved.
 */
export function pubkeyDataMeta(
  pubkeyData: ExtraAccountMetaPubkeyData,
  privileges?: ExtraAccountPrivileges,
): ExtraAccountMeta {
  return toMeta({ __kind: 'PubkeyData', pubkeyData }, privileges);
}

/** A seed of fixed text, in UTF-8. */
export function literalSeed(text: string): ExtraAccountMetaSeed {
  return { __kind: 'Literal', bytes: new TextEncoder().encode(text) };
}

/** A seed out of the data of Execute: the amount is at index 8, 8 bytes long. */
export function instructionDataSeed(index: number, length: number): ExtraAccountMetaSeed {
  return { __kind: 'InstructionData', index, length };
}

/** A seed that is the address at this index of Execute's accounts, earlier extra ones included. */
export function accountKeySeed(index: number): ExtraAccountMetaSeed {
  return { __kind: 'AccountKey', index };
}

/** A seed out of the data of the account at this index of Execute's accounts. */
export function accountDataSeed(accountIndex: number, dataIndex: number, length: number): ExtraAccountMetaSeed {
  return { __kind: 'AccountData', accountIndex, dataIndex, length };
}
