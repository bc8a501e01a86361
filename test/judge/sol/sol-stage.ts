import { createHash } from 'node:crypto';
import { type Address, address, getProgramDerivedAddress } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { vault } from '../../setup/proxy-program.ts';
import { clockSysvar, foreignProgram, memoProgram, systemProgram } from '../addresses.ts';
import { otherAccountOf, otherToken, writeOtherAccount, writeOtherMints } from '../other-mint.ts';
import { account, clearAccount } from '../token-account.ts';
import { encodeMultisig, nonceData } from '../write-accounts.ts';
import type { Payee, PayeeKind, SolWorld, Spender } from './sol-world.ts';

/** The keys and addresses of a world of SOL. */
export interface SolStage {
  world: SolWorld;
  sender: Pick<Keypair, 'address'>;
  feePayer: Pick<Keypair, 'address'>;
  /** Who has a key: no vault. */
  signers: readonly Keypair[];
  /** In the order of the payees. */
  recipients: readonly Address[];
  tokenPayees: readonly TokenPayee[];
  tip: Address | undefined;
  nonceAccount: Address | undefined;
  /** Where the nonce account can be used. */
  nonceAuthority: Keypair | undefined;
  references: readonly Address[];
}

/** One who is paid in a token. */
export interface TokenPayee {
  recipient: Address;
  tokenAccount: Address;
  isNew: boolean;
}

// Addresses that every cluster has, with an account or without.
const fixedRecipients: Partial<Record<PayeeKind, Address>> = {
  program: memoProgram,
  builtin_program: systemProgram,
  sysvar: clockSysvar,
  sysvar_without_account: address('Sysvar1nstructions1111111111111111111111111'),
  unused_program: address('Feature111111111111111111111111111111111111'),
  incinerator: address('1nc1nerator11111111111111111111111111111111'),
};

/** Names everybody in a world, and writes who is paid. What the spenders hold is written once the fee is known. */
export async function setSolStage(ledger: Ledger, world: SolWorld): Promise<SolStage> {
  const keys = (role: string): Keypair => keypairFromName(`splwright judge sol ${world.seed} ${world.number} ${role}`);
  const ownSender = keys('sender');
  const ownPayer = world.feePayer ? keys('fee payer') : ownSender;
  const [sender, feePayer] = world.isFromVault ? [{ address: vault }, { address: vault }] : [ownSender, ownPayer];
  const recipients: Address[] = [];
  const addressOf = async ({ kind }: Payee, role: string): Promise<Address> => {
    const own = fixedRecipients[kind] ?? keys(role).address;
    if (kind === 'earlier') return recipients[0] ?? own;
    if (kind === 'fee_payer') return feePayer.address;
    if (kind === 'sender') return sender.address;
    return kind === 'off_curve' ? offCurve(own) : own;
  };
  for (const [index, payee] of world.payees.entries()) recipients.push(await addressOf(payee, `payee ${index}`));
  for (const [index, payee] of world.payees.entries()) {
    const recipient = recipients[index];
    if (recipient) writePayee(ledger, recipient, payee);
  }
  const tip = world.tip && (await addressOf(world.tip, 'tip'));
  if (world.tip && tip) writePayee(ledger, tip, world.tip);
  const nonceAccount = world.nonceState && keys('nonce account').address;
  // A third signer may be one who is paid.
  const another = keys(world.payees[0]?.kind === 'wallet' && !world.memo ? 'payee 0' : 'nonce authority');
  const authorities: Record<string, Keypair> = { of_sender: ownSender, of_fee_payer: ownPayer, of_another: another };
  const nonceAuthority = authorities[String(world.nonceState)];
  if (nonceAccount && world.nonceState !== 'missing') {
    const data = nonceData(nonceAuthority?.address ?? (await offCurve(nonceAccount)));
    const lamports = ledger.minimumBalanceForRentExemption(BigInt(data.length));
    ledger.setAccount(account(nonceAccount, systemProgram, lamports, data));
  }
  const tokenPayees: TokenPayee[] = [];
  for (const [index, kind] of world.tokenPayees.entries()) {
    const recipient = keys(`token payee ${index}`).address;
    const tokenAccount = await otherAccountOf(otherToken, recipient);
    tokenPayees.push({ recipient, tokenAccount, isNew: kind === 'new' });
  }
  const references = Array.from({ length: world.referenceCount }, (_, index) => keys(`reference ${index}`).address);
  const signers = world.isFromVault ? [] : [...new Set([ownPayer, ownSender, nonceAuthority ?? ownSender])];
  return { world, sender, feePayer, signers, recipients, tokenPayees, tip, nonceAccount, nonceAuthority, references };
}

/** Base units that everyone gets who is paid in a token. */
export const tokenAmount = 7n;

/** Writes the token accounts, as they are before anyone is paid. */
export async function writeTokenAccounts(ledger: Ledger, { sender, tokenPayees }: SolStage): Promise<void> {
  if (tokenPayees.length === 0) return;
  writeOtherMints(ledger);
  await writeOtherAccount(ledger, otherToken, sender.address, tokenAmount * BigInt(tokenPayees.length));
  for (const { recipient, tokenAccount, isNew } of tokenPayees) {
    if (isNew) clearAccount(ledger, tokenAccount);
    else await writeOtherAccount(ledger, otherToken, recipient, 0n);
  }
}

async function offCurve(name: Address): Promise<Address> {
  const seeds = [createHash('sha256').update(name).digest()];
  const [found] = await getProgramDerivedAddress({ programAddress: foreignProgram, seeds });
  return found;
}

function writePayee(ledger: Ledger, recipient: Address, { kind, held }: Payee): void {
  const write = (owner: Address, length: number, data: Uint8Array = new Uint8Array(length)): void => {
    ledger.setAccount(account(recipient, owner, ledger.minimumBalanceForRentExemption(BigInt(data.length)), data));
  };
  if (kind === 'token_account') write(TOKEN_PROGRAM_ADDRESS, 165);
  if (kind === 'mint') write(TOKEN_PROGRAM_ADDRESS, 82);
  if (kind === 'multisig') write(TOKEN_PROGRAM_ADDRESS, 0, encodeMultisig());
  if (kind === 'foreign_account') write(foreignProgram, 200);
  if (kind === 'nonce') write(systemProgram, 0, nonceData(recipient));
  if ((kind === 'wallet' || kind === 'off_curve') && held > 0n) {
    ledger.setAccount(account(recipient, systemProgram, held));
  }
}

/** Writes what a spender holds: what it is asked for, and what it has left then. */
export function writeSpender(
  ledger: Ledger,
  { address: at }: SolStage['sender'],
  { kind, left }: Spender,
  asked: bigint,
): void {
  const held = asked + left;
  if (held <= 0n) {
    clearAccount(ledger, at);
    return;
  }
  const owner = kind === 'foreign_account' ? foreignProgram : systemProgram;
  ledger.setAccount(account(at, owner, held, kind === 'nonce' ? nonceData(at) : new Uint8Array()));
}
