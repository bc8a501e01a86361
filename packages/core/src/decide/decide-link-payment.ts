import type { Account, ReadAccounts } from '../accounts/account.ts';
import { metaplexMetadataAddress, readTokenMetadata, type TokenMetadata } from '../accounts/token-metadata.ts';
import type { Mint } from '../accounts/token-state.ts';
import { leastReceived, type TransferFeeTerms, transferFeeTerms } from '../accounts/transfer-fee.ts';
import { type Address, addressFromBytes, addressToBytes, sol } from '../addresses/address.ts';
import { systemProgram, tokenPrograms } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { HookFault } from '../findings/finding-faults.ts';
import type { Warning } from '../findings/warning.ts';
import { accountsToRead, decodeFacts, deriveTokenAccounts, neverUsedIn } from '../plan/transfer-facts.ts';
import { maxAmount, type NamedAmount, resolveAmount } from '../request/amount.ts';
import type { Memo } from '../request/memo.ts';
import { creationFor, type TransferRequest } from '../request/transfer-request.ts';
import { checkMemo } from './check-memo.ts';
import { type DecidedTransfer, decideFromFacts } from './decide-transfer.ts';
import { paidAccountsOf, warnOfControls, warnOfNeverUsed } from './transfer-warnings.ts';

/** A payment whose payer is not known yet. */
export interface WantedPayment {
  to: Address;
  mint: Address;
  /** The least and the most that is to be paid: base units, or a decimal number of tokens. */
  minAmount: NamedAmount;
  amount: NamedAmount;
  memo: Memo | undefined;
  references: readonly Address[];
  allowsOffCurveRecipient: boolean;
}

/** What is paid, what it is called, where to (of SOL: to the wallet itself), what the mint may withhold of it, and what is to be known of the recipient. */
export interface LinkPayment {
  mint: Mint;
  /** Base units: the least and the most that is to be paid. */
  minAmount: bigint;
  amount: bigint;
  tokenAccount: Address;
  metadata: TokenMetadata | undefined;
  transferFees: readonly TransferFeeTerms[];
  warnings: readonly Warning[];
}

/** What is paid; or every reason why it cannot be paid; or what must be read before that can be said. */
export type LinkPaymentDecision =
  | LinkPayment
  | { findings: readonly [Finding, ...Finding[]] }
  | { needs: readonly Address[] };

/**
 * Decides whether a payment can be made, as `decideTransfer` does, for a payer with enough tokens and SOL.
 *
 * What depends on who pays, such as a transfer hook that looks up the sender, is not decided.
 */
export function decideLinkPayment(wanted: WantedPayment, read: ReadAccounts): LinkPaymentDecision {
  const request = requestOf(wanted);
  const known = new Map<Address, Account | null>(read);
  known.set(payer, payerWallet);
  for (const tokenProgram of wanted.mint === sol ? [] : tokenPrograms) {
    const { sender } = deriveTokenAccounts(request, tokenProgram);
    known.set(sender.address, payerTokenAccount(wanted.mint, tokenProgram));
  }
  const unread = (addresses: readonly Address[]): readonly Address[] =>
    addresses.filter((address) => !known.has(address));

  const names = wanted.mint === sol ? [] : [metaplexMetadataAddress(wanted.mint)];
  const needs = unread([...accountsToRead(request, undefined), ...names]);
  if (needs.length > 0) return { needs };
  const facts = decodeFacts(request, known);
  if ('needs' in facts) return { needs: unread(facts.needs) };
  const decision = decideFromFacts(request, facts, { recentPrices: undefined, maxPriorityFee: 0n });
  if ('needsPricesFor' in decision) throw new TypeError('a payment without a priority fee needs no prices');
  // The first payer's transaction creates the token account, and one that is there may be closed.
  const createTokenAccount = creationFor(wanted.mint, 'always');
  const memo = wanted.memo && checkMemo(wanted.memo, { ...request, createTokenAccount });
  const found = 'findings' in decision ? decision.findings.filter(isOfEveryPayer) : [];
  const { mint, clock } = facts;
  const fees = mint?.transferFeeConfig ? transferFeeTerms(mint.transferFeeConfig, clock.epoch) : [];
  const amounts = mint && resolveAmounts(wanted, mint);
  const [first, ...others] = [
    ...(memo ? [memo, ...found.filter(({ code }) => !isOfMemoToo(code))] : found),
    ...(mint && amounts ? checkReceived(wanted, mint, amounts, fees) : []),
  ];
  if (first) return { findings: [first, ...others] };
  const [main] = facts.mint ? facts.payments : [];
  if (!facts.mint || !main || !amounts)
    throw new TypeError('a payment in what is no mint, or of no base units, has a finding');
  return {
    mint: facts.mint,
    ...amounts,
    tokenAccount: main.tokenAccount.address,
    metadata: wanted.mint === sol ? { name: sol, symbol: sol } : readTokenMetadata(wanted.mint, read),
    transferFees: fees,
    warnings: 'plan' in decision ? warnOfRecipient(decision) : [],
  };
}

