import type { ReadAccounts } from '../accounts/account.ts';
import { clockSysvar, decodeClock, decodeRent, minimumBalance, rentSysvar } from '../accounts/sysvars.ts';
import type { Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { type DerivedAddress, findAssociatedTokenAddress } from '../addresses/derived-addresses.ts';
import { tokenPrograms } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { BaseUnitFault } from '../findings/finding-faults.ts';
import { hookValidationAddress } from '../plan/resolve-hook-accounts.ts';
import {
  associatedAccountOf,
  type MintHint,
  type Payee,
  type PaymentSource,
  type ReadPayment,
  readMint,
  readNonceAccount,
  readPayment,
  type TokenFacts,
  type WalletFacts,
  walletOf,
} from '../plan/transfer-facts.ts';
import { resolveAmount } from '../request/amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { type BatchRequest, toTransferRequest } from './batch-request.ts';
import type { Pause } from './pause.ts';

/** The token accounts of all wallets of a batch under one token program. */
export interface BatchTokenAccounts {
  tokenProgram: Address;
  sender: Address;
  senderBump: number;
  /** In the order of the transfers. */
  recipients: readonly DerivedAddress[];
}

/** Derives the token accounts of all wallets of a batch under one token program. */
export function deriveBatchTokenAccounts(
  { from, mint, transfers }: BatchRequest,
  tokenProgram: Address,
): BatchTokenAccounts {
  const sender = findAssociatedTokenAddress({ owner: from, tokenProgram, mint });
  return {
    tokenProgram,
    sender: sender.address,
    senderBump: sender.bump,
    recipients: transfers.map(({ to }) => findAssociatedTokenAddress({ owner: to, tokenProgram, mint })),
  };
}

/** The accounts without which nothing of a batch can be decided: the mint, all wallets and the sysvars, each once. */
export function walletsOfBatch({ mint, from, feePayer, nonceAccount, transfers }: BatchRequest): Address[] {
  const addresses = new Set([mint, from, feePayer, rentSysvar, clockSysvar]);
  if (nonceAccount !== undefined) addresses.add(nonceAccount);
  for (const { to } of transfers) addresses.add(to);
  return [...addresses];
}

/** The addresses of the token accounts of a batch, each once. */
export function batchTokenAccountsOf({ sender, recipients }: BatchTokenAccounts): Address[] {
  const addresses = new Set([sender]);
  for (const { address } of recipients) addresses.add(address);
  return [...addresses];
}

/**
 * The accounts to read for a batch, each once: all wallets, the mint, the sysvars, the token accounts under the mint's token
 * program (under both while it is not known), and those of the mint's transfer hook when that is known.
 */
export function batchAccountsToRead(request: BatchRequest, hint: MintHint | undefined): Address[] {
  const addresses = new Set(walletsOfBatch(request));
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    for (const address of batchTokenAccountsOf(deriveBatchTokenAccounts(request, tokenProgram))) addresses.add(address);
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.add(hook).add(hookValidationAddress(request.mint, hook));
  return [...addresses];
}

/** What the chain says of a batch, each account decoded once. The payments are in the order of the transfers. */
export interface DecodedBatchFacts extends WalletFacts, Omit<TokenFacts, 'payments' | 'amountFault'> {
  /** Stands for the request of every transaction where the answer is the same for each. */
  request: TransferRequest;
  payments: readonly ReadPayment[];
  /** Why an amount has no base units, by the index of its transfer. */
  amountFaults: ReadonlyMap<number, BaseUnitFault>;
}

/** Decodes the accounts of a batch; or returns those that must be read first, or the finding when its mint cannot be used. */
export async function decodeBatchFacts(
  batch: BatchRequest,
  read: ReadAccounts,
  pause: Pause,
): Promise<DecodedBatchFacts | { needs: readonly Address[] } | { finding: Finding }> {
  const unread = unreadWallets(batch, read);
  const rentData = read.get(rentSysvar)?.data;
  const clockData = read.get(clockSysvar)?.data;
  if (unread.length > 0 || !rentData || !clockData) return { needs: unread };
  const checked = readMint(batch.mint, read.get(batch.mint) ?? null);
  if ('finding' in checked) return checked;
  const { mint } = checked;
  const { payees, faults } = resolveTransfers(batch, mint);
  const request = toTransferRequest(batch, payees);
  const addresses = deriveBatchTokenAccounts(batch, mint.tokenProgram);
  const source = { request, mint, senderTokenAccount: addresses.sender };
  const known = await readBatchPayments(source, payees, addresses.recipients, read, pause);
  if ('needs' in known) return known;
  const nonce = readNonceAccount(batch, read);
  if ('needs' in nonce) return nonce;
  const rent = decodeRent(rentData);
  const sender = { address: addresses.sender, bump: addresses.senderBump };
  return {
    request,
    clock: decodeClock(clockData),
    emptyAccountRent: minimumBalance(rent, 0),
    feePayer: walletOf(read.get(batch.feePayer) ?? null),
    sender: walletOf(read.get(batch.from) ?? null),
    nonce: nonce.nonceFinding ? undefined : nonce.nonce,
    nonceFinding: nonce.nonceFinding,
    mint,
    tokenAccountRent: minimumBalance(rent, mint.tokenAccountLength),
    amountFaults: faults,
    senderTokenAccount: associatedAccountOf(batch.from, sender, source, read.get(addresses.sender) ?? null),
    payments: known.payments,
  };
}

// Nearly always none: those of the whole are looked at before a list is made, and those of the transfers when they are read.
function unreadWallets(request: BatchRequest, read: ReadAccounts): readonly Address[] {
  const { mint, from, feePayer, nonceAccount } = request;
  const isRead = (address: Address): boolean => read.get(address) !== undefined;
  const areRead =
    [mint, from, feePayer, rentSysvar, clockSysvar].every(isRead) &&
    (nonceAccount === undefined || isRead(nonceAccount));
  return areRead ? [] : walletsOfBatch(request).filter((address) => !isRead(address));
}

/** The transfers of a batch with their base units, as payees. */
export interface ResolvedTransfers {
  payees: readonly Payee[];
  /** Why an amount has no base units, by the index of its transfer. */
  faults: ReadonlyMap<number, BaseUnitFault>;
}

// To resolve the accounts that a hook demands takes up to a millisecond for each transfer.
const hookedTransfersPerTurn = 10;

/** Returns the payees of all transfers. One whose amount has no base units is at fault, and its amount counts as 0. */
export function resolveTransfers(request: BatchRequest, { decimals }: Mint): ResolvedTransfers {
  const faults = new Map<number, BaseUnitFault>();
  const payees = request.transfers.map(({ to, amount, memo, references }, index): Payee => {
    const field = { transfer: index, part: 'to' } as const;
    if (typeof amount === 'bigint') return { to, amount, memo, references, field };
    const resolved = resolveAmount(amount, decimals);
    if ('baseUnits' in resolved) return { to, amount: resolved.baseUnits, memo, references, field };
    faults.set(index, resolved.fault);
    return { to, amount: 0n, memo, references, field };
  });
  return { payees, faults };
}

async function readBatchPayments(
  source: PaymentSource,
  payees: readonly Payee[],
  recipients: readonly DerivedAddress[],
  read: ReadAccounts,
  pause: Pause,
): Promise<{ payments: readonly ReadPayment[] } | { needs: readonly Address[] }> {
  const needs = new Set<Address>([source.senderTokenAccount]);
  const payments: ReadPayment[] = [];
  const isHooked = source.mint.transferHookProgram !== undefined;
  for (const [index, payee] of payees.entries()) {
    if (isHooked && index > 0 && index % hookedTransfersPerTurn === 0) await pause();
    const derived = recipients[index];
    if (!derived) throw new Error(`no token account was derived for transfer ${index}`);
    const payment = readPayment(source, payee, derived, read);
    if ('needs' in payment) for (const address of payment.needs) needs.add(address);
    else payments.push(payment);
  }
  const unread = [...needs].filter((address) => read.get(address) === undefined);
  return unread.length > 0 ? { needs: unread } : { payments };
}
