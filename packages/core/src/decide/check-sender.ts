import type { Mint } from '../accounts/token-state.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { WalletFault } from '../findings/finding-faults.ts';
import { inTransactionOrder } from '../plan/plan-transfer.ts';
import type { AssociatedAccount, DecodedFacts, Wallet } from '../plan/transfer-facts.ts';
import { rentOf, type TransferCosts } from '../plan/transfer-plan.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/**
 * Returns why the sender and the fee payer cannot make a transfer, in a fixed order.
 *
 * `costs`: those of the plan, or the least of any.
 */
export function checkSender(request: TransferRequest, facts: DecodedFacts, costs: TransferCosts): Finding[] {
  const findings: Finding[] = [];
  const feePayerWallet = checkFeePayerWallet(request, facts.feePayer);
  if (feePayerWallet) findings.push(feePayerWallet);
  if (facts.mint) {
    const multisig = checkSponsoredSender(request, facts.mint, facts.sender);
    if (multisig) findings.push(multisig);
    const amounts = inTransactionOrder(facts.payments).map(({ amount }) => amount);
    const field = typeof request.amount === 'bigint' ? 'amount' : 'amountDecimal';
    findings.push(...checkSenderTokenAccount(request, facts.mint, facts.senderTokenAccount, amounts, field));
  }
  const lamports = feePayerWallet ? undefined : checkLamports(request, facts.feePayer, costs, facts.emptyAccountRent);
  if (lamports) findings.push(lamports);
  return findings;
}

/**
 * Returns the finding when the account of the fee payer is not a wallet, which alone can pay fees, otherwise undefined. Where there
 * is no account there is a wallet without SOL.
 *
 * A sender who does not pay the fee only signs, which any key can.
 */
export function checkFeePayerWallet(
  { feePayer, from }: Pick<TransferRequest, 'feePayer' | 'from'>,
  { account }: Wallet,
): Finding | undefined {
  if (!account || (account.owner === systemProgram && account.data.length === 0)) return undefined;
  const fault: WalletFault =
    account.owner === systemProgram ? { kind: 'holds_data' } : { kind: 'of_program', program: account.owner };
  const context = { wallet: feePayer, fault };
  return feePayer === from
    ? { code: 'sender_not_a_wallet', field: 'from', context }
    : { code: 'fee_payer_not_a_wallet', field: 'feePayer', context };
}

/**
 * Returns the finding when another wallet pays for a sender that is a multisig of the mint's token program, otherwise undefined.
 *
 * The signature of such a sender moves nothing: a token program asks for those of the multisig's signers instead (token-2022
 * `Processor::validate_owner`). Anything else that has a key signs for itself.
 */
export function checkSponsoredSender(
  { feePayer, from }: Pick<TransferRequest, 'feePayer' | 'from'>,
  { tokenProgram }: Mint,
  { account, kind }: Wallet,
): Finding | undefined {
  if (feePayer === from || kind !== 'multisig' || account?.owner !== tokenProgram) return undefined;
  const fault = { kind: 'multisig', program: tokenProgram } as const;
  return { code: 'sender_not_a_wallet', field: 'from', context: { wallet: from, fault } };
}

/**
 * Returns why the sender's token account cannot make these payments, in a fixed order.
 *
 * `amounts`: base units, in the order of the transaction.
 */
export function checkSenderTokenAccount(
  request: Pick<TransferRequest, 'from' | 'mint'>,
  mint: Mint,
  { address, state, occupant }: AssociatedAccount,
  amounts: readonly bigint[],
  amountField: 'amount' | 'amountDecimal' | 'transfers',
): Finding[] {
  const field = 'from';
  const { decimals } = mint;
  const account = { wallet: request.from, mint: request.mint, tokenAccount: address };
  if (occupant !== undefined) {
    const fault = { kind: 'not_a_token_account', program: occupant } as const;
    return [{ code: 'sender_token_account_not_owned', field, context: { ...account, fault } }];
  }
  if (!state) return [{ code: 'sender_token_account_not_found', field, context: { ...account, decimals } }];

  const amount = amounts.reduce((sum, each) => sum + each, 0n);
  const findings: Finding[] = [];
  // The mint's permanent delegate may move tokens out of any account, its own limits as a delegate apart.
  const isPermanentDelegate = mint.permanentDelegate === request.from;
  const delegated = state.delegate?.address === request.from ? state.delegate.amount : undefined;
  const isDelegateForEnough = delegated !== undefined && delegated >= amount;
  if (state.owner !== request.from && !isPermanentDelegate && !isDelegateForEnough) {
    const fault = { kind: 'other_owner', owner: state.owner } as const;
    findings.push({ code: 'sender_token_account_not_owned', field, context: { ...account, fault } });
  }
  if (state.isFrozen) findings.push({ code: 'sender_token_account_frozen', field, context: account });
  if (state.amount < amount) {
    const context = { ...account, limitedBy: 'balance', available: state.amount, amount, decimals } as const;
    findings.push({ code: 'insufficient_token_balance', field: amountField, context });
  } else if (
    state.owner === request.from &&
    !isPermanentDelegate &&
    delegated !== undefined &&
    !isEnoughForOwner(delegated, amounts)
  ) {
    const context = { ...account, limitedBy: 'delegation', available: delegated, amount, decimals } as const;
    findings.push({ code: 'insufficient_token_balance', field: amountField, context });
  }
  return findings;
}

// The token programs look at the delegate first: an owner that is its own delegate is held to the delegated amount. A delegate
// that has sent all of that is no longer a delegate, and the owner sends the rest as the owner.
function isEnoughForOwner(delegated: bigint, amounts: readonly bigint[]): boolean {
  let left = delegated;
  for (const amount of amounts) {
    if (amount > left) return false;
    left -= amount;
    if (left === 0n) return true;
  }
  return true;
}

/**
 * Returns the finding when the fee payer cannot pay what a transaction costs, otherwise undefined.
 *
 * What it has left must be zero or at least the rent-exempt minimum, once after the fee and once at the end: the runtime
 * refuses a transaction that leaves its fee payer anything between (`InsufficientFundsForRent`).
 */
export function checkLamports(
  { feePayer, from }: Pick<TransferRequest, 'feePayer' | 'from'>,
  { account }: Wallet,
  costs: TransferCosts,
  minimumBalance: bigint,
): Finding | undefined {
  const balance = account?.lamports ?? 0n;
  const { networkFee, priorityFee } = costs;
  const rent = rentOf(costs);
  const isAllowed = (left: bigint): boolean => left === 0n || left >= minimumBalance;
  const afterFee = balance - networkFee - priorityFee;
  const left = afterFee - rent;
  if (left >= 0n && isAllowed(afterFee) && isAllowed(left)) return undefined;
  const context = { feePayer, balance, networkFee, priorityFee, rent, minimumBalance };
  return { code: 'insufficient_sol', field: feePayer === from ? 'from' : 'feePayer', context };
}
