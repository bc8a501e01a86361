import type { Mint } from '../accounts/token-state.ts';
import { sol } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { WalletFault } from '../findings/finding-faults.ts';
import { inTransactionOrder } from '../plan/plan-transfer.ts';
import type { AssociatedAccount, DecodedFacts, Wallet } from '../plan/transfer-facts.ts';
import type { TransferCosts } from '../plan/transfer-plan.ts';
import { amountFieldOf } from '../request/amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { checkLamports } from './check-lamports.ts';

/**
 * Returns why the sender and the fee payer cannot make a transfer, in a fixed order.
 *
 * `costs`: those of the plan, or the least of any.
 */
export function checkSender(request: TransferRequest, facts: DecodedFacts, costs: TransferCosts): Finding[] {
  const findings: Finding[] = [];
  const notWallets = checkPayingWallets(request, facts);
  findings.push(...notWallets);
  if (facts.mint && request.mint !== sol) {
    const multisig = checkSponsoredSender(request, facts.mint, facts.sender);
    if (multisig) findings.push(multisig);
    const fees = sponsorFeesOf(request, 1);
    const amounts = [...fees, ...inTransactionOrder(facts.payments).map(({ amount }) => amount)];
    const field = amountFieldOf(request.amount);
    const account = withWrapped(facts.senderTokenAccount, costs);
    if (account) findings.push(...checkSenderTokenAccount(request, facts.mint, account, amounts, field, fees));
    findings.push(...checkUnwrap(request, facts.senderTokenAccount));
  }
  if (notWallets.length === 0) findings.push(...checkLamports(request, facts, costs));
  return findings;
}

// What the token account is once the missing SOL is wrapped; undefined where it is new, and has just that.
function withWrapped(account: AssociatedAccount, { wrap }: TransferCosts): AssociatedAccount | undefined {
  if (!wrap || account.occupant !== undefined) return account;
  const { state } = account;
  return state && { ...account, state: { ...state, amount: state.amount + wrap.lamports } };
}

function checkUnwrap(
  { from, mint, unwrap }: TransferRequest,
  { address: tokenAccount, state }: AssociatedAccount,
): readonly Finding[] {
  const closer = state && (state.closeAuthority ?? state.owner);
  if (!unwrap || closer === undefined || closer === from) return [];
  const context = { wallet: from, mint, tokenAccount, fault: { kind: 'other_closer', closer } } as const;
  return [{ code: 'sender_token_account_not_owned', field: 'unwrap', context }];
}

/**
 * Returns the findings when the account of the fee payer, or that of the sender of SOL, is not a wallet, which alone can pay fees and send
 * SOL. Where there is no account there is a wallet without SOL.
 *
 * A sender of tokens who does not pay the fee only signs, which any key can.
 */
export function checkPayingWallets(
  { feePayer, from, mint, wrap }: Pick<TransferRequest, 'feePayer' | 'from' | 'mint' | 'wrap'>,
  facts: Pick<DecodedFacts, 'feePayer' | 'sender'>,
): Finding[] {
  const findings: Finding[] = [];
  const payer = walletFaultOf(facts.feePayer);
  if (payer && feePayer !== from) {
    findings.push({ code: 'fee_payer_not_a_wallet', field: 'feePayer', context: { wallet: feePayer, fault: payer } });
  }
  const sender = mint === sol || wrap || feePayer === from ? walletFaultOf(facts.sender) : undefined;
  if (sender) findings.push({ code: 'sender_not_a_wallet', field: 'from', context: { wallet: from, fault: sender } });
  return findings;
}

function walletFaultOf({ account }: Wallet): WalletFault | undefined {
  if (!account || (account.owner === systemProgram && account.data.length === 0)) return undefined;
  return account.owner === systemProgram ? { kind: 'holds_data' } : { kind: 'of_program', program: account.owner };
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

/** The fees that the sponsor of some transactions gets in the mint of a request, in base units; none where it gets another token. */
export function sponsorFeesOf(
  { mint, sponsorFee }: Pick<TransferRequest, 'mint' | 'sponsorFee'>,
  transactionCount: number,
): readonly bigint[] {
  if (sponsorFee?.mint !== mint) return [];
  return Array.from({ length: transactionCount }, (_, index) => sponsorFee.amounts[index] ?? 0n);
}

/**
 * Returns why the sender's token account cannot make these payments, in a fixed order.
 *
 * `amounts`: base units, in the order of the transaction. `fees`: what of them the sponsor gets.
 */
export function checkSenderTokenAccount(
  request: Pick<TransferRequest, 'from' | 'mint'>,
  mint: Mint,
  { address, state, occupant }: AssociatedAccount,
  amounts: readonly bigint[],
  amountField: ReturnType<typeof amountFieldOf> | 'transfers',
  fees: readonly bigint[] = [],
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
  const sponsorFee = fees.reduce((sum, fee) => sum + fee, 0n);
  const ofFee = sponsorFee > 0n && { sponsorFee };
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
    const context = { ...account, limitedBy: 'balance', available: state.amount, amount, decimals, ...ofFee } as const;
    findings.push({ code: 'insufficient_token_balance', field: amountField, context });
  } else if (
    state.owner === request.from &&
    !isPermanentDelegate &&
    delegated !== undefined &&
    !isEnoughForOwner(delegated, amounts)
  ) {
    const context = { ...account, limitedBy: 'delegation', available: delegated, amount, decimals, ...ofFee } as const;
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
