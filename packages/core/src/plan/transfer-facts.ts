import type { Account, ReadAccounts } from '../accounts/account.ts';
import { checkNonceAccount, type NonceAdvance } from '../accounts/nonce-account.ts';
import { solMint } from '../accounts/sol-mint.ts';
import { type Clock, clockSysvar, decodeClock, decodeRent, minimumBalance, rentSysvar } from '../accounts/sysvars.ts';
import {
  classifyTokenProgramAccount,
  decodeMint,
  decodeTokenAccount,
  isVacant,
  type Mint,
  type TokenAccount,
  type TokenProgramAccountKind,
} from '../accounts/token-state.ts';
import { amountToSend } from '../accounts/transfer-fee.ts';
import { type Address, sol } from '../addresses/address.ts';
import { type DerivedAddress, findAssociatedTokenAddress } from '../addresses/derived-addresses.ts';
import { systemProgram, tokenPrograms } from '../addresses/programs.ts';
import type { Finding, RecipientField } from '../findings/finding.ts';
import type { BaseUnitFault, HookRefusal } from '../findings/finding-faults.ts';
import { type AskedAmount, isNamedAmount, resolveAmount, withinMax } from '../request/amount.ts';
import {
  type FieldedPayment,
  type PaymentsRequest,
  paymentsOf,
  type RequestedPayment,
  recipientsOf,
} from '../request/transfer-request.ts';
import type { AccountMeta } from '../transaction/instruction.ts';
import { maxTokens } from './max-amount.ts';
import { hookValidationAddress, resolveHookAccounts } from './resolve-hook-accounts.ts';
import { resolveThaw, type Thaw } from './resolve-thaw.ts';
import { finish, type Steps } from './steps.ts';

/** The token accounts of all wallets of a request under one token program. */
export interface TokenAccounts {
  sender: DerivedAddress;
  /** In the order of the payments. */
  recipients: readonly DerivedAddress[];
}

/** What is remembered of a mint, to read no more than its transfers need. */
export interface MintHint {
  tokenProgram: Address;
  transferHookProgram: Address | undefined;
}

/** Derives the token accounts of all wallets of a request under one token program. SOL lies in the wallets themselves. */
export function deriveTokenAccounts(request: PaymentsRequest, tokenProgram: Address): TokenAccounts {
  const { mint, from } = request;
  const derive = (owner: Address): DerivedAddress =>
    mint === sol ? { address: owner, bump: 255 } : findAssociatedTokenAddress({ owner, tokenProgram, mint });
  return { sender: derive(from), recipients: recipientsOf(request).map(derive) };
}

/** The accounts without which nothing of a request can be decided: the mint, all wallets, the sysvars and the nonce account. */
function walletsToRead(request: PaymentsRequest): Address[] {
  const { mint, from, feePayer, nonceAccount, sponsorFee } = request;
  const mints = mint === sol ? [] : [mint];
  const nonceAccounts = nonceAccount === undefined ? [] : [nonceAccount];
  const tipped = 'tip' in request && request.tip ? [request.tip.account] : [];
  const ofSponsor = sponsorFee ? [sponsorFee.mint, sponsorFee.to] : [];
  const others = [...nonceAccounts, ...tipped, ...ofSponsor];
  return [...mints, from, feePayer, rentSysvar, clockSysvar, ...others, ...recipientsOf(request)];
}

/**
 * The accounts to read for a request, each once: all wallets, the mint, the sysvars, the token accounts under the mint's token program
 * (under both while it is not known), and those of the mint's transfer hook when that is known.
 */
export function accountsToRead(request: PaymentsRequest, hint: MintHint | undefined): Address[] {
  const addresses = new Set(walletsToRead(request));
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    const { sender, recipients } = deriveTokenAccounts(request, tokenProgram);
    addresses.add(sender.address);
    for (const { address } of recipients) addresses.add(address);
    const { from, sponsorFee: fee } = request;
    if (!fee) continue;
    for (const owner of [from, fee.to]) {
      addresses.add(findAssociatedTokenAddress({ ...fee, owner, tokenProgram }).address);
    }
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.add(hook).add(hookValidationAddress(request.mint, hook));
  return [...addresses];
}

