/** Where a page of a list ends, the newest first. */
export interface ListPosition {
  createdAt: Date;
  id: string;
}

const maxLength = 100;

/** Returns the cursor of the page after an entry. It is opaque, and stays valid when newer entries are made. */
export function cursorAfter({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

/** Reads a cursor whose id matches `id`; `undefined` for any other text. */
export function readCursor(text: string, id: RegExp): ListPosition | undefined {
  const decoded = text.length <= maxLength ? Buffer.from(text, 'base64url').toString('latin1') : '';
  const [, time = '', found = ''] = /^([0-9]{1,15})\.(.+)$/.exec(decoded) ?? [];
  return id.test(found) ? { createdAt: new Date(Number(time)), id: found } : undefined;
}
