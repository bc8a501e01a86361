import { type BatchRequest, totalOf } from 'splwright-core';
import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import { KeyFindings } from '../transfers/key-permission.ts';

/**
 * Throws an `AppError` of status 403 for a batch that a key may not build, with a finding for each reason.
 *
 * `amounts`: base units of each transfer; `undefined` while the mint is not read that a decimal amount depends on. The limit of
 * one transfer holds for each of them, that of a day for all together. `indices`: what the transfers are called in a refusal,
 * where they are a part of a batch.
 */
export function assertKeyAllowsBatch(
  restrictions: KeyRestrictions,
  request: BatchRequest,
  amounts: readonly (bigint | undefined)[],
  indices?: readonly number[],
): void {
  const findings = new KeyFindings(restrictions);
  findings.checkParties('batch', request);
  const limit = restrictions.amounts?.get(request.mint);
  const { toAddresses } = restrictions;
  if (toAddresses || limit) {
    for (const [index, { to, amount: asked }] of request.transfers.entries()) {
      const pointer = `/transfers/${indices?.[index] ?? index}`;
      findings.checkRecipient(to, `${pointer}/to_address`);
      const amount = amounts[index];
      const name = typeof asked === 'bigint' ? 'amount' : 'amount_decimal';
      if (limit && limit.perTransfer !== null && amount !== undefined && amount > limit.perTransfer) {
        findings.refuseAmount(`${pointer}/${name}`, amount, limit.perTransfer, 'in one transfer');
      }
    }
  }
  const total = totalOf(amounts);
  if (limit && limit.perDay !== null && total !== undefined && total > limit.perDay) {
    findings.refuseAmount('/transfers', total, limit.perDay, 'in a day');
  }
  findings.throwIfAny();
}
