import type { Account } from '../accounts/account.ts';
import { decodeTokenAccount, type Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { checkPayment } from '../decide/check-lamports.ts';
import { checkSenderTokenAccount } from '../decide/check-sender.ts';
import type { Finding } from '../findings/finding.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/**
 * Returns why the sender's token account cannot make all transfers of a batch, whatever the order of its transactions.
 *
 * `amounts`: base units, in the order of the request; `undefined` where they are not known. `isOne`: whether one transaction makes
 * them all, in that order.
 */
export function checkBatchSender(
  request: TransferRequest,
  mint: Mint,
  address: Address,
  account: Account | null,
  amounts: readonly (bigint | undefined)[],
  isOne: boolean,
): Finding[] {
  const known = amounts.filter((amount) => amount !== undefined);
  const inWorstOrder = isOne ? known : worstOrder(request, mint, account, known);
  const findings: Finding[] = [];
  for (const finding of checkSenderTokenAccount(request, mint, address, account, inWorstOrder)) {
    if (finding.code !== 'insufficient_token_balance') findings.push(finding);
    // What is delegated may be used up by an amount that is not known, and the owner sends the rest.
    else if (!isOne || known.length === amounts.length || finding.context.limitedBy === 'balance') {
      findings.push({ ...finding, field: 'transfers' });
    }
  }
  return findings;
}

// An owner that is its own delegate is held to the delegated amount until exactly that is sent. In some order it never is, unless
// all amounts are equal and it is a multiple of theirs.
function worstOrder(
  { from, mint: mintAddress }: TransferRequest,
  mint: Mint,
  account: Account | null,
  amounts: readonly bigint[],
): readonly bigint[] {
  const expected = { mint: mintAddress, tokenProgram: mint.tokenProgram, likelyOwner: from };
  const tokenAccount = account && decodeTokenAccount(account, expected);
  if (tokenAccount?.delegate?.address !== from) return amounts;
  const [first = 0n] = amounts;
  if (amounts.every((amount) => amount === first)) return amounts;
  return [amounts.reduce((sum, amount) => sum + amount, 0n)];
}

/**
 * Returns the finding when the fee payer cannot pay for all transactions of a batch, whatever their order, otherwise undefined.
 *
 * A token account that several of them would create costs its rent once.
 */
export function checkBatchLamports(
  plans: readonly TransferPlan[],
  account: Account | null,
  minimum: bigint,
): Finding | undefined {
  const [first] = plans;
  if (!first) return undefined;
  if (plans.length === 1) return checkPayment(first, account, minimum);
  const networkFee = plans.reduce((sum, plan) => sum + plan.networkFee, 0n);
  const priorityFee = plans.reduce((sum, plan) => sum + plan.priorityFee, 0n);
  const rent = rentOfBatch(plans);
  const balance = account?.lamports ?? 0n;
  const left = balance - networkFee - priorityFee - rent;
  if (left >= minimum || (left === 0n && canEachBeLast(plans, minimum))) return undefined;
  return {
    code: 'insufficient_sol',
    field: first.feePayer === first.sender ? 'from' : 'feePayer',
    context: { feePayer: first.feePayer, balance, networkFee, priorityFee, rent, minimumBalance: minimum },
  };
}

/** Lamports that the fee payer pays for all token accounts that a batch creates, each once. */
export function rentOfBatch(plans: readonly TransferPlan[]): bigint {
  const rents = new Map<Address, bigint>();
  for (const plan of plans) {
    for (const payment of [...plan.splits, plan]) {
      if (payment.rent > 0n) rents.set(payment.recipientTokenAccount, payment.rent);
    }
  }
  return [...rents.values()].reduce((sum, rent) => sum + rent, 0n);
}

// Before a last transaction that takes all there is, and after its fee, the runtime wants the minimum to be there, or nothing.
function canEachBeLast(plans: readonly TransferPlan[], minimum: bigint): boolean {
  const payerCounts = new Map<Address, number>();
  for (const plan of plans) {
    for (const address of new Set([...plan.splits, plan].map((payment) => payment.recipientTokenAccount))) {
      payerCounts.set(address, (payerCounts.get(address) ?? 0) + 1);
    }
  }
  return plans.every((plan) => {
    // What another transaction pays, too, is there by then: whichever comes first creates it.
    const rent = [...plan.splits, plan].reduce(
      (sum, payment) => (payerCounts.get(payment.recipientTokenAccount) === 1 ? sum + payment.rent : sum),
      0n,
    );
    const fee = plan.networkFee + plan.priorityFee;
    return fee + rent >= minimum && (rent === 0n || rent >= minimum);
  });
}
