import { type Address, addressFromBytes, addressToBytes } from '../addresses/address.ts';
import { type DerivedAddress, findProgramDerivedAddress } from '../addresses/derived-addresses.ts';
import { isAddressInData } from '../addresses/known-addresses.ts';
import { tokenAclProgram } from '../addresses/programs.ts';
import type { Account } from './account.ts';

// `MintConfig` of the Token ACL program (token-acl `program/src/state.rs`): discriminator, bump, whether anyone may thaw, whether
// anyone may freeze, mint, freeze authority, gate program.
const configurationLength = 100;
const configurationDiscriminator = 1;
const permissionlessThawOffset = 2;
const mintOffset = 4;
const gateProgramOffset = 68;

const configurationSeed = new TextEncoder().encode('MINT_CONFIG');
const flagSeed = new TextEncoder().encode('FLAG_ACCOUNT');

/** The account in which the Token ACL program keeps its configuration of a mint, and which is the mint's freeze authority. */
export function tokenAclConfigurationAddress(mint: Address): Address {
  return findProgramDerivedAddress(tokenAclProgram, [configurationSeed, addressToBytes(mint)]).address;
}

/** The account that exists while the gate program is asked about a token account. */
export function thawFlagAddress(tokenAccount: Address): DerivedAddress {
  return findProgramDerivedAddress(tokenAclProgram, [flagSeed, addressToBytes(tokenAccount)]);
}

/** Returns the program that decides who may be thawed, or `undefined` when the account is no configuration of the mint that lets anyone thaw. */
export function permissionlessThawGate(account: Account | null, mint: Address): Address | undefined {
  if (account?.owner !== tokenAclProgram || account.data.length !== configurationLength) return undefined;
  const { data } = account;
  const isOpen = data[0] === configurationDiscriminator && data[permissionlessThawOffset] === 1;
  if (!isOpen || !isAddressInData(data, mintOffset, mint)) return undefined;
  return addressFromBytes(data.subarray(gateProgramOffset, configurationLength));
}
