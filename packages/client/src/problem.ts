import type { LandedTransfer, Problem, ProblemCode, ProblemError } from './api-types.ts';

type Common = Omit<Problem, 'code' | 'errors' | 'logs' | 'landed'>;

/** The codes whose problems say more than the others. */
type CodeWithMore = 'already_landed' | 'simulation_failed' | 'invalid_request';

/**
 * What the service refused and why, to switch on by `code`.
 *
 * `errors` has every error of the request, each with its code and a JSON pointer to the field.
 */
export type Refusal =
  | (Common & { code: 'invalid_request'; errors: readonly ProblemError[] })
  | (Common & { code: 'already_landed'; landed: LandedTransfer })
  | (Common & { code: 'simulation_failed'; logs?: readonly string[] })
  | (Common & { code: Exclude<ProblemCode, CodeWithMore>; errors?: readonly ProblemError[] });

/** No answer of the service: the connection failed, it took too long, or something else answered. */
export interface NoAnswer {
  code: 'no_answer';
  detail: string;
}

/** A call that failed. `problem.code` says how. */
export class SplwrightError extends Error {
  override readonly name = 'SplwrightError';
  readonly problem: Refusal | NoAnswer;
  /** How long the service asks to wait before the next call, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Refusal | NoAnswer, retryAfterMs?: number, cause?: unknown) {
    super(`${problem.code}: ${problem.detail}`, { cause });
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** The stable code of the problem, such as `insufficient_token_balance`, or `no_answer`. */
  get code(): (Refusal | NoAnswer)['code'] {
    return this.problem.code;
  }

  /** Every error of the request, each with its code and a JSON pointer to the field; none where the problem has no list of them. */
  get errors(): readonly ProblemError[] {
    return 'errors' in this.problem ? (this.problem.errors ?? []) : [];
  }

  /** The HTTP status; `undefined` without an answer. */
  get status(): number | undefined {
    return this.problem.code === 'no_answer' ? undefined : this.problem.status;
  }

  /** The id of the request in the log of the service; `undefined` without an answer. */
  get requestId(): string | undefined {
    return this.problem.code === 'no_answer' ? undefined : this.problem.request_id;
  }
}
