import { readFileSync } from 'node:fs';

/** The programs that the rows are made with. Their length is that of the release (crate `solana-program-binaries` 4.4.0), without a header. */
export const programs = [
  { name: 'Token-2022 v11', address: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', byteLength: 615_936 },
  { name: 'p-token', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', byteLength: 100_312 },
  { name: 'Memo 4.0.0', address: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', byteLength: 2_304 },
] as const;

/** The version of LiteSVM, which carries the programs. */
export const litesvmVersion: string = JSON.parse(
  readFileSync(new URL('../../packages/sandbox/package.json', import.meta.url), 'utf8'),
).dependencies.litesvm;
