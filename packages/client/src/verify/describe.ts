import { sol } from './expectation.ts';
import type { VerifiedPayment, VerifiedTransaction } from './verified-transaction.ts';

// More are counted: a sentence of a thousand recipients is read by no one.
const maxListed = 6;

/** Says in one sentence what a transaction does. */
export function describeTransaction(transaction: VerifiedTransaction): string {
  const { sender, feePayer, mint, decimals, payments, sponsorFee, wrapped, unwraps, tip } = transaction;
  const { priorityFeeLamports, nonce, lifetimeToken } = transaction;
  const rents = payments.filter(({ createsTokenAccount }) => createsTokenAccount).length;
  const hooked = new Set(payments.flatMap(({ hookAccounts }) => hookAccounts.map(({ address }) => address))).size;
  const gate = payments.find(({ thaw }) => thaw)?.thaw?.gateProgram;
  const fee = sponsorFee && `${sponsorFee.amount} base units of the mint ${sponsorFee.mint} to ${sponsorFee.recipient}`;
  return [
    wrapped > 0n && `${sender} wraps ${wrapped} lamports`,
    `${sender} sends ${describePayments(payments, decimals)}, in ${thingOf(mint)}`,
    fee && `${fee} are the sponsor's fee`,
    unwraps && `what is left of it, ${sender} gets as SOL`,
    `${feePayer} pays the network fee`,
    priorityFeeLamports > 0n && `a priority fee of ${priorityFeeLamports} lamports`,
    tip && `${feePayer} pays a tip of ${tip.lamports} lamports to ${tip.account}`,
    rents > 0 && `the rent of ${rents} token account${rents > 1 ? 's' : ''} if missing`,
    hooked > 0 && `the mint's transfer hook is handed ${hooked} accounts`,
    gate && `token accounts are thawed if the gate program ${gate} agrees`,
    nonce
      ? `valid with the nonce of ${nonce.account}, which ${nonce.authority} signs for`
      : `valid with blockhash ${lifetimeToken}`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** Names what is sent. */
export function thingOf(mint: string): string {
  return mint === sol ? sol : `tokens of the mint ${mint}`;
}

function describePayments(payments: readonly VerifiedPayment[], decimals: number): string {
  if (payments.length > maxListed)
    return `${formatAmount(totalOf(payments), decimals)} to ${payments.length} recipients`;
  return payments
    .map(({ amount, recipient, memo, references }) => {
      const withMemo = memo === undefined ? '' : ` with the memo ${JSON.stringify(memo)}`;
      const found = references.length > 0 ? ` under ${references.join(' and ')}` : '';
      return `${formatAmount(amount, decimals)} to ${recipient}${withMemo}${found}`;
    })
    .join(', ');
}

/** The sum of some payments, in base units. */
export function totalOf(payments: readonly VerifiedPayment[]): bigint {
  return payments.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Writes base units as whole tokens, without zeros at the end. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = `${amount}`.padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}
