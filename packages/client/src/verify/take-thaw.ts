import { accountUnder, systemProgram, token2022Program, tokenAclProgram } from './addresses.ts';
import type { Expectation, VerifyOptions } from './expectation.ts';
import { type Instructions, readOnly, signer, writable } from './instructions.ts';
import { expectSame, VerificationError } from './verification-error.ts';

/** The thaw of a recipient's frozen token account, by the Token ACL program. */
export interface VerifiedThaw {
  /** The program of the issuer that decides whether the account may be thawed. */
  gateProgram: string;
  /** What the gate program reads: its list, then what that names. It may write none of them, and has no signature. */
  gateAccounts: readonly string[];
}

/** The parts of a transaction that a thaw depends on. */
export interface ThawFrame extends Pick<Expectation, 'sender' | 'mint' | 'creation'> {
  options: VerifyOptions;
}

/**
 * Takes the thaw of a recipient's token account, if it is next. The Token ACL program gets the sender's signature, so it is refused unless the
 * caller allows it.
 */
export function takeThaw(
  instructions: Instructions,
  { sender, mint, creation, options }: ThawFrame,
  recipient: string,
  tokenAccount: string,
): VerifiedThaw | undefined {
  if (!instructions.isNext(tokenAclProgram)) return undefined;
  const part = `thaw of the token account of ${recipient}`;
  if (!options.allowThaw || creation === 'never') {
    throw new VerificationError('thaw_not_allowed', part, 'none', tokenAclProgram);
  }
  const thaw = instructions.take(part, tokenAclProgram, [9]);
  const [gateProgram = systemProgram, ...gateAccounts] = thaw.accounts.slice(8);
  instructions.expectAccounts(part, thaw, [
    signer(sender),
    readOnly(mint),
    writable(tokenAccount),
    writable(accountUnder(tokenAclProgram, 'FLAG_ACCOUNT', tokenAccount)),
    readOnly(recipient),
    readOnly(accountUnder(tokenAclProgram, 'MINT_CONFIG', mint)),
    ...[token2022Program, systemProgram, gateProgram, ...gateAccounts].map(readOnly),
  ]);
  const list = accountUnder(gateProgram, 'thaw_extra_account_metas', mint);
  expectSame('wrong_account', part, list, gateAccounts[0]);
  // What the rest of the transaction writes or signs for, such as the sender's tokens, is nothing for another program.
  const staked = gateAccounts.find((address) => instructions.isStaked(address) && thaw.accounts.indexOf(address) > 7);
  expectSame('wrong_account', part, undefined, staked);
  return { gateProgram, gateAccounts };
}