/** The account at the address of a wallet. */
export interface Wallet {
  account: Account | null;
  /** What it is to its token program; `undefined` where no token program owns it. */
  kind: TokenProgramAccountKind | undefined;
}

/** What is at the associated token address of a wallet; of SOL, at the wallet itself. */
export interface AssociatedAccount {
  address: Address;
  bump: number;
  /** `undefined` where there is no token account of the mint. */
  state: TokenAccount | undefined;
  /** The program of an account that is no token account of the mint, so that none can be created; `undefined` where none is in the way. */
  occupant: Address | undefined;
  lamports: bigint;
}

/** One who is paid, where the request names them, and the account at the address of their wallet. */
export interface ReadPayee extends Omit<RequestedPayment, 'amount'> {
  field: RecipientField;
  wallet: Wallet;
}

/** What the chain says of a payment: its recipient, the token account that it pays, and what the mint's hook demands. */
export interface ReadPayment extends ReadPayee {
  /** Base units. */
  amount: bigint;
  /** Why the amount has no base units, where it has none: it counts as 0. */
  amountFault?: BaseUnitFault;
  tokenAccount: AssociatedAccount;
  /** Why the accounts that the hook demands cannot be had or may not be handed to it, where that is so. */
  hookFault: HookRefusal | undefined;
  hookAccounts: readonly AccountMeta[];
  /** How the frozen token account is thawed; absent where it is not frozen or not thawed. */
  thaw?: Thaw;
}

/** What the chain says of a request whatever its mint is. */
export interface WalletFacts {
  clock: Clock;
  /** Lamports that an account without data must hold to be exempt from rent. */
  emptyAccountRent: bigint;
  feePayer: Wallet;
  sender: Wallet;
  /** The nonce to advance, or one of the same size where it cannot be used; `undefined` where the request names no nonce account. */
  nonce: NonceAdvance | undefined;
  /** The account at the address that is tipped; absent where none is. */
  tip?: Wallet;
  /** Why the nonce account cannot be used, where it cannot. */
  nonceFinding: Finding | undefined;
}

/** What the chain says of a request whose mint can be used. */
export interface MintFacts extends WalletFacts {
  mint: Mint;
  /** Lamports that a token account of the mint must hold to be exempt from rent. */
  tokenAccountRent: bigint;
  senderTokenAccount: AssociatedAccount;
  /** In the order in which their findings are reported: see `paymentsOf`. */
  payments: readonly ReadPayment[];
}

/** What the chain says of a request whose mint cannot be used. */
export interface NoMintFacts extends WalletFacts {
  mint: undefined;
  /** Why the mint cannot be used. */
  mintFinding: Finding;
  payments: readonly ReadPayee[];
}

/** Everything that the chain says of a request, each account decoded once. */
export type DecodedFacts = MintFacts | NoMintFacts;

type Needs = { needs: readonly Address[] };

/** Decodes the accounts of a request, or returns those that must be read first. */
export function decodeFacts(request: PaymentsRequest, read: ReadAccounts): DecodedFacts | Needs {
  return finish(decodeInSteps(request, read));
}

