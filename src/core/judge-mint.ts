import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { isTokenProgram } from './programs.ts';
import { decodeMint, type Mint, tokenProgramName } from './token-state.ts';

/** Says whether the address is a mint at all: the mint, or why not. */
export function judgeMintAccount(address: Address, account: Account | null): { mint: Mint } | { finding: Finding } {
  const pointer = '/token_mint_address';
  if (!account) {
    const detail = `There is no account at ${address}. Check the address, and the cluster this service reads.`;
    return { finding: { code: 'mint_not_found', pointer, detail } };
  }
  const mint = decodeMint(account);
  if (mint) return { mint };
  const what = isTokenProgram(account.owner)
    ? `an account of ${tokenProgramName(account.owner)}, but not an initialized mint`
    : `an account of the program ${account.owner}, not of SPL Token or Token-2022`;
  return {
    finding: { code: 'not_a_mint', pointer, detail: `${address} is ${what}. Send the address of the token's mint.` },
  };
}

/** Says why nobody can transfer tokens of this mint now, if so. */
export function judgeMintState(address: Address, mint: Mint): Finding[] {
  const pointer = '/token_mint_address';
  const findings: Finding[] = [];
  if (mint.isPaused) {
    const detail = `The issuer of the mint ${address} has paused all transfers. Try again when it has resumed them.`;
    findings.push({ code: 'mint_paused', pointer, detail });
  }
  if (mint.isNonTransferable) {
    const detail = `Tokens of the mint ${address} cannot be transferred, by its own rules. Use another token.`;
    findings.push({ code: 'mint_non_transferable', pointer, detail });
  }
  return findings;
}
