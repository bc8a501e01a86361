import { AppError } from '../errors.ts';

/** The refusal for a node that cannot be reached or that refuses to serve. */
export function unavailable(why: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', `The Solana node cannot serve this now: ${why}. Try again.`, {
    cause,
    retryAfterSeconds: 1,
  });
}

/** The refusal for a node that takes too long. */
export function tooSlow(cause?: unknown): AppError {
  return new AppError('upstream_timeout', 'The Solana node did not answer in time. Try again.', { cause });
}

/** The refusal for an answer that makes no sense. */
export function nonsense(why: string, cause?: unknown): AppError {
  return new AppError('upstream_error', `The Solana node gave an answer that makes no sense: ${why}.`, { cause });
}
