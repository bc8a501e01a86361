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

/** The Token ACL program (sRFC 37): the freeze authority of mints whose token accounts anyone may have thawed. */
export const tokenAclProgram = toAddress('TACLkU6CiCdkQN2MjoyDkVg2yAH9zkxiHDsiztQ52TP');

/** The Token Metadata program of Metaplex, in whose accounts most classic mints have their names. */
export const metaplexMetadataProgram = toAddress('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');

/** One of the two token programs. */
export type TokenProgram = typeof tokenProgram | typeof token2022Program;

/** Both token programs, the classic one first. */
export const tokenPrograms: readonly Address[] = [tokenProgram, token2022Program];

/** Returns whether the address is one of the two token programs. */
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

/** The programs that take part in transfers: what one of them is handed is its own, and none of them is a reference. */
export const transferPrograms: ReadonlySet<Address> = new Set([
  systemProgram,
  associatedTokenProgram,
  ...tokenPrograms,
  ...memoPrograms,
]);

// `native_mint` of token and of token-2022.
const nativeMints: ReadonlySet<Address> = new Set([
  toAddress('So11111111111111111111111111111111111111112'),
  toAddress('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP'),
]);

/** Returns whether the tokens of a mint are wrapped SOL: SOL in a token account, which is not the SOL of a wallet. */
export function isWrappedSol(mint: Address): boolean {
  return nativeMints.has(mint);
}

const reservedEnding = '1'.repeat(10);

/** Returns whether an address is a name of the network itself: of a program, a sysvar or the incinerator. No key has such an address. */
export function isReserved(address: Address): boolean {
  return address.endsWith(reservedEnding);
}
