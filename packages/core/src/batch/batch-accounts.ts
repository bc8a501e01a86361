import { clockSysvar, rentSysvar } from '../accounts/sysvars.ts';
import type { Address } from '../addresses/address.ts';
import { findAssociatedTokenAddress } from '../addresses/associated-token-address.ts';
import { tokenPrograms } from '../addresses/programs.ts';
import { hookValidationAddress } from '../plan/resolve-hook-accounts.ts';
import type { MintHint } from '../plan/transfer-accounts.ts';
import type { BatchRequest } from './batch-request.ts';

/** The token accounts of all wallets of a batch under one token program. */
export interface BatchTokenAccounts {
  tokenProgram: Address;
  sender: Address;
  senderBump: number;
  /** In the order of the transfers. */
  recipients: readonly { address: Address; bump: number }[];
}

/** Derives the token accounts of all wallets of a batch under one token program. */
export function deriveBatchTokenAccounts(
  { from, mint, transfers }: BatchRequest,
  tokenProgram: Address,
): BatchTokenAccounts {
  const sender = findAssociatedTokenAddress({ owner: from, tokenProgram, mint });
  return {
    tokenProgram,
    sender: sender.address,
    senderBump: sender.bump,
    recipients: transfers.map(({ to }) => findAssociatedTokenAddress({ owner: to, tokenProgram, mint })),
  };
}

/** The accounts without which nothing of a batch can be decided: the mint, all wallets and the sysvars, each once. */
export function walletsOfBatch({ mint, from, feePayer, nonceAccount, transfers }: BatchRequest): Address[] {
  const addresses = new Set([mint, from, feePayer, rentSysvar, clockSysvar]);
  if (nonceAccount !== undefined) addresses.add(nonceAccount);
  for (const { to } of transfers) addresses.add(to);
  return [...addresses];
}

/** The addresses of the token accounts of a batch, each once. */
export function batchTokenAccountsOf({ sender, recipients }: BatchTokenAccounts): Address[] {
  const addresses = new Set([sender]);
  for (const { address } of recipients) addresses.add(address);
  return [...addresses];
}

/**
 * The accounts to read for a batch, each once: all wallets, the mint, the sysvars, the token accounts under the mint's token
 * program (under both while it is not known), and those of the mint's transfer hook when that is known.
 */
export function batchAccountsToRead(request: BatchRequest, hint: MintHint | undefined): Address[] {
  const addresses = new Set(walletsOfBatch(request));
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    for (const address of batchTokenAccountsOf(deriveBatchTokenAccounts(request, tokenProgram))) addresses.add(address);
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.add(hook).add(hookValidationAddress(request.mint, hook));
  return [...addresses];
}
