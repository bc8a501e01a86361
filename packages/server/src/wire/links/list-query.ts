import type { WordedFinding } from '../../errors.ts';
import { pointerTo, quoteName } from '../field-names.ts';
import { invalidRequest } from '../refusal.ts';

/** Which page of links is asked for. */
export interface LinkPage {
  limit: number;
  /** The last link of the page before. */
  before?: { createdAt: Date; id: string };
}

const defaultLimit = 20;
const maxLimit = 100;

/**
 * Reads the query of a list of links.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault; the pointers are those of an object of the parameters.
 */
export function readListQuery(query: URLSearchParams): LinkPage {
  const findings: WordedFinding[] = [];
  for (const name of new Set(query.keys())) {
    const pointer = pointerTo(name);
    if (name !== 'limit' && name !== 'cursor') {
      const detail = `${quoteName(name)} is not a parameter of this list. The parameters are limit and cursor.`;
      findings.push({ code: 'unknown_field', pointer, detail });
    } else if (query.getAll(name).length > 1) {
      findings.push({ code: 'invalid_value', pointer, detail: `${name} is there more than once.` });
    }
  }
  const limit = readLimit(query.get('limit'), findings);
  const before = readCursor(query.get('cursor'), findings);
  if (findings.length > 0) throw invalidRequest(findings, 0);
  return { limit, ...(before && { before }) };
}

function readLimit(text: string | null, findings: WordedFinding[]): number {
  if (text === null) return defaultLimit;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  const detail = `limit must be a whole number from 1 to ${maxLimit}.`;
  findings.push({ code: 'invalid_value', pointer: '/limit', detail });
  return defaultLimit;
}

/** The cursor of the page after a link: opaque, and still right when newer links are made. */
export function cursorAfter({ createdAt, id }: { createdAt: Date; id: string }): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

function readCursor(text: string | null, findings: WordedFinding[]): LinkPage['before'] {
  if (text === null) return undefined;
  const [, time = '', id = ''] = /^([0-9]{1,15})\.([1-9A-HJ-NP-Za-km-z]{16})$/.exec(decode(text)) ?? [];
  if (id !== '') return { createdAt: new Date(Number(time)), id };
  const detail = 'cursor is not one that this list gave. Send next_cursor as it is, or leave it out.';
  findings.push({ code: 'invalid_value', pointer: '/cursor', detail });
  return undefined;
}

function decode(text: string): string {
  return text.length <= 64 ? Buffer.from(text, 'base64url').toString('latin1') : '';
}
