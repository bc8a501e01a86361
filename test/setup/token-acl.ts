import { readFileSync } from 'node:fs';
import {
  AccountRole,
  type Address,
  address,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  lamports,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { type ExtraAccountMeta, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { encodeExtraAccountMetaList } from './hook-extra-account-metas.ts';
import { installHookProgram } from './hook-program.ts';
import { runSetup } from './token-setup-transaction.ts';

/** The Token ACL program. */
export const tokenAclProgram = address('TACLkU6CiCdkQN2MjoyDkVg2yAH9zkxiHDsiztQ52TP');

/**
 * The gate programs by which the Token ACL program is tested, at the addresses that are written in them: the second demands five more
 * accounts, found in every way, and the third refuses everyone.
 */
export const gatePrograms = {
  always_allow: address('Eba1ts11111111111111111111111111111111111112'),
  always_allow_with_deps: address('Eba1ts11111111111111111111111111111111111114'),
  always_block: address('Eba1ts11111111111111111111111111111111111113'),
} as const;

/** The custom error by which the third gate program refuses. */
export const blockedByGate = 999_999_999;

/** How a mint is configured in the Token ACL program. */
export interface TokenAclPlan {
  gateProgram: Address;
  /** Whether anyone may thaw, if the gate program agrees. */
  thaws: boolean;
}

// From the crate `token-acl-client` 0.3.1, `tests/fixtures`, whose licence is beside them.
const folder = new URL('token-acl-programs/', import.meta.url);

/** Puts the Token ACL program and the three gate programs on a ledger. */
export function installTokenAcl(ledger: Ledger): void {
  installHookProgram(ledger, tokenAclProgram, readFileSync(new URL('token_acl.so', folder)));
  for (const [name, program] of Object.entries(gatePrograms)) {
    installHookProgram(ledger, program, readFileSync(new URL(`${name}_gate_program.so`, folder)));
  }
}

async function derive(program: Address, seed: string, of: Address): Promise<Address> {
  const seeds = [seed, getAddressEncoder().encode(of)];
  const [derived] = await getProgramDerivedAddress({ programAddress: program, seeds });
  return derived;
}

/** The account that holds the configuration of a mint, and is its freeze authority. */
export function configurationOf(mint: Address): Promise<Address> {
  return derive(tokenAclProgram, 'MINT_CONFIG', mint);
}

/** The account that is there while a gate program is asked about a token account. */
export function flagOf(tokenAccount: Address): Promise<Address> {
  return derive(tokenAclProgram, 'FLAG_ACCOUNT', tokenAccount);
}

/** The account in which a gate program lists what it wants to be handed. */
export function gateListOf(mint: Address, gateProgram: Address): Promise<Address> {
  return derive(gateProgram, 'thaw_extra_account_metas', mint);
}

const writableSigner = { address: faucet.address, role: AccountRole.WRITABLE_SIGNER };
const readonly = (account: Address) => ({ address: account, role: AccountRole.READONLY });
const writable = (account: Address) => ({ address: account, role: AccountRole.WRITABLE });

/**
 * Hands the freeze authority of a mint from the faucet to the Token ACL program, and lets one of the three gate programs write its list: by
 * the real programs' instructions. Another gate program gets no list.
 */
export async function configureTokenAcl(ledger: Ledger, mint: Address, plan: TokenAclPlan): Promise<void> {
  const { gateProgram, thaws } = plan;
  const configuration = await configurationOf(mint);
  const creation: Instruction = {
    programAddress: tokenAclProgram,
    accounts: [
      writableSigner,
      writableSigner,
      writable(mint),
      writable(configuration),
      readonly(SYSTEM_PROGRAM_ADDRESS),
      readonly(TOKEN_2022_PROGRAM_ADDRESS),
    ],
    data: Uint8Array.of(0, ...getAddressEncoder().encode(gateProgram)),
  };
  const toggle: Instruction = {
    programAddress: tokenAclProgram,
    accounts: [writableSigner, writable(configuration)],
    data: Uint8Array.of(8, 0, thaws ? 1 : 0),
  };
  const isListed = Object.values<Address>(gatePrograms).includes(gateProgram);
  runSetup(ledger, [creation, toggle, ...(isListed ? [await initializeLists(mint, gateProgram)] : [])]);
}

async function initializeLists(mint: Address, gateProgram: Address): Promise<Instruction> {
  return {
    programAddress: gateProgram,
    accounts: [
      writableSigner,
      readonly(mint),
      writable(await gateListOf(mint, gateProgram)),
      writable(await derive(gateProgram, 'freeze_extra_account_metas', mint)),
      readonly(SYSTEM_PROGRAM_ADDRESS),
    ],
    data: new Uint8Array(8).fill(1),
  };
}

/** SHA-256("efficient-allow-block-list-standard:can-thaw-permissionless"), first 8 bytes. */
const canThawDiscriminator = [8, 175, 169, 129, 137, 74, 61, 241];

/** Writes the list of a gate program for a mint, as the program would have: what it wants to be handed. */
export async function writeGateList(
  ledger: Ledger,
  mint: Address,
  gateProgram: Address,
  metas: readonly ExtraAccountMeta[],
): Promise<void> {
  const data = encodeExtraAccountMetaList(metas, canThawDiscriminator);
  const space = BigInt(data.length);
  ledger.setAccount({
    address: await gateListOf(mint, gateProgram),
    data,
    executable: false,
    lamports: lamports(ledger.minimumBalanceForRentExemption(space)),
    programAddress: gateProgram,
    space,
  });
}
