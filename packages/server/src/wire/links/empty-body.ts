import type { WordedFinding } from '../../errors.ts';
import { pointerTo, quoteName } from '../field-names.ts';
import { describeType, isObject } from '../field-values.ts';
import { invalidRequest } from '../refusal.ts';

const maxListed = 100;

/** Throws an `AppError` of the code `invalid_request` for a body with anything in it, where none is needed. */
export function assertEmptyBody(body: unknown): void {
  if (body === undefined || body === null) return;
  if (!isObject(body)) {
    const detail = `The body is ${describeType(body)}. Send none, or an empty JSON object.`;
    throw invalidRequest([{ code: 'wrong_type', pointer: '', detail }], 0);
  }
  const names = Object.keys(body);
  if (names.length === 0) return;
  const findings = names.slice(0, maxListed).map((name): WordedFinding => {
    const detail = `${quoteName(name)} is not a field of this operation, which has none.`;
    return { code: 'unknown_field', pointer: pointerTo(name), detail };
  });
  throw invalidRequest(findings, names.length - findings.length);
}
