/** What was found wrong, to switch on. */
export type VerificationCode =
  /** The request itself cannot be verified: a field is missing, not valid, or contradicts another. */
  | 'invalid_request'
  /** The request has a field that this version does not know, so that it cannot be verified. */
  | 'unknown_field'
  /** The reply does not have the shape of the operation. */
  | 'invalid_reply'
  /** The bytes are not one whole transaction, or it is written in a way that nothing needs. */
  | 'invalid_transaction'
  | 'wrong_version'
  | 'wrong_signers'
  /** There is a signature that is not a sponsor's, or not valid for these bytes. */
  | 'wrong_signature'
  /** A sponsor takes more than `max_sponsor_fee`, or another token than the request allows. */
  | 'sponsor_fee_not_allowed'
  | 'wrong_lifetime'
  /** An instruction calls another program than expected there. */
  | 'wrong_instruction'
  /** An instruction names another account than expected there. */
  | 'wrong_account'
  | 'wrong_amount'
  | 'wrong_decimals'
  | 'wrong_token_program'
  | 'wrong_memo'
  /** The data of an instruction differs in another way. */
  | 'wrong_data'
  | 'wrong_compute_budget'
  | 'priority_fee_too_high'
  /** An account may be written or must sign that must not, or the other way round; or nothing needs it. */
  | 'wrong_role'
  /** The transfer hands accounts to a hook, and `allowTransferHook` is not set, or one of them signs the transaction. */
  | 'transfer_hook_not_allowed'
  /** The Token ACL program thaws a token account, and `allowThaw` is not set, or nothing calls for it. */
  | 'thaw_not_allowed'
  /** The transactions of a batch do not make each of its transfers once, or are more than needed and `allowMoreTransactions` is not set. */
  | 'wrong_transfers';

/** A transaction that does not do exactly what was asked for. Do not sign it. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly code: VerificationCode;
  /** Where the first difference is, such as "transfer to 7Py7…, amount". */
  readonly part: string;
  readonly expected: string;
  readonly actual: string;

  constructor(code: VerificationCode, part: string, expected: unknown, actual: unknown) {
    const [wanted, found] = [describe(expected), describe(actual)];
    super(`${code}: ${part}: expected ${wanted}, found ${found}`);
    this.code = code;
    this.part = part;
    this.expected = wanted;
    this.actual = found;
  }
}

// Objects of a reply may be any, also such as no text can be made of.
function describe(value: unknown): string {
  return typeof value === 'object' ? 'something else' : `${value}`;
}

/** Throws a `VerificationError` unless both are the same. */
export function expectSame(code: VerificationCode, part: string, expected: unknown, actual: unknown): void {
  if (expected !== actual) throw new VerificationError(code, part, expected, actual);
}

/** Throws a `VerificationError` where something is more than the most that is allowed. */
export function expectAtMost(
  code: VerificationCode,
  part: string,
  max: bigint | number,
  actual: bigint | number,
): void {
  if (actual > max) throw new VerificationError(code, part, `at most ${max}`, actual);
}
