import { type ApiKeyRecord, apiKeyStatus, type CreatedApiKey } from '../keys/key-store.ts';

/** A stored key as `--json` prints it; times are ISO 8601. */
export function describeRecord(record: ApiKeyRecord, now: Date) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    revoked_at: record.revokedAt?.toISOString() ?? null,
    status: apiKeyStatus(record, now),
  };
}

/** A new key as `--json` prints it, the key's text included; times are ISO 8601. */
export function describeCreated({ record, key }: CreatedApiKey) {
  return {
    id: record.id,
    name: record.name,
    key,
    prefix: record.prefix,
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
  };
}

/** What people read when a key was made: the key alone on its line, and what to do with it. */
export function formatCreated({ record, key }: CreatedApiKey): string {
  const end = record.expiresAt === null ? 'never expires' : `expires ${record.expiresAt.toISOString()}`;
  return `API key ${record.id} for ${record.name}, ${end}:

${key}

Store it now: it is shown only this once, and only its SHA-256 is kept.
Send it with every request, in the header
  Authorization: Bearer <the key above>
`;
}

/** What people read of one key, in a line. */
export function formatRecord(record: ApiKeyRecord): string {
  return `${record.id}  ${record.name}  ${record.prefix}…  created ${record.createdAt.toISOString()}`;
}

/** What people read of many keys: a table with a heading, a line for each key. */
export function formatTable(records: readonly ApiKeyRecord[], now: Date): string {
  const rows = [
    ['ID', 'NAME', 'PREFIX', 'CREATED', 'EXPIRES', 'STATUS'],
    ...records.map((record) => [
      record.id,
      record.name,
      `${record.prefix}…`,
      record.createdAt.toISOString(),
      record.expiresAt?.toISOString() ?? 'never',
      apiKeyStatus(record, now),
    ]),
  ];
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
