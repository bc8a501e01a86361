import { type Address, toAddress } from './address.ts';

/** The System program: owns wallets, and creates accounts. */
export const systemProgram = toAddress('11111111111111111111111111111111');
/** The classic SPL Token program. */
export const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
/** Token-2022, the token program with extensions. */
export const token2022Program = toAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
/** The Associated Token Account program. */
export const associatedTokenProgram = toAddress('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** The Memo program that every deployed token program accepts as a required memo. Newer clients default to another one. */
export const memoProgram = toAddress('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** The first Memo program: named when a transaction is read, never written. */
export const memoProgramV1 = toAddress('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');
/** The Memo programs whose memos nodes list. The newest, `Memo4c2p…`, is none of them. */
export const memoPrograms: readonly Address[] = [memoProgram, memoProgramV1];
/** The Compute Budget program. */
export const computeBudgetProgram = toAddress('ComputeBudget111111111111111111111111111111');

/** One of the two token programs. */
export type TokenProgram = typeof tokenProgram | typeof token2022Program;

/** Both token programs, the classic one first. */
export const tokenPrograms: readonly Address[] = [tokenProgram, token2022Program];

/** Says whether the address is one of the two token programs. */
export function isTokenProgram(address: Address): boolean {
  return address === tokenProgram || address === token2022Program;
}

/** The name that people know a token program by. */
export function tokenProgramName(program: Address): string {
  if (program === tokenProgram) return 'SPL Token';
  if (program === token2022Program) return 'Token-2022';
  return program;
}

/** The sysvar that the System program's nonce instructions are still handed, by convention. */
export const recentBlockhashesSysvar = toAddress('SysvarRecentB1ockHashes11111111111111111111');