/** Decodes as `decodeFacts` does, one payment a step: to resolve the accounts of a hook takes up to a millisecond. */
export function* decodeInSteps(request: PaymentsRequest, read: ReadAccounts): Steps<DecodedFacts | Needs> {
  const unread = walletsToRead(request).filter((address) => read.get(address) === undefined);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  if (unread.length > 0 || !rentData || !clockData) return { needs: [...new Set(unread)] };
  const rent = decodeRent(rentData);
  const wallets: WalletFacts = {
    clock: decodeClock(clockData),
    emptyAccountRent: minimumBalance(rent, 0),
    feePayer: walletOf(read.get(request.feePayer) ?? null),
    sender: walletOf(read.get(request.from) ?? null),
    ...readNonceAccount(request, read),
    ...('tip' in request && request.tip && { tip: walletOf(read.get(request.tip.account) ?? null) }),
  };
  const found = request.mint === sol ? { mint: solMint } : readMint(request.mint, read.get(request.mint) ?? null);
  if ('finding' in found) {
    const payments = paymentsOf(request).map((payment) => ({
      ...payment,
      wallet: walletOf(read.get(payment.to) ?? null),
    }));
    return { ...wallets, mint: undefined, mintFinding: found.finding, payments };
  }
  const { mint } = found;
  const accounts = deriveTokenAccounts(request, mint.tokenProgram);
  const source = {
    request,
    mint,
    clock: wallets.clock,
    sender: accounts.sender,
    senderTokenAccount: accounts.sender.address,
    nonceAuthority: wallets.nonce?.authority,
  };
  const payments: ReadPayment[] = [];
  const needs: Address[] = [];
  if (read.get(accounts.sender.address) === undefined) needs.push(accounts.sender.address);
  for (const [index, requested] of paymentsOf(request).entries()) {
    const derived = accounts.recipients[index];
    const payment = derived && readPayment(source, requested, derived, read);
    if (payment && 'needs' in payment) needs.push(...payment.needs);
    else if (payment) payments.push(payment);
    yield;
  }
  if (needs.length > 0) return { needs: [...new Set(needs)] };
  return {
    ...wallets,
    mint,
    tokenAccountRent: minimumBalance(rent, mint.tokenAccountLength),
    senderTokenAccount: associatedAccountOf(request.from, accounts.sender, source, read),
    payments,
  };
}

/** Returns the account at the address of a wallet, classified. */
export function walletOf(account: Account | null): Wallet {
  return { account, kind: account ? classifyTokenProgramAccount(account) : undefined };
}

