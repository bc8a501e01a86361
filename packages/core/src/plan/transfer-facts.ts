import type { Account, ReadAccounts } from '../accounts/account.ts';
import { checkNonceAccount, type NonceAdvance } from '../accounts/nonce-account.ts';
import {
  type Clock,
  clockSysvar,
  decodeClock,
  decodeRent,
  minimumBalance,
  type Rent,
  rentSysvar,
} from '../accounts/sysvars.ts';
import {
  classifyTokenProgramAccount,
  decodeMint,
  decodeTokenAccount,
  isVacant,
  type Mint,
  type TokenAccount,
  type TokenProgramAccountKind,
} from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { type DerivedAddress, findAssociatedTokenAddress } from '../addresses/derived-addresses.ts';
import { systemProgram, tokenPrograms } from '../addresses/programs.ts';
import type { Finding, RecipientField } from '../findings/finding.ts';
import type { BaseUnitFault, HookRefusal } from '../findings/finding-faults.ts';
import { resolveAmount } from '../request/amount.ts';
import type { Memo } from '../request/memo.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import { hookValidationAddress, resolveHookAccounts } from './resolve-hook-accounts.ts';
import { resolveThaw, type Thaw } from './resolve-thaw.ts';

/** The token accounts of all wallets of a transfer under one token program. */
export interface TransferTokenAccounts {
  tokenProgram: Address;
  sender: Address;
  recipient: Address;
  senderBump: number;
  recipientBump: number;
  /** Those that the splits pay, in their order. */
  splits: readonly DerivedAddress[];
}

/** What is remembered of a mint, to read no more than its transfers need. */
export interface MintHint {
  tokenProgram: Address;
  transferHookProgram: Address | undefined;
}

/** Derives the token accounts of all wallets of a request under one token program. */
export function deriveTokenAccounts(request: TransferRequest, tokenProgram: Address): TransferTokenAccounts {
  const { mint } = request;
  const derive = (owner: Address): DerivedAddress => findAssociatedTokenAddress({ owner, tokenProgram, mint });
  const sender = derive(request.from);
  const recipient = derive(request.to);
  return {
    tokenProgram,
    sender: sender.address,
    senderBump: sender.bump,
    recipient: recipient.address,
    recipientBump: recipient.bump,
    splits: request.splits.map(({ to }) => derive(to)),
  };
}

/** The accounts without which nothing of a request can be decided: the mint, all wallets, the fee payer and the sysvars. */
export function accountsOfEveryTransfer({ mint, from, to, feePayer, splits }: TransferRequest): Address[] {
  const addresses = [mint, from, to, rentSysvar, clockSysvar];
  if (feePayer !== from) addresses.push(feePayer);
  for (const split of splits) addresses.push(split.to);
  return addresses;
}

/**
 * The accounts to read for a request, all at once: all wallets, the mint, the token accounts under the mint's token program
 * (under both while it is not known), the sysvars, and those of the mint's transfer hook when that is known.
 */
export function accountsToRead(request: TransferRequest, hint: MintHint | undefined): Address[] {
  const addresses = accountsOfEveryTransfer(request);
  if (request.nonceAccount !== undefined) addresses.push(request.nonceAccount);
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    addresses.push(...tokenAccountsOf(deriveTokenAccounts(request, tokenProgram)));
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.push(hook, hookValidationAddress(request.mint, hook));
  return addresses;
}

/** The addresses of the token accounts of a transfer. */
function tokenAccountsOf({ sender, recipient, splits }: TransferTokenAccounts): Address[] {
  return [sender, recipient, ...splits.map(({ address }) => address)];
}

/** The account at the address of a wallet. */
export interface Wallet {
  account: Account | null;
  /** What it is to its token program; `undefined` where no token program owns it. */
  kind: TokenProgramAccountKind | undefined;
}

/** What is at the associated token address of a wallet. */
export interface AssociatedAccount {
  address: Address;
  bump: number;
  /** `undefined` where there is no token account of the mint. */
  state: TokenAccount | undefined;
  /** The program of an account that is no token account of the mint, so that none can be created; `undefined` where none is in the way. */
  occupant: Address | undefined;
  lamports: bigint;
}

