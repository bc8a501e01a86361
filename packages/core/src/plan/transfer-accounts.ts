import { clockSysvar, rentSysvar } from '../accounts/sysvars.ts';
import type { Address } from '../addresses/address.ts';
import { type DerivedAddress, findAssociatedTokenAddress } from '../addresses/derived-addresses.ts';
import { tokenPrograms } from '../addresses/programs.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { hookValidationAddress } from './resolve-hook-accounts.ts';

/** The token accounts of all wallets of a transfer under one token program. */
export interface TransferTokenAccounts {
  tokenProgram: Address;
  sender: Address;
  recipient: Address;
  senderBump: number;
  recipientBump: number;
  /** Those that the splits pay, in their order. */
  splits: readonly DerivedAddress[];
}

/** What is remembered of a mint, to read no more than its transfers need. */
export interface MintHint {
  tokenProgram: Address;
  transferHookProgram: Address | undefined;
}

/** Derives the token accounts of all wallets of a request under one token program. */
export function deriveTokenAccounts(request: TransferRequest, tokenProgram: Address): TransferTokenAccounts {
  const { mint } = request;
  const sender = findAssociatedTokenAddress({ owner: request.from, tokenProgram, mint });
  const recipient = findAssociatedTokenAddress({ owner: request.to, tokenProgram, mint });
  return {
    tokenProgram,
    sender: sender.address,
    senderBump: sender.bump,
    recipient: recipient.address,
    recipientBump: recipient.bump,
    splits: deriveSplits(request, tokenProgram),
  };
}

function deriveSplits({ splits, mint }: TransferRequest, tokenProgram: Address): TransferTokenAccounts['splits'] {
  if (splits.length === 0) return noSplits;
  return splits.map(({ to }) => findAssociatedTokenAddress({ owner: to, tokenProgram, mint }));
}

const noSplits: TransferTokenAccounts['splits'] = [];

/** The accounts without which nothing of a request can be decided: the mint, all wallets, the fee payer and the sysvars. */
export function accountsOfEveryTransfer({ mint, from, to, feePayer, splits }: TransferRequest): Address[] {
  const addresses = [mint, from, to, rentSysvar, clockSysvar];
  if (feePayer !== from) addresses.push(feePayer);
  for (const split of splits) addresses.push(split.to);
  return addresses;
}

/**
 * The accounts to read for a request, all at once: all wallets, the mint, the token accounts under the mint's token program
 * (under both while it is not known), the sysvars, and those of the mint's transfer hook when that is known.
 */
export function accountsToRead(request: TransferRequest, hint: MintHint | undefined): Address[] {
  const addresses = accountsOfEveryTransfer(request);
  if (request.nonceAccount !== undefined) addresses.push(request.nonceAccount);
  for (const tokenProgram of hint ? [hint.tokenProgram] : tokenPrograms) {
    addresses.push(...tokenAccountsOf(deriveTokenAccounts(request, tokenProgram)));
  }
  const hook = hint?.transferHookProgram;
  if (hook !== undefined) addresses.push(hook, hookValidationAddress(request.mint, hook));
  return addresses;
}

/** The addresses of the token accounts of a transfer. */
export function tokenAccountsOf({ sender, recipient, splits }: TransferTokenAccounts): Address[] {
  return [sender, recipient, ...splits.map(({ address }) => address)];
}
