import { type AuthenticatedKey, unrestricted } from '../../../src/keys/authenticated-key.ts';
import { isAppError } from '../../../src/problems.ts';

/** A key that may build so much of the mint `m` in a day. */
export function keyWithDailyLimit(id: string, perDay: bigint): Pick<AuthenticatedKey, 'id' | 'restrictions'> {
  return { id, restrictions: { ...unrestricted, amounts: new Map([['m', { perTransfer: null, perDay }]]) } };
}

/** Whether an error is the refusal of an amount above a daily limit, whose words have these texts. */
export function isLimitReached(...texts: readonly string[]): (error: unknown) => boolean {
  return (error) =>
    isAppError(error, 'daily_limit_reached') &&
    error instanceof Error &&
    texts.every((text) => error.message.includes(text));
}