/** One who is paid by a transfer, and where its request names them. */
export interface Payee {
  to: Address;
  /** Base units. */
  amount: bigint;
  field: RecipientField;
  memo: Memo | undefined;
  references: readonly Address[];
}

/** A payee and the account at the address of its wallet. */
export interface ReadPayee {
  payee: Payee;
  wallet: Wallet;
}

/** What the chain says of a payment: its recipient, the token account that it pays, and what the mint's hook demands. */
export interface ReadPayment extends ReadPayee {
  tokenAccount: AssociatedAccount;
  /** Why the accounts that the hook demands cannot be had or may not be handed to it, where that is so. */
  hookFault: HookRefusal | undefined;
  hookAccounts: readonly AccountMeta[];
  /** How the frozen token account is thawed; absent where it is not frozen or not thawed. */
  thaw?: Thaw;
}

/** What the chain says of a transfer whatever its mint is. */
export interface WalletFacts {
  clock: Clock;
  /** Lamports that an account without data must hold to be exempt from rent. */
  emptyAccountRent: bigint;
  feePayer: Wallet;
  sender: Wallet;
  /** The nonce to advance, or one of the same size where it cannot be used; `undefined` where the request names no nonce account. */
  nonce: NonceAdvance | undefined;
  /** Why the nonce account cannot be used, where it cannot. */
  nonceFinding: Finding | undefined;
}

/** What the chain says of a transfer whose mint can be used. */
export interface TokenFacts {
  mint: Mint;
  /** Lamports that a token account of the mint must hold to be exempt from rent. */
  tokenAccountRent: bigint;
  /** Why the amount has no base units, where it has none: it counts as 0. */
  amountFault: BaseUnitFault | undefined;
  senderTokenAccount: AssociatedAccount;
  /** To the recipient, then those of the splits. */
  payments: readonly [ReadPayment, ...ReadPayment[]];
}

/** What the chain says of a transfer whose mint cannot be used. */
export interface NoTokenFacts {
  mint: undefined;
  /** Why the mint cannot be used. */
  mintFinding: Finding;
  /** The recipient, then those of the splits. */
  payments: readonly ReadPayee[];
}

/** What the chain says of a transfer whose mint can be used. */
export type MintFacts = WalletFacts & TokenFacts;

/** Everything that the chain says of a transfer, each account decoded once. */
export type DecodedFacts = MintFacts | (WalletFacts & NoTokenFacts);

type Needs = { needs: readonly Address[] };

/** Decodes the accounts of a transfer, or returns those that must be read first. */
export function decodeFacts(request: TransferRequest, read: ReadAccounts): DecodedFacts | Needs {
  const mintAccount = read.get(request.mint);
  const feePayer = read.get(request.feePayer);
  const sender = read.get(request.from);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  const hasWallets = feePayer !== undefined && sender !== undefined && hasEveryRecipient(request, read);
  if (mintAccount === undefined || !hasWallets || !rentData || !clockData) {
    return { needs: accountsOfEveryTransfer(request) };
  }
  const rent = decodeRent(rentData);
  const mint = readMint(request.mint, mintAccount);
  const tokens = 'mint' in mint ? decodeTokens(request, mint.mint, rent, read) : decodePayees(request, mint, read);
  if ('needs' in tokens) return tokens;
  const nonce = readNonceAccount(request, read);
  if ('needs' in nonce) return nonce;
  return {
    ...tokens,
    clock: decodeClock(clockData),
    emptyAccountRent: minimumBalance(rent, 0),
    feePayer: walletOf(feePayer),
    sender: walletOf(sender),
    nonce: nonce.nonce,
    nonceFinding: nonce.nonceFinding,
  };
}

function hasEveryRecipient({ to, splits }: TransferRequest, read: ReadAccounts): boolean {
  return read.get(to) !== undefined && splits.every((split) => read.get(split.to) !== undefined);
}

/** Returns the account at the address of a wallet, classified. */
export function walletOf(account: Account | null): Wallet {
  return { account, kind: account ? classifyTokenProgramAccount(account) : undefined };
}