/** Returns the mint at an address, or the finding when there is none that can be used. */
function readMint(address: Address, account: Account | null): { mint: Mint } | { finding: Finding } {
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

// The nonce account has been read.
function readNonceAccount(
  { nonceAccount, from }: PaymentsRequest,
  read: ReadAccounts,
): Pick<WalletFacts, 'nonce' | 'nonceFinding'> {
  if (nonceAccount === undefined) return { nonce: undefined, nonceFinding: undefined };
  const checked = checkNonceAccount(nonceAccount, read.get(nonceAccount) ?? null);
  if ('nonce' in checked) return { nonce: checked.nonce, nonceFinding: undefined };
  const standIn = { account: nonceAccount, authority: from, nonce: systemProgram };
  return { nonce: standIn, nonceFinding: checked.finding };
}

/** What all payments of a request share. */
interface PaymentSource {
  request: PaymentsRequest;
  mint: Mint;
  clock: Clock;
  sender: DerivedAddress;
  senderTokenAccount: Address;
  nonceAuthority: Address | undefined;
}

function associatedAccountOf(
  wallet: Address,
  { address, bump }: DerivedAddress,
  { request, mint }: PaymentSource,
  read: ReadAccounts,
): AssociatedAccount {
  const account = read.get(address) ?? null;
  if (request.mint === sol) {
    return { address, bump, state: undefined, occupant: undefined, lamports: account?.lamports ?? 0n };
  }
  const expected = { mint: request.mint, tokenProgram: mint.tokenProgram, likelyOwner: wallet };
  const state = account ? decodeTokenAccount(account, expected) : undefined;
  const occupant = !state && account && !isVacant(account) ? account.owner : undefined;
  return { address, bump, state, occupant, lamports: account?.lamports ?? 0n };
}

// Decodes what was read of a payment, or returns the accounts that must be read first.
function readPayment(
  source: PaymentSource,
  requested: FieldedPayment,
  derived: DerivedAddress,
  read: ReadAccounts,
): ReadPayment | Needs {
  const { request, mint, senderTokenAccount, nonceAuthority } = source;
  if (read.get(derived.address) === undefined) return { needs: [derived.address] };
  const { to, memo, references, field } = requested;
  const tokenAccount = associatedAccountOf(to, derived, source, read);
  const resolved = resolveSentAmount(requested.amount, source, read);
  const payment: ReadPayment = {
    to,
    amount: 'baseUnits' in resolved ? resolved.baseUnits : 0n,
    memo,
    references,
    field,
    wallet: walletOf(read.get(to) ?? null),
    tokenAccount,
    hookFault: undefined,
    hookAccounts: [],
  };
  if ('fault' in resolved) payment.amountFault = resolved.fault;
  const hook = readHook(source, payment, read);
  if ('needs' in hook) return hook;
  Object.assign(payment, hook);
  // A batch does not thaw: its transactions are packed by what each transfer takes without.
  if (mint.thawAuthority === undefined || 'transfers' in request) return payment;
  const { address, state } = tokenAccount;
  const thawed = resolveThaw(
    { ...request, senderTokenAccount, nonceAuthority },
    mint,
    { owner: to, address, state },
    read,
  );
  if ('needs' in thawed) return thawed;
  if (thawed.thaw) payment.thaw = thawed.thaw;
  return payment;
}

/** Returns the base units that a payment sends, or why there is no such number. All SOL is 0: it depends on the fees. */
function resolveSentAmount(
  asked: AskedAmount,
  source: PaymentSource,
  read: ReadAccounts,
): ReturnType<typeof resolveAmount> {
  const { request, mint, clock, sender } = source;
  if (isNamedAmount(asked)) return resolveAmount(asked, mint.decimals);
  if (asked === 'max') {
    if ('transfers' in request || request.mint === sol) return { baseUnits: 0n };
    const { state } = associatedAccountOf(request.from, sender, source, read);
    return { baseUnits: maxTokens(request, mint, state) };
  }
  const received = resolveAmount(asked.received, mint.decimals);
  if ('fault' in received || !mint.transferFeeConfig) return received;
  return withinMax(amountToSend(mint.transferFeeConfig, received.baseUnits, clock.epoch));
}

function readHook(
  { request, mint, senderTokenAccount, nonceAuthority }: PaymentSource,
  { amount, memo, references, tokenAccount }: ReadPayment,
  read: ReadAccounts,
): Partial<Pick<ReadPayment, 'hookFault' | 'hookAccounts'>> | Needs {
  // In the x402 layout a mint with a hook is refused, whatever its hook demands.
  if (mint.transferHookProgram === undefined || request.layout === 'x402') return {};
  const signers = [request.from, request.feePayer, nonceAuthority ?? request.from];
  const hook = resolveHookAccounts(
    {
      hookProgram: mint.transferHookProgram,
      source: senderTokenAccount,
      mint: request.mint,
      destination: tokenAccount.address,
      authority: request.from,
      signers,
      amount,
      referenceCount: references.length,
      demandedMemoBytes: tokenAccount.state?.requiresMemo && memo ? memo.bytes.length : 0,
    },
    read,
  );
  if ('needs' in hook) return hook;
  // The token program looks for the accounts of the hook among the references, too.
  const signer = references.find((address) => signers.includes(address));
  if (signer !== undefined) return { hookFault: { kind: 'signer_named', signer } };
  return 'unresolvable' in hook ? { hookFault: hook.unresolvable } : { hookAccounts: hook.accounts };
}

/** Returns the recipients of which the chain has neither an account at their address nor a token account of the mint, each once. */
export function neverUsedIn(payments: readonly ReadPayment[]): Address[] {
  const neverUsed = payments.filter(({ wallet, tokenAccount }) => wallet.account === null && !tokenAccount.state);
  return [...new Set(neverUsed.map(({ to }) => to))];
}