// Undefined where they have no base units in the mint.
function resolveAmounts(
  wanted: WantedPayment,
  { decimals }: Mint,
): Pick<LinkPayment, 'minAmount' | 'amount'> | undefined {
  const [min, most] = [resolveAmount(wanted.minAmount, decimals), resolveAmount(wanted.amount, decimals)];
  return 'baseUnits' in min && 'baseUnits' in most ? { minAmount: min.baseUnits, amount: most.baseUnits } : undefined;
}

// Of the least amount: of a larger one never less arrives.
function checkReceived(
  wanted: WantedPayment,
  { decimals }: Mint,
  { minAmount, amount }: Pick<LinkPayment, 'minAmount' | 'amount'>,
  fees: readonly TransferFeeTerms[],
): readonly Finding[] {
  if (leastReceived(minAmount, fees) > 0n) return [];
  const { mint } = wanted;
  const basisPoints = Math.max(...fees.map((fee) => fee.basisPoints));
  const fixedField = typeof wanted.amount === 'bigint' ? 'amount' : 'amountDecimal';
  const field = minAmount === amount ? fixedField : 'amountMin';
  return [{ code: 'nothing_received', field, context: { mint, amount: minAmount, decimals, basisPoints } }];
}

// The token account of the payer that stands in has no delegate.
function warnOfRecipient({ plan, senderTokenAccount, payments }: DecidedTransfer): readonly Warning[] {
  return [
    ...warnOfNeverUsed(neverUsedIn(payments)),
    ...warnOfControls(plan, senderTokenAccount.state, paidAccountsOf(payments)),
  ];
}

// Stands in for the payer: no wallet has this address.
const payer = addressFromBytes(new Uint8Array(32).fill(254));
const payerWallet: Account = { owner: systemProgram, lamports: 2n ** 60n, data: new Uint8Array(), executable: false };

function requestOf({ to, mint, amount, memo, references, allowsOffCurveRecipient }: WantedPayment): TransferRequest {
  return {
    layout: 'default',
    createTokenAccount: creationFor(mint, 'if_missing'),
    from: payer,
    to,
    mint,
    amount,
    splits: [],
    memo,
    feePayer: payer,
    version: 'legacy',
    priorityFee: undefined,
    nonceAccount: undefined,
    references,
    allowsOffCurveRecipient,
    checks: 'full',
  };
}

// The state of a token account, without extensions: mint, owner, amount, and at 108 that it is initialized.
function payerTokenAccount(mint: Address, tokenProgram: Address): Account {
  const data = new Uint8Array(165);
  data.set(addressToBytes(mint), 0);
  data.set(addressToBytes(payer), 32);
  new DataView(data.buffer).setBigUint64(64, maxAmount, true);
  data[108] = 1;
  return { owner: tokenProgram, lamports: payerWallet.lamports, data, executable: false };
}

// What a hook's list points to can be found through the sender, and be there for another one.
const hookFaultsOfPayer: ReadonlySet<HookFault['kind']> = new Set([
  'data_not_found',
  'account_not_found',
  'signature_demanded',
]);

function isOfEveryPayer(finding: Finding): boolean {
  if (finding.code === 'transfer_hook_names_signer') return false;
  return finding.code !== 'transfer_hook_unresolvable' || !hookFaultsOfPayer.has(finding.context.fault.kind);
}

function isOfMemoToo(code: Finding['code']): boolean {
  return code === 'transaction_too_large' || code === 'transaction_too_costly';
}
