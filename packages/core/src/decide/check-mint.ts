import type { Account } from '../accounts/account.ts';
import { decodeMint, type Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';

/** Says whether the address is a mint at all: the mint, or why not. */
export function checkMintAccount(address: Address, account: Account | null): { mint: Mint } | { finding: Finding } {
  const field = 'mint';
  if (!account) return { finding: { code: 'mint_not_found', field, context: { mint: address } } };
  const mint = decodeMint(account);
  if (mint && account.space !== undefined) {
    // The part that was not read may hold rules for its transfers.
    const context = { mint: address, byteLength: account.space, readByteLength: account.data.length };
    return { finding: { code: 'mint_too_large', field, context } };
  }
  if (mint) return { mint };
  return { finding: { code: 'not_a_mint', field, context: { mint: address, program: account.owner } } };
}

/** Says why nobody can transfer tokens of this mint now, if so. */
export function checkMintState(address: Address, mint: Mint): Finding[] {
  const findings: Finding[] = [];
  if (mint.isPaused) findings.push({ code: 'mint_paused', field: 'mint', context: { mint: address } });
  if (mint.isNonTransferable)
    findings.push({ code: 'mint_non_transferable', field: 'mint', context: { mint: address } });
  return findings;
}
