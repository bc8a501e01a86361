import type { Address, TransferRequest } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import type { KeyRestrictions } from '../../keys/authenticated-key.ts';
import type { Operation } from '../../operation.ts';
import { refusalOf } from '../../wire/refusal.ts';

/** Collects what a key may not do, and refuses it all at once. */
export class KeyFindings {
  readonly #restrictions: KeyRestrictions;
  readonly #findings: WordedFinding[] = [];

  constructor(restrictions: KeyRestrictions) {
    this.#restrictions = restrictions;
  }

  /**
   * Checks the operation, the mint, the sender and the fee payer.
   *
   * The fee payer must be an allowed `from_address` too: a key limited to some wallets builds nothing for others to sign.
   */
  checkParties(
    operation: Operation,
    { mint, from, feePayer }: Pick<TransferRequest, 'mint' | 'from' | 'feePayer'>,
  ): void {
    const { fromAddresses } = this.#restrictions;
    this.checkOperation(operation);
    this.checkMint(mint);
    if (!fromAddresses) return;
    if (!fromAddresses.has(from)) this.refuse('/from_address', `send from ${from}`);
    if (feePayer !== from && !fromAddresses.has(feePayer)) this.refuse('/fee_payer', `use the fee payer ${feePayer}`);
  }

  /** Checks the operation alone. */
  checkOperation(operation: Operation): void {
    if (this.#restrictions.operations?.has(operation) === false) this.refuse('', `use the operation ${operation}`);
  }

  /** Checks the mint alone. */
  checkMint(mint: Address): void {
    const { mints, amounts } = this.#restrictions;
    // Amount limits for some mints also forbid all other mints: a stolen key must not be able to take all of another mint.
    if (mints?.has(mint) === false || (amounts && !amounts.has(mint))) {
      this.refuse('/token_mint_address', `move the mint ${mint}`);
    }
  }

  /** Checks a recipient. The refusal names only that one: the allowed ones would tell a thief whom the key pays. */
  checkRecipient(to: Address, pointer: string): void {
    if (this.#restrictions.toAddresses?.has(to) === false) this.refuse(pointer, `pay ${to}`);
  }

  /** Refuses an amount in base units that is above a limit, which holds `where`. */
  refuseAmount(pointer: string, amount: bigint, limit: bigint, where: string): void {
    this.refuse(pointer, `move the amount ${amount}: it may move at most ${limit} base units of this mint ${where}`);
  }

  /** Whether nothing was found. */
  get areNone(): boolean {
    return this.#findings.length === 0;
  }

  /** Throws the refusal of all that was found. */
  throwIfAny(): void {
    const [first, ...others] = this.#findings;
    if (first) throw refusalOf([first, ...others]);
  }

  /** Refuses what the key may not do, as the end of "This API key may not". */
  refuse(pointer: string, what: string): void {
    const detail = `This API key may not ${what}. Use another key, or ask the operator to allow it.`;
    this.#findings.push({ code: 'key_not_allowed', pointer, detail });
  }
}

/**
 * Throws an `AppError` of status 403 for a transfer that a key may not build, with a finding for each reason.
 *
 * `totalAmount`: base units, splits included; `undefined` while the mint is not read that a decimal amount depends on.
 */
export function assertKeyAllows(
  restrictions: KeyRestrictions,
  operation: Operation,
  request: TransferRequest,
  totalAmount: bigint | undefined,
): void {
  const findings = new KeyFindings(restrictions);
  findings.checkParties(operation, request);
  findings.checkRecipient(request.to, '/to_address');
  for (const [index, { to }] of request.splits.entries()) findings.checkRecipient(to, `/splits/${index}/to_address`);
  const limit = restrictions.amounts?.get(request.mint);
  if (limit && totalAmount !== undefined) {
    const { perTransfer, perDay } = limit;
    const pointer = typeof request.amount === 'bigint' ? '/amount' : '/amount_decimal';
    if (perTransfer !== null && totalAmount > perTransfer) {
      findings.refuseAmount(pointer, totalAmount, perTransfer, 'in one transfer');
    }
    // Above the whole day's limit; what is left of today is checked after the transaction is built.
    else if (perDay !== null && totalAmount > perDay) findings.refuseAmount(pointer, totalAmount, perDay, 'in a day');
  }
  findings.throwIfAny();
}
