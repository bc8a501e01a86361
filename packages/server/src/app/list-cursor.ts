import { Type } from 'typebox';
import { invalidRequest } from './validate.ts';

/** Where a page of a list ends, the newest first. */
export interface ListPosition {
  createdAt: Date;
  id: string;
}

/** Which page of a list to read. */
export interface ListPage {
  /** One more than is shown, which says whether there is another page. */
  limit: number;
  /** The last entry of the page before. */
  before?: ListPosition | undefined;
}

/** The members of the query of a list, beside its filters. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ description: 'How many to list, 1 to 100. Default: 20.', minimum: 1, maximum: 100, examples: [20] }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'The `next_cursor` of the page before; without it the list begins with the newest.' }),
  ),
};

/** The member of a list's reply beside its entries. */
export const nextCursor = Type.Optional(
  Type.String({ description: 'The `cursor` of the next page; absent on the last one.' }),
);

const defaultLimit = 20;

/** Reads which page of a list, whose ids match `id`, a query asks for. Throws `invalid_request` for a cursor of another list. */
export function pageIn(query: { limit?: number | undefined; cursor?: string | undefined }, id: RegExp): ListPage {
  const { limit = defaultLimit, cursor } = query;
  const before = cursor === undefined ? undefined : readCursor(cursor, id);
  if (cursor !== undefined && !before) {
    const detail = 'cursor is not one that this list gave. Send next_cursor as it is, or leave it out.';
    throw invalidRequest([{ code: 'invalid_value', pointer: '/cursor', detail }], query);
  }
  return { limit: limit + 1, before };
}

/** Returns the entries to show of what was found for a page, and the cursor of the next one. */
export function shownOf<Entry>(
  found: readonly Entry[],
  { limit }: ListPage,
  positionOf: (entry: Entry) => ListPosition,
) {
  const shown = found.slice(0, limit - 1);
  const last = found.length === limit ? shown.at(-1) : undefined;
  return { shown, ...(last && { next_cursor: cursorAfter(positionOf(last)) }) };
}

const maxLength = 200;

/** Returns the cursor of the page after an entry. It is opaque, and stays valid when newer entries are made. */
export function cursorAfter({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

/** Reads a cursor whose id matches `id`; `undefined` for any other text. */
function readCursor(text: string, id: RegExp): ListPosition | undefined {
  const decoded = text.length <= maxLength ? Buffer.from(text, 'base64url').toString('latin1') : '';
  const [, time = '', found = ''] = /^([0-9]{1,15})\.(.+)$/.exec(decoded) ?? [];
  return id.test(found) ? { createdAt: new Date(Number(time)), id: found } : undefined;
}
