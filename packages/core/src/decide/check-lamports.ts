import { type Address, sol } from '../addresses/address.ts';
import { isReserved } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { TipFault } from '../findings/finding-faults.ts';
import type { ReadPayee, Wallet, WalletFacts } from '../plan/transfer-facts.ts';
import { rentOf, sentAmount, type TransferCosts } from '../plan/transfer-plan.ts';
import type { Tip, TransferRequest } from '../request/transfer-request.ts';

/** What the lamports of the wallets of a transfer depend on. */
export type LamportFacts = Pick<WalletFacts, 'emptyAccountRent' | 'feePayer' | 'sender'>;
type Wallets = Pick<TransferRequest, 'feePayer' | 'from' | 'mint' | 'wrap' | 'unwrap'>;

/** What a transaction takes of a wallet, in lamports. */
export interface Spending {
  networkFee: bigint;
  priorityFee: bigint;
  rent: bigint;
  /** Of SOL, also what is wrapped, and the tip. */
  sent: bigint;
}

/** The wallets that a transfer takes lamports of: the fee payer, and the sender of SOL, wrapped or not. */
export function spendersOf(
  { feePayer, from, mint, wrap, unwrap }: Wallets,
  facts: LamportFacts,
): readonly { address: Address; wallet: Wallet }[] {
  const payer = { address: feePayer, wallet: facts.feePayer };
  return (mint === sol || wrap || unwrap) && from !== feePayer
    ? [payer, { address: from, wallet: facts.sender }]
    : [payer];
}

/** Returns what a transaction takes of a wallet. */
export function spendingOf(address: Address, { feePayer, from, mint }: Wallets, costs: TransferCosts): Spending {
  const [isPayer, isSender] = [address === feePayer, address === from];
  const wrap = isSender ? costs.wrap : undefined;
  return {
    networkFee: isPayer ? costs.networkFee : 0n,
    priorityFee: isPayer ? costs.priorityFee : 0n,
    rent: (isPayer ? rentOf(costs) : 0n) + (wrap?.rent ?? 0n),
    sent:
      (isSender && mint === sol ? sentAmount(costs) : 0n) +
      (wrap?.lamports ?? 0n) +
      (isPayer ? (costs.tip?.lamports ?? 0n) : 0n),
  };
}

/**
 * Returns why the fee payer, or the sender of SOL, cannot pay what one transaction takes of it.
 *
 * What a wallet has left must be zero or at least the rent-exempt minimum: the runtime refuses a transaction that leaves anything
 * between (`InsufficientFundsForRent`), of its fee payer once after the fee and once at the end.
 */
export function checkLamports(request: Wallets, facts: LamportFacts, costs: TransferCosts): readonly Finding[] {
  const minimum = facts.emptyAccountRent;
  const isAllowed = (left: bigint): boolean => left === 0n || left >= minimum;
  return spendersOf(request, facts).flatMap(({ address, wallet }) => {
    const spending = spendingOf(address, request, costs);
    const { networkFee, priorityFee, rent, sent } = spending;
    const fee = networkFee + priorityFee;
    // A vault may hold any lamports, of which nothing is taken.
    if (fee + rent + sent === 0n) return [];
    const afterFee = lamportsOf(wallet) - fee;
    // A fee payer may be paid by the transaction itself, and a sender be tipped at its end; what is wrapped is paid before.
    const received = request.mint === sol ? receivedBy(address, costs) : tippedTo(address, costs.tip);
    const unwrapped = address === request.from ? (costs.unwrap?.lamports ?? 0n) : 0n;
    const beforeUnwrap = afterFee - rent - (address === request.from ? (costs.wrap?.lamports ?? 0n) : 0n);
    const left = afterFee - rent - sent + received + unwrapped;
    const isPaid = fee === 0n || (afterFee >= 0n && isAllowed(afterFee));
    return isPaid && beforeUnwrap >= 0n && left >= tippedTo(address, costs.tip) && isAllowed(left)
      ? []
      : [insufficientSol(request, { address, wallet }, spending, minimum)];
  });
}

/** The finding that a wallet has too little SOL for what is taken of it. */
export function insufficientSol(
  { feePayer, from }: Wallets,
  { address, wallet }: { address: Address; wallet: Wallet },
  { networkFee, priorityFee, rent, sent }: Spending,
  minimumBalance: bigint,
): Finding {
  const balance = lamportsOf(wallet);
  return {
    code: 'insufficient_sol',
    field: address === feePayer && feePayer !== from ? 'feePayer' : 'from',
    context: { wallet: address, balance, networkFee, priorityFee, rent, sent, minimumBalance },
  };
}

/**
 * Returns the recipients of SOL that would hold less than the rent-exempt minimum once one transaction has paid them, which the runtime
 * refuses: a new one must get as much at once.
 *
 * The fee payer is checked by what it has left.
 */
export function checkSolReceived(
  { feePayer, mint }: Wallets,
  { emptyAccountRent: minimumBalance }: LamportFacts,
  payees: readonly ReadPayee[],
  costs: TransferCosts,
): readonly Finding[] {
  if (mint !== sol) return [];
  const firsts = [...new Map(payees.toReversed().map((payee) => [payee.to, payee])).values()].toReversed();
  return firsts.flatMap(({ to: recipient, field, wallet }) => {
    const [balance, amount] = [lamportsOf(wallet), receivedBy(recipient, costs)];
    if (recipient === feePayer || amount === 0n || balance + amount >= minimumBalance) return [];
    return [{ code: 'recipient_below_rent_minimum', field, context: { recipient, balance, amount, minimumBalance } }];
  });
}

/** Lamports that a wallet holds; none where there is no account. */
export function lamportsOf({ account }: Wallet): bigint {
  return account?.lamports ?? 0n;
}

/** Lamports that a wallet gets of a transfer of SOL, a tip included. */
export function receivedBy(address: Address, { payments, tip }: TransferCosts): bigint {
  return payments.reduce(
    (sum, { recipient, amount }) => (recipient === address ? sum + amount : sum),
    tippedTo(address, tip),
  );
}

function tippedTo(address: Address, tip: Tip | undefined): bigint {
  return tip?.account === address ? tip.lamports : 0n;
}

/**
 * Returns the finding when an account is no one to tip, otherwise undefined: senders have wallets or accounts of their own program, all of
 * which are there.
 */
export function checkTip(
  { tip, feePayer }: Pick<TransferRequest, 'tip' | 'feePayer'>,
  facts: Pick<WalletFacts, 'tip' | 'emptyAccountRent'>,
): Finding | undefined {
  const fault = tip && tipFaultOf(tip, feePayer, facts);
  return (
    fault && { code: 'tip_account_not_payable', field: { tip: 'account' }, context: { account: tip.account, fault } }
  );
}

function tipFaultOf(
  { account: address, lamports }: Tip,
  feePayer: Address,
  { tip, emptyAccountRent }: Pick<WalletFacts, 'tip' | 'emptyAccountRent'>,
): TipFault | undefined {
  if (address === feePayer) return 'payer';
  if (tip?.account?.executable) return 'program';
  if (isReserved(address)) return 'reserved';
  if (!tip?.account) return 'not_found';
  if (tip.kind !== undefined) return 'of_token_program';
  const isPoor = tip.account.data.length === 0 && tip.account.lamports + lamports < emptyAccountRent;
  return isPoor ? 'below_minimum' : undefined;
}