/** Returns the mint at an address, or the finding when there is none that can be used. */
export function readMint(address: Address, account: Account | null): { mint: Mint } | { finding: Finding } {
  const field = 'mint';
  if (!account) return { finding: { code: 'mint_not_found', field, context: { mint: address } } };
  const mint = decodeMint(account);
  if (mint && account.space !== undefined) {
    // The part that was not read may hold rules for its transfers.
    const context = { mint: address, byteLength: account.space, readByteLength: account.data.length };
    return { finding: { code: 'mint_too_large', field, context } };
  }
  if (mint) return { mint };
  return { finding: { code: 'not_a_mint', field, context: { mint: address, program: account.owner } } };
}

/** Returns the nonce that a request is to use, or the account that must be read first. */
export function readNonceAccount(
  { nonceAccount, feePayer, from }: Pick<TransferRequest, 'nonceAccount' | 'feePayer' | 'from'>,
  read: ReadAccounts,
): Pick<WalletFacts, 'nonce' | 'nonceFinding'> | Needs {
  if (nonceAccount === undefined) return noNonce;
  const account = read.get(nonceAccount);
  if (account === undefined) return { needs: [nonceAccount] };
  const checked = checkNonceAccount(nonceAccount, account, [...new Set([feePayer, from])]);
  if ('nonce' in checked) return { nonce: checked.nonce, nonceFinding: undefined };
  const standIn = { account: nonceAccount, authority: from, nonce: systemProgram };
  return { nonce: standIn, nonceFinding: checked.finding };
}

const noNonce = { nonce: undefined, nonceFinding: undefined };

function decodePayees(request: TransferRequest, { finding }: { finding: Finding }, read: ReadAccounts): NoTokenFacts {
  const payments = payeesOf(request, 0n).map((payee) => ({ payee, wallet: walletOf(read.get(payee.to) ?? null) }));
  return { mint: undefined, mintFinding: finding, payments };
}

function decodeTokens(request: TransferRequest, mint: Mint, rent: Rent, read: ReadAccounts): TokenFacts | Needs {
  const addresses = deriveTokenAccounts(request, mint.tokenProgram);
  const senderAccount = read.get(addresses.sender);
  if (senderAccount === undefined || hasUnreadTokenAccount(addresses, read)) {
    return { needs: tokenAccountsOf(addresses) };
  }
  const amount = resolveAmount(request.amount, mint.decimals);
  const [payee, ...others] = payeesOf(request, 'baseUnits' in amount ? amount.baseUnits : 0n);
  const source = { request, mint, senderTokenAccount: addresses.sender };
  const sender = { address: addresses.sender, bump: addresses.senderBump };
  const senderTokenAccount = associatedAccountOf(request.from, sender, source, senderAccount);
  const recipient = { address: addresses.recipient, bump: addresses.recipientBump };
  const main = readThawedPayment(request, source, payee, recipient, read);
  const splits: ReadPayment[] = [];
  const needs: Address[] = 'needs' in main ? [...main.needs] : [];
  for (const [index, derived] of addresses.splits.entries()) {
    const other = others[index];
    const split = other && readThawedPayment(request, source, other, derived, read);
    if (split && 'needs' in split) needs.push(...split.needs);
    else if (split) splits.push(split);
  }
  if ('needs' in main || needs.length > 0) return { needs: [...new Set(needs)] };
  return {
    mint,
    tokenAccountRent: minimumBalance(rent, mint.tokenAccountLength),
    amountFault: 'fault' in amount ? amount.fault : undefined,
    senderTokenAccount,
    payments: [main, ...splits],
  };
}

function readThawedPayment(
  request: TransferRequest,
  source: PaymentSource,
  payee: Payee,
  derived: DerivedAddress,
  read: ReadAccounts,
): ReadPayment | Needs {
  const payment = readPayment(source, payee, derived, read);
  const { mint, senderTokenAccount } = source;
  if ('needs' in payment || mint.thawAuthority === undefined) return payment;
  const { address, state } = payment.tokenAccount;
  const resolved = resolveThaw({ ...request, senderTokenAccount }, mint, { owner: payee.to, address, state }, read);
  if ('needs' in resolved) return resolved;
  return resolved.thaw ? { ...payment, thaw: resolved.thaw } : payment;
}

