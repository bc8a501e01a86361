import type { TransferRequest } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import type { Operation } from '../../operation.ts';
import { refusalOf } from '../../wire/refusal.ts';

/**
 * Throws an `AppError` of status 403 for a transfer that a key may not build, with a finding for each reason.
 *
 * `totalAmount`: base units, splits included; `undefined` while the mint is not read that a decimal amount depends on.
 *
 * The fee payer must be an allowed `from_address` too: a key limited to some wallets builds nothing for others to sign.
 */
export function assertKeyAllows(
  restrictions: KeyRestrictions,
  operation: Operation,
  request: TransferRequest,
  totalAmount: bigint | undefined,
): void {
  const { operations, mints, fromAddresses, toAddresses, amounts } = restrictions;
  const amountLimit = amounts?.get(request.mint);
  const findings: WordedFinding[] = [];
  const refuse = (pointer: string, what: string): void => {
    const detail = `This API key may not ${what}. Use another key, or ask the operator to allow it.`;
    findings.push({ code: 'key_not_allowed', pointer, detail });
  };
  if (operations?.has(operation) === false) refuse('', `use the operation ${operation}`);
  // Amount limits for some mints also forbid all other mints: a stolen key must not be able to take all of another mint.
  if (mints?.has(request.mint) === false || (amounts && !amountLimit))
    refuse('/token_mint_address', `move the mint ${request.mint}`);
  if (fromAddresses) {
    if (!fromAddresses.has(request.from)) refuse('/from_address', `send from ${request.from}`);
    const hasOtherPayer = request.feePayer !== request.from;
    if (hasOtherPayer && !fromAddresses.has(request.feePayer))
      refuse('/fee_payer', `use the fee payer ${request.feePayer}`);
  }
  // The refusal names only the refused recipient: the allowed ones would tell a thief whom the key pays.
  if (toAddresses?.has(request.to) === false) refuse('/to_address', `pay ${request.to}`);
  for (const [index, { to }] of request.splits.entries()) {
    if (toAddresses?.has(to) === false) refuse(`/splits/${index}/to_address`, `pay ${to}`);
  }
  if (amountLimit && totalAmount !== undefined) {
    const { perTransfer, perDay } = amountLimit;
    const tooMuch = (limit: bigint, where: string): void =>
      refuse(
        typeof request.amount === 'bigint' ? '/amount' : '/amount_decimal',
        `move the amount ${totalAmount}: it may move at most ${limit} base units of this mint ${where}`,
      );
    if (perTransfer !== null && totalAmount > perTransfer) tooMuch(perTransfer, 'in one transfer');
    // Above the whole day's limit; what is left of today is checked after the transaction is built.
    else if (perDay !== null && totalAmount > perDay) tooMuch(perDay, 'in a day');
  }
  const [first, ...others] = findings;
  if (first) throw refusalOf([first, ...others]);
}
