import type { Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { checkRecipient } from '../decide/check-recipient.ts';
import { hookFinding } from '../decide/check-size.ts';
import { type Payee, type ReadPayment, readPayment } from '../decide/read-payment.ts';
import type { Finding } from '../findings/finding.ts';
import type { BaseUnitFault } from '../findings/finding-faults.ts';
import type { Pause } from '../packing/pause.ts';
import type { ReadAccounts } from '../plan/resolve-hook-accounts.ts';
import { resolveAmount } from '../request/decimal-amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import type { BatchTokenAccounts } from './batch-accounts.ts';
import type { BatchRequest } from './batch-request.ts';

/** The transfers of a batch with their base units, as payees. */
export interface ResolvedTransfers {
  payees: readonly Payee[];
  /** Why an amount has no base units, by the index of its transfer. */
  faults: ReadonlyMap<number, BaseUnitFault>;
}

// To resolve the accounts that a hook demands takes up to a millisecond for each transfer.
const hookedTransfersPerTurn = 10;

/** Returns the base units of all transfers. Those without any are at fault, and count as nothing. */
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

/** Reads what is known of the payments of all transfers, or says which accounts must be read first. */
export async function readBatchPayments(
  request: TransferRequest,
  mint: Mint,
  payees: readonly Payee[],
  addresses: BatchTokenAccounts,
  read: ReadAccounts,
  pause: Pause,
): Promise<{ payments: readonly ReadPayment[] } | { needs: readonly Address[] }> {
  const source = { request, mint, senderTokenAccount: addresses.sender };
  const needs = new Set<Address>([addresses.sender]);
  const payments: ReadPayment[] = [];
  const isHooked = mint.transferHookProgram !== undefined;
  for (const [index, payee] of payees.entries()) {
    if (isHooked && index > 0 && index % hookedTransfersPerTurn === 0) await pause();
    const account = addresses.recipients[index];
    if (!account) throw new Error(`no token account was derived for transfer ${index}`);
    const payment = readPayment(source, payee, account.address, read);
    if ('needs' in payment) for (const address of payment.needs) needs.add(address);
    else payments.push(payment);
  }
  const unread = [...needs].filter((address) => read.get(address) === undefined);
  return unread.length > 0 ? { needs: unread } : { payments };
}

/** Returns what is wrong with each transfer by itself, in their order. */
export function checkBatchPayments(
  request: TransferRequest,
  mint: Mint,
  payments: readonly ReadPayment[],
  faults: ResolvedTransfers['faults'],
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [index, payment] of payments.entries()) {
    const fault = faults.get(index);
    if (fault) {
      const transfer = index;
      const context = { mint: request.mint, decimals: mint.decimals, fault };
      findings.push({ code: 'amount_not_representable', field: { transfer, part: 'amountDecimal' }, context });
    }
    findings.push(...checkRecipient(request, mint, payment));
    if (payment.hookFault) {
      findings.push({ ...hookFinding(request.mint, payment.hookFault), field: payment.payee.field });
    }
  }
  return findings;
}
