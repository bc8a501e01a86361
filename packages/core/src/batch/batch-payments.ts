import type { Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { hookFinding } from '../decide/check-cost.ts';
import { checkRecipient } from '../decide/check-recipient.ts';
import { type ReadPayment, readPayment } from '../decide/read-payment.ts';
import type { Finding } from '../findings/finding.ts';
import type { BaseUnitFault } from '../findings/finding-faults.ts';
import type { ReadAccounts } from '../plan/resolve-hook-accounts.ts';
import { resolveAmount } from '../request/decimal-amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { type BatchTokenAccounts, batchTokenAccountsOf } from './batch-accounts.ts';
import type { BatchRequest, ResolvedTransfer } from './batch-request.ts';
import type { Pace, Steps } from './steps.ts';

/** The transfers of a batch with their base units. */
export interface ResolvedTransfers {
  transfers: readonly ResolvedTransfer[];
  /** Why an amount has no base units, by the index of its transfer. */
  faults: ReadonlyMap<number, BaseUnitFault>;
}

// How much work it is to look an account up, to read the accounts of a transfer, and to check its recipient.
const unitsPerLookup = 0.05;
const unitsPerPayment = 0.5;
const unitsPerRecipient = 1;

/** Returns the base units of all transfers. Those without any are at fault, and count as nothing. */
export function resolveTransfers(request: BatchRequest, { decimals }: Mint): ResolvedTransfers {
  const faults = new Map<number, BaseUnitFault>();
  const transfers = request.transfers.map((transfer, index): ResolvedTransfer => {
    const amount = resolveAmount(transfer.amount, decimals);
    if ('baseUnits' in amount) return { ...transfer, amount: amount.baseUnits };
    faults.set(index, amount.fault);
    return { ...transfer, amount: 0n };
  });
  return { transfers, faults };
}

/** Reads what is known of the payments of all transfers, or says which accounts must be read first. */
export function* readBatchPayments(
  request: TransferRequest,
  mint: Mint,
  transfers: readonly ResolvedTransfer[],
  addresses: BatchTokenAccounts,
  read: ReadAccounts,
  pace: Pace,
): Steps<{ payments: readonly ReadPayment[] } | { needs: readonly Address[] }> {
  const unread = batchTokenAccountsOf(addresses).filter((address) => read.get(address) === undefined);
  if (unread.length > 0) return { needs: unread };
  if (pace.isStepOver(transfers.length * unitsPerLookup)) yield;
  const source = { request, mint, senderTokenAccount: addresses.sender };
  const needs = new Set<Address>();
  const payments: ReadPayment[] = [];
  for (const [index, transfer] of transfers.entries()) {
    const account = addresses.recipients[index];
    if (!account) throw new Error(`no token account was derived for transfer ${index}`);
    const payee = { ...transfer, field: { transfer: index, part: 'to' } as const };
    const payment = readPayment(source, payee, account.address, read);
    if ('needs' in payment) for (const address of payment.needs) needs.add(address);
    else payments.push(payment);
    if (pace.isStepOver(mint.transferHookProgram === undefined ? unitsPerPayment : unitsPerHook)) yield;
  }
  return needs.size > 0 ? { needs: [...needs] } : { payments };
}

// To resolve the accounts that a hook demands.
const unitsPerHook = 10;

/** Returns what is wrong with each transfer by itself, in their order. */
export function* checkBatchPayments(
  request: TransferRequest,
  mint: Mint,
  payments: readonly ReadPayment[],
  faults: ResolvedTransfers['faults'],
  pace: Pace,
): Steps<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [transfer, payment] of payments.entries()) {
    const fault = faults.get(transfer);
    if (fault) {
      const context = { mint: request.mint, decimals: mint.decimals, fault };
      findings.push({ code: 'amount_not_representable', field: { transfer, part: 'amountDecimal' }, context });
    }
    findings.push(...checkRecipient(request, mint, payment));
    if (payment.hookFault) {
      findings.push({ ...hookFinding(request.mint, payment.hookFault), field: payment.payee.field });
    }
    if (pace.isStepOver(unitsPerRecipient)) yield;
  }
  return findings;
}
