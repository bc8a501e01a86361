import {
  AccountRole,
  type Address,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  type ProgramDerivedAddressBump,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import type { Thaw } from '../../packages/core/src/plan/resolve-thaw.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import {
  accountKeySeed,
  accountPdaMeta,
  hookPdaMeta,
  literalMeta,
  literalSeed,
  pubkeyDataMeta,
} from '../setup/hook-extra-account-metas.ts';
import { gatePrograms, tokenAclProgram, writeGateList } from '../setup/token-acl.ts';
import { issuer, systemProgram } from './addresses.ts';
import { isMissing, isMpp, type Payee } from './asked.ts';
import type { PaymentSituation, Situation } from './situation.ts';
import { account } from './token-account.ts';
import type { MintWorld, TokenAclWorld, World } from './world.ts';

const gates: Readonly<Record<TokenAclWorld, Address>> = {
  allowing: gatePrograms.always_allow,
  allowing_with_accounts: gatePrograms.always_allow_with_deps,
  blocking: gatePrograms.always_block,
  closed: gatePrograms.always_allow,
};

/** How the Token ACL program configures a mint; undefined where it does not. */
export function tokenAclOf(mint: MintWorld): TokenAclWorld | undefined {
  if (mint.kind !== 'token_2022') return undefined;
  for (const extension of mint.extensions) {
    if (extension.kind === 'default_account_state' && extension.frozen) return extension.tokenAcl;
  }
  return undefined;
}

/** Says whether a world's transaction thaws the token account of a payee, at the first payment to it. */
export function isThawed(world: World, { tokenAccount, creation }: Pick<Payee, 'tokenAccount' | 'creation'>): boolean {
  const tokenAcl = tokenAclOf(world.mint);
  if (tokenAcl === undefined || tokenAcl === 'closed' || creation === 'never' || isMpp(world)) return false;
  return isMissing(tokenAccount) || tokenAccount === 'frozen';
}

type Derived = readonly [Address, ProgramDerivedAddressBump];

function derive(programAddress: Address, seed: string, of: Address): Promise<Derived> {
  return getProgramDerivedAddress({ programAddress, seeds: [seed, getAddressEncoder().encode(of)] });
}

/** The freeze authority of a mint. */
export async function freezeAuthorityOf(world: World, mint: Address): Promise<Address> {
  if (tokenAclOf(world.mint) === undefined) return issuer;
  const [configuration] = await derive(tokenAclProgram, 'MINT_CONFIG', mint);
  return configuration;
}

/** Writes what the Token ACL program and the gate program of a mint have, as they would have. */
export async function writeTokenAcl(ledger: Ledger, { world, mint }: Situation): Promise<void> {
  const tokenAcl = tokenAclOf(world.mint);
  if (tokenAcl === undefined) return;
  const [configuration, bump] = await derive(tokenAclProgram, 'MINT_CONFIG', mint);
  const gate = gates[tokenAcl];
  const addresses = [mint, issuer, gate].flatMap((each) => [...getAddressEncoder().encode(each)]);
  const data = Uint8Array.of(1, bump, tokenAcl === 'closed' ? 0 : 1, 0, ...addresses);
  const lamports = ledger.minimumBalanceForRentExemption(BigInt(data.length));
  ledger.setAccount(account(configuration, tokenAclProgram, lamports, data));
  await writeGateList(ledger, mint, gate, tokenAcl === 'allowing_with_accounts' ? demandedAccounts : []);
}

// As the gate program demands them. Before them come caller, token account, mint, owner, flag and list.
const demandedAccounts = [
  literalMeta(ASSOCIATED_TOKEN_PROGRAM_ADDRESS),
  literalMeta(TOKEN_2022_PROGRAM_ADDRESS),
  pubkeyDataMeta({ __kind: 'AccountData', accountIndex: 1, dataIndex: 32 }),
  accountPdaMeta(6, [accountKeySeed(3), accountKeySeed(7), accountKeySeed(2)]),
  hookPdaMeta([literalSeed('thaw_extra_account_metas'), accountKeySeed(2)]),
];

/** The thaw of a payment, and the instruction that makes it. */
export interface WitnessedThaw {
  thaw: Thaw;
  instruction: Instruction;
}

/** Makes the thaw of each payment that has one, from what is known of the three gate programs. */
export async function thawsIn(situation: Situation): Promise<readonly (WitnessedThaw | undefined)[]> {
  const { world, payments } = situation;
  const thawed = new Set<Address>();
  const thaws: (WitnessedThaw | undefined)[] = [];
  for (const payment of payments) {
    const isFirst = !thawed.has(payment.tokenAccount);
    thaws.push(isFirst && isThawed(world, payment.payee) ? await thawOf(situation, payment) : undefined);
    thawed.add(payment.tokenAccount);
  }
  return thaws;
}

async function thawOf({ world, sender, mint }: Situation, payment: PaymentSituation): Promise<WitnessedThaw> {
  const { recipient, tokenAccount } = payment;
  const tokenAcl = tokenAclOf(world.mint) ?? 'closed';
  const gate = gates[tokenAcl];
  const [configuration] = await derive(tokenAclProgram, 'MINT_CONFIG', mint);
  const [flag, flagBump] = await derive(tokenAclProgram, 'FLAG_ACCOUNT', tokenAccount);
  const [list, listBump] = await derive(gate, 'thaw_extra_account_metas', mint);
  const extras = [ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS, recipient, tokenAccount, list];
  const read = tokenAcl === 'allowing_with_accounts' ? [list, ...extras] : [list];
  const readonly = [recipient, configuration, TOKEN_2022_PROGRAM_ADDRESS, systemProgram, gate, ...read];
  const instruction = {
    programAddress: tokenAclProgram,
    accounts: [
      { address: sender, role: AccountRole.READONLY_SIGNER },
      { address: mint, role: AccountRole.READONLY },
      { address: tokenAccount, role: AccountRole.WRITABLE },
      { address: flag, role: AccountRole.WRITABLE },
      ...readonly.map((address) => ({ address, role: AccountRole.READONLY })),
    ],
    data: Uint8Array.of(9),
  };
  const thaw = {
    configuration: toAddress(configuration),
    flag: toAddress(flag),
    gateProgram: toAddress(gate),
    gateAccounts: read.map(toAddress),
    bumpSteps: 510 - flagBump - listBump,
  };
  return { thaw, instruction };
}
