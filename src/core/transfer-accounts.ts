import type { Address } from './address.ts';
import { findAssociatedTokenAddress } from './associated-token-address.ts';
import { tokenPrograms } from './programs.ts';
import { hookValidationAddress } from './resolve-hook-accounts.ts';
import { clockSysvar, rentSysvar } from './sysvars.ts';
import type { TransferRequest } from './transfer-plan.ts';

/** The token accounts of both wallets under one token program. */
export interface TokenAccountPair {
  tokenProgram: Address;
  sender: Address;
  recipient: Address;
  /** The bump of the recipient's: the further below 255, the dearer to create. */
  recipientBump: number;
}

/** What is remembered of a mint, to read no more than its transfers need. */
export interface MintHint {
  tokenProgram: Address;
  transferHookProgram: Address | undefined;
}

/** Derives the token accounts of both wallets of a request under one token program. */
export function deriveTokenAccounts(request: TransferRequest, tokenProgram: Address): TokenAccountPair {
  const { mint } = request;
  const sender = findAssociatedTokenAddress({ owner: request.from, tokenProgram, mint });
  const recipient = findAssociatedTokenAddress({ owner: request.to, tokenProgram, mint });
  return { tokenProgram, sender: sender.address, recipient: recipient.address, recipientBump: recipient.bump };
}

/**
 * The accounts to read for a request, all at once: both wallets, the mint, the token accounts under the mint's token program
 * (under both while it is not known), the sysvars, and those of the mint's transfer hook when that is known.
 */
export function accountsToRead(
  request: TransferRequest,
  hint: MintHint | undefined,
  tokenAccountsUnder: (tokenProgram: Address) => TokenAccountPair,
): Address[] {
  const addresses = [request.mint, request.from, request.to, rentSysvar, clockSysvar];
  if (request.feePayer !== request.from) addresses.push(request.feePayer);
  if (request.nonceAccount !== undefined) addresses.push(request.nonceAccount);
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    const pair = tokenAccountsUnder(tokenProgram);
    addresses.push(pair.sender, pair.recipient);
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.push(hook, hookValidationAddress(request.mint, hook));
  return addresses;
}