function hasUnreadTokenAccount({ recipient, splits }: TransferTokenAccounts, read: ReadAccounts): boolean {
  return read.get(recipient) === undefined || splits.some(({ address }) => read.get(address) === undefined);
}

/** What all payments of a transfer share. */
export interface PaymentSource {
  request: Pick<TransferRequest, 'mint' | 'from' | 'feePayer' | 'layout'>;
  mint: Mint;
  senderTokenAccount: Address;
}

/** Returns the account at the associated token address of a wallet, decoded. */
export function associatedAccountOf(
  wallet: Address,
  { address, bump }: DerivedAddress,
  { request, mint }: Pick<PaymentSource, 'request' | 'mint'>,
  account: Account | null,
): AssociatedAccount {
  const expected = { mint: request.mint, tokenProgram: mint.tokenProgram, likelyOwner: wallet };
  const state = account ? decodeTokenAccount(account, expected) : undefined;
  const occupant = !state && account && !isVacant(account) ? account.owner : undefined;
  return { address, bump, state, occupant, lamports: account?.lamports ?? 0n };
}

/** Decodes what was read of a payment, or returns the accounts that must be read first. */
export function readPayment(
  source: PaymentSource,
  payee: Payee,
  derived: DerivedAddress,
  read: ReadAccounts,
): ReadPayment | Needs {
  const { request, mint, senderTokenAccount } = source;
  const wallet = read.get(payee.to);
  const account = read.get(derived.address);
  if (wallet === undefined || account === undefined) return { needs: [payee.to, derived.address] };
  const tokenAccount = associatedAccountOf(payee.to, derived, source, account);
  const payment = {
    payee,
    wallet: walletOf(wallet),
    tokenAccount,
    hookFault: undefined,
    hookAccounts: noAccounts,
  };
  // In the x402 layout a mint with a hook is refused, whatever its hook demands.
  if (mint.transferHookProgram === undefined || request.layout === 'x402') return payment;

  const hook = resolveHookAccounts(
    {
      hookProgram: mint.transferHookProgram,
      source: senderTokenAccount,
      mint: request.mint,
      destination: tokenAccount.address,
      authority: request.from,
      feePayer: request.feePayer,
      amount: payee.amount,
      referenceCount: payee.references.length,
      demandedMemoBytes: tokenAccount.state?.requiresMemo && payee.memo ? payee.memo.bytes.length : 0,
    },
    read,
  );
  if ('needs' in hook) return hook;
  // The token program looks for the accounts of the hook among the references, too.
  const signer = payee.references.find((address) => address === request.from || address === request.feePayer);
  if (signer !== undefined) return { ...payment, hookFault: { kind: 'signer_named', signer } };
  if ('unresolvable' in hook) return { ...payment, hookFault: hook.unresolvable };
  return { ...payment, hookAccounts: hook.accounts };
}

const noAccounts: readonly AccountMeta[] = [];

/** Returns the recipients of which the chain has neither an account at their address nor a token account of the mint, each once. */
export function neverUsedIn(payments: readonly Pick<ReadPayment, 'payee' | 'wallet' | 'tokenAccount'>[]): Address[] {
  const addresses = new Set<Address>();
  for (const { payee, wallet, tokenAccount } of payments) {
    if (wallet.account === null && tokenAccount.state === undefined) addresses.add(payee.to);
  }
  return [...addresses];
}

/** Returns those whom a transfer pays, in the order in which their findings are reported: the recipient, then the splits. */
export function payeesOf(
  { to, memo, references, splits }: TransferRequest,
  amount: bigint,
): readonly [Payee, ...Payee[]] {
  const recipient: Payee = { to, amount, field: 'to', memo, references };
  if (splits.length === 0) return [recipient];
  const others = splits.map((split, index): Payee => {
    const { to: other, amount: part, memo: ofSplit, references: found = noReferences } = split;
    return { to: other, amount: part, field: { split: index, part: 'to' }, memo: ofSplit, references: found };
  });
  return [recipient, ...others];
}

const noReferences: readonly Address[] = [];
