import type { Account, ReadAccounts } from '../accounts/account.ts';
import { permissionlessThawGate, thawFlagAddress, tokenAclConfigurationAddress } from '../accounts/token-acl.ts';
import { isVacant, type Mint, newFrozenAccountData, type TokenAccount } from '../accounts/token-state.ts';
import { type Address, addressToBytes } from '../addresses/address.ts';
import { type DerivedAddress, findProgramDerivedAddress } from '../addresses/derived-addresses.ts';
import { token2022Program, tokenAclProgram } from '../addresses/programs.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { role } from '../transaction/instruction.ts';
import { decodeHookAccountList, ExtraAccountResolver } from './resolve-hook-accounts.ts';

/** The thaw of a token account by the Token ACL program. */
export interface Thaw {
  /** That of the mint, which is its freeze authority. */
  configuration: Address;
  /** There while the gate program runs. */
  flag: Address;
  /** Decides whether the token account may be thawed. */
  gateProgram: Address;
  /** The list of what the gate program wants to read, then what it lists, in this order. */
  gateAccounts: readonly Address[];
  /** How many addresses the programs try before they find the flag and the list. */
  bumpSteps: number;
}

/** SHA-256("efficient-allow-block-list-standard:can-thaw-permissionless"), first 8 bytes: the gate's instruction, and the type of its list. */
export const canThawDiscriminator = Uint8Array.of(8, 175, 169, 129, 137, 74, 61, 241);

const listSeed = new TextEncoder().encode('thaw_extra_account_metas');

/** The account in which a gate program lists what it wants to read of a mint. */
export function gateListAddress(mint: Address, gateProgram: Address): DerivedAddress {
  return findProgramDerivedAddress(gateProgram, [listSeed, addressToBytes(mint)]);
}

/** A token account that is to be paid, and whose. */
export interface PaidTokenAccount {
  owner: Address;
  address: Address;
  /** `undefined` where it is created. */
  state: TokenAccount | undefined;
}

/** The parts of a request that a thaw depends on, and the token account that it is paid from. */
export type ThawRequest = Pick<
  TransferRequest,
  'createTokenAccount' | 'from' | 'feePayer' | 'layout' | 'mint' | 'nonceAccount'
> & {
  senderTokenAccount: Address;
  nonceAuthority?: Address | undefined;
};

/**
 * Returns how a frozen token account is thawed in the transaction that pays it, or the accounts that must be read first.
 *
 * No thaw where the account is not frozen, where the request wants nothing made ready, where the mint's freeze authority is no Token
 * ACL configuration that lets anyone thaw, and where anything else is in doubt. Whether the gate program agrees, only a simulation shows.
 */
export function resolveThaw(
  request: ThawRequest,
  mint: Pick<Mint, 'freezesNewAccounts' | 'thawAuthority'>,
  paid: PaidTokenAccount,
  read: ReadAccounts,
): { thaw: Thaw | undefined } | { needs: readonly Address[] } {
  const { state, owner } = paid;
  // What the issuer of another mint froze, or what now belongs to another owner, stays as it is.
  const isFrozen = mint.freezesNewAccounts && (!state || (state.isFrozen && state.owner === owner));
  // The layouts of others have no place for a thaw.
  if (!isFrozen || request.createTokenAccount === 'never' || request.layout !== 'default') return noThaw;
  const configuration = tokenAclConfigurationAddress(request.mint);
  if (mint.thawAuthority !== configuration) return noThaw;

  const flag = thawFlagAddress(paid.address);
  const configurationAccount = read.get(configuration);
  const flagAccount = read.get(flag.address);
  if (configurationAccount === undefined || flagAccount === undefined) return { needs: [configuration, flag.address] };
  const gateProgram = permissionlessThawGate(configurationAccount, request.mint);
  if (gateProgram === undefined || !canHoldFlag(flagAccount, request)) return noThaw;

  const list = gateListAddress(request.mint, gateProgram);
  const program = read.get(gateProgram);
  const listAccount = read.get(list.address);
  if (program === undefined || listAccount === undefined) return { needs: [gateProgram, list.address] };
  if (!program?.executable || listAccount?.owner !== gateProgram) return noThaw;
  const gate = { program: gateProgram, list: list.address, listData: listAccount.data, flag: flag.address };
  const accounts = resolveGateAccounts(request, gate, paid, read);
  if (!accounts) return noThaw;
  if ('needs' in accounts) return accounts;
  const bumpSteps = 255 - flag.bump + (255 - list.bump);
  const gateAccounts = [list.address, ...accounts.extras];
  return { thaw: { configuration, flag: flag.address, gateProgram, gateAccounts, bumpSteps } };
}

const noThaw = { thaw: undefined };

// What lies at the address of the flag goes to the caller in the end, which the sender can take only where it also pays the fee.
function canHoldFlag(account: Account | null, { from, feePayer }: ThawRequest): boolean {
  return account === null || (isVacant(account) && from === feePayer);
}

interface Gate {
  program: Address;
  list: Address;
  listData: Uint8Array;
  flag: Address;
}

// Returns what follows the list, or undefined where the gate may not have it: it asks for a signature or for something to write,
// or names what the payer stakes in this transaction.
function resolveGateAccounts(
  request: ThawRequest,
  { program, list, listData, flag }: Gate,
  paid: PaidTokenAccount,
  read: ReadAccounts,
): { extras: readonly Address[] } | { needs: readonly Address[] } | undefined {
  const entries = decodeHookAccountList(listData, canThawDiscriminator);
  if (!entries || entries.some((entry) => entry.signer || entry.writable)) return undefined;
  const { from, mint, senderTokenAccount, feePayer, nonceAccount, nonceAuthority } = request;
  const accounts = [from, paid.address, mint, paid.owner, flag, list].map(role.readonly);
  const known = whileGateRuns(read, mint, paid, flag);
  const instruction = { program, instructionData: canThawDiscriminator, accounts, signers: [] };
  const resolver = new ExtraAccountResolver(instruction, known);
  const extras: Address[] = [];
  for (const entry of entries) {
    const resolved = resolver.resolve(entry);
    if ('needs' in resolved) return resolved;
    if ('unresolvable' in resolved) return undefined;
    extras.push(resolved.meta.address);
  }
  const isOwn = (address: Address): boolean => accounts.some((account) => account.address === address);
  const staked = [senderTokenAccount, feePayer, nonceAccount, nonceAuthority];
  return extras.some((address) => staked.includes(address) && !isOwn(address)) ? undefined : { extras };
}

// What the accounts hold when the gate runs: the token account is there by then, and the flag is set.
function whileGateRuns(
  read: ReadAccounts,
  mint: Address,
  { owner, address, state }: PaidTokenAccount,
  flag: Address,
): Pick<ReadAccounts, 'get'> {
  const made = { lamports: 0n, executable: false };
  return {
    get(wanted) {
      if (wanted === flag) return { ...made, owner: tokenAclProgram, data: Uint8Array.of(1) };
      if (wanted !== address || state) return read.get(wanted);
      return { ...made, owner: token2022Program, data: newFrozenAccountData(mint, owner) };
    },
  };
}
