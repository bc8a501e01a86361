import type { Account } from '../accounts/account.ts';
import { classifyTokenProgramAccount, decodeTokenAccount, isVacant, type Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { WalletFault } from '../findings/finding-faults.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/**
 * Says why an account cannot pay the fee as a wallet, if so. An absent one is a wallet without SOL.
 *
 * A sender who does not pay the fee only signs, which any key can.
 */
export function checkFeePayerWallet(feePayer: Address, sender: Address, account: Account | null): Finding | undefined {
  if (!account || (account.owner === systemProgram && account.data.length === 0)) return undefined;
  const fault: WalletFault =
    account.owner === systemProgram ? { kind: 'holds_data' } : { kind: 'of_program', program: account.owner };
  const context = { wallet: feePayer, fault };
  return feePayer === sender
    ? { code: 'sender_not_a_wallet', field: 'from', context }
    : { code: 'fee_payer_not_a_wallet', field: 'feePayer', context };
}

/**
 * Says why the signature of a sender for whom another pays would move nothing, if so: the sender is a multisig.
 *
 * A token program asks for the signatures of a multisig's signers instead of its own (token-2022 `Processor::validate_owner`);
 * anything else that has a key signs for itself.
 */
export function checkSponsoredSender(
  request: TransferRequest,
  mint: Mint,
  account: Account | null,
): Finding | undefined {
  if (request.feePayer === request.from || account?.owner !== mint.tokenProgram) return undefined;
  if (classifyTokenProgramAccount(account) !== 'multisig') return undefined;
  const fault = { kind: 'multisig', program: account.owner } as const;
  return { code: 'sender_not_a_wallet', field: 'from', context: { wallet: request.from, fault } };
}

/**
 * Returns why the sender's token account cannot make these payments, in a fixed order.
 *
 * `amounts`: base units, in the order of the transaction.
 */
export function checkSenderTokenAccount(
  request: TransferRequest,
  mint: Mint,
  address: Address,
  account: Account | null,
  amounts: readonly bigint[],
): Finding[] {
  const amount = amounts.reduce((sum, each) => sum + each, 0n);
  const field = 'from';
  const { decimals } = mint;
  const expected = { mint: request.mint, tokenProgram: mint.tokenProgram, likelyOwner: request.from };
  const tokenAccount = account && decodeTokenAccount(account, expected);
  if (!tokenAccount && account && !isVacant(account)) {
    const fault = { kind: 'not_a_token_account', program: account.owner } as const;
    return [{ code: 'sender_token_account_not_owned', field, context: { ...contextOf(request, address), fault } }];
  }
  if (!tokenAccount) {
    return [{ code: 'sender_token_account_not_found', field, context: { ...contextOf(request, address), decimals } }];
  }
  const findings: Finding[] = [];
  // The mint's permanent delegate may move tokens out of any account, its own limits as a delegate apart.
  const isPermanentDelegate = mint.permanentDelegate === request.from;
  const delegated = tokenAccount.delegate?.address === request.from ? tokenAccount.delegate.amount : undefined;
  const isDelegateForEnough = delegated !== undefined && delegated >= amount;
  if (tokenAccount.owner !== request.from && !isPermanentDelegate && !isDelegateForEnough) {
    const fault = { kind: 'other_owner', owner: tokenAccount.owner } as const;
    findings.push({
      code: 'sender_token_account_not_owned',
      field,
      context: { ...contextOf(request, address), fault },
    });
  }
  if (tokenAccount.isFrozen) {
    findings.push({ code: 'sender_token_account_frozen', field, context: contextOf(request, address) });
  }
  if (tokenAccount.amount < amount) {
    const available = tokenAccount.amount;
    const context = { ...contextOf(request, address), limitedBy: 'balance', available, amount, decimals } as const;
    findings.push({ code: 'insufficient_token_balance', field: amountField(request), context });
  } else if (
    tokenAccount.owner === request.from &&
    !isPermanentDelegate &&
    delegated !== undefined &&
    !isEnoughForOwner(delegated, amounts)
  ) {
    const available = delegated;
    const context = { ...contextOf(request, address), limitedBy: 'delegation', available, amount, decimals } as const;
    findings.push({ code: 'insufficient_token_balance', field: amountField(request), context });
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

function amountField({ amount }: TransferRequest): 'amount' | 'amountDecimal' {
  return typeof amount === 'bigint' ? 'amount' : 'amountDecimal';
}

function contextOf(
  { from, mint }: TransferRequest,
  tokenAccount: Address,
): { wallet: Address; mint: Address; tokenAccount: Address } {
  return { wallet: from, mint, tokenAccount };
}
