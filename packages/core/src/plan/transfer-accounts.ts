import { clockSysvar, rentSysvar } from '../accounts/sysvars.ts';
import type { Address } from '../addresses/address.ts';
import { findAssociatedTokenAddress } from '../addresses/associated-token-address.ts';
import { tokenPrograms } from '../addresses/programs.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { hookValidationAddress } from './resolve-hook-accounts.ts';

/** The token accounts of both wallets under one token program. */
export interface TokenAccountPair {
  tokenProgram: Address;
  sender: Address;
  recipient: Address;
  senderBump: number;
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
  return {
    tokenProgram,
    sender: sender.address,
    senderBump: sender.bump,
    recipient: recipient.address,
    recipientBump: recipient.bump,
  };
}

/** The accounts without which nothing of a request can be decided: the mint, both wallets, the fee payer and the sysvars. */
export function accountsOfEveryTransfer({ mint, from, to, feePayer }: TransferRequest): Address[] {
  const addresses = [mint, from, to, rentSysvar, clockSysvar];
  if (feePayer !== from) addresses.push(feePayer);
  return addresses;
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
  const addresses = accountsOfEveryTransfer(request);
  if (request.nonceAccount !== undefined) addresses.push(request.nonceAccount);
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    const pair = tokenAccountsUnder(tokenProgram);
    addresses.push(pair.sender, pair.recipient);
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.push(hook, hookValidationAddress(request.mint, hook));
  return addresses;
}
