import type { TransferRequest } from '../core/transfer-plan.ts';
import { AppError, type Finding } from '../errors.ts';
import type { KeyRestrictions } from '../keys/authenticated-key.ts';

/**
 * Refuses a transfer that a key may not build. Throws an `AppError` of status 403 that names everything not allowed.
 *
 * A fee payer counts as `from_address` does: a key that is limited to some wallets builds nothing for others to sign.
 */
export function assertKeyAllows(restrictions: KeyRestrictions, request: TransferRequest): void {
  const { operations, mints, fromAddresses } = restrictions;
  const findings: Finding[] = [];
  const refuse = (pointer: string, what: string): void => {
    const detail = `This API key is not allowed ${what}. Ask whoever made it to allow that, or use another key.`;
    findings.push({ code: 'key_not_allowed', pointer, detail });
  };
  if (operations?.has(request.operation) === false) refuse('', `the operation ${request.operation}`);
  if (mints?.has(request.mint) === false) refuse('/token_mint_address', `the mint ${request.mint}`);
  if (fromAddresses) {
    if (!fromAddresses.has(request.from)) refuse('/from_address', `to send from ${request.from}`);
    const hasOtherPayer = request.feePayer !== request.from;
    if (hasOtherPayer && !fromAddresses.has(request.feePayer))
      refuse('/fee_payer', `the fee payer ${request.feePayer}`);
  }
  const [first] = findings;
  if (!first) return;
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more, in errors)` : '';
  throw new AppError('key_not_allowed', `${first.detail}${more}`, { findings });
}
