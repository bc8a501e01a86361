import type { Account } from '../accounts/account.ts';
import type { Address } from '../addresses/address.ts';
import type { Warning } from '../findings/warning.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { readTokenAccountControl, type TokenAccountControl } from './token-account-control.ts';

/** Who controls the token accounts of a transfer; `undefined` where there is none yet. */
export interface TransferControls {
  sender: TokenAccountControl | undefined;
  recipient: TokenAccountControl | undefined;
}

/** Reads who controls the token accounts of a transfer. */
export function readControls(senderAccount: Account | null, recipientAccount: Account | null): TransferControls {
  return { sender: readTokenAccountControl(senderAccount), recipient: readTokenAccountControl(recipientAccount) };
}

/** The accounts that the mint's transfer hook may write, each once. */
export function writableHookAccounts(plan: TransferPlan): readonly Address[] {
  const writable = plan.hookAccounts.filter((account) => account.writable).map(({ address }) => address);
  return [...new Set(writable)];
}

/** Returns the warning about the hook program that a transfer calls; none without one. */
export function warnOfHook(plan: TransferPlan, program: Address | undefined): readonly Warning[] {
  if (program === undefined) return [];
  const context = { mint: plan.mint, program, writableAccounts: writableHookAccounts(plan) };
  return [{ code: 'transfer_hook', context }];
}

/** Returns the warnings about those who may take tokens out of the accounts of a transfer, in a fixed order. */
export function warnOfControls(plan: TransferPlan, { sender, recipient }: TransferControls): readonly Warning[] {
  const { decimals } = plan;
  const ofSender = { tokenAccount: plan.senderTokenAccount };
  const ofRecipient = { tokenAccount: plan.recipientTokenAccount };
  const warnings: Warning[] = [];
  if (sender && sender.owner !== plan.sender) {
    warnings.push({ code: 'sender_is_delegate', context: { ...ofSender, owner: sender.owner } });
  }
  const sends = delegateBesides(sender, plan.sender);
  if (sends) {
    const { address: delegate, amount } = sends;
    warnings.push({ code: 'sender_delegate', context: { ...ofSender, delegate, amount, decimals } });
  }
  const closesSender = closeAuthorityOfSol(sender);
  if (closesSender) {
    warnings.push({ code: 'sender_close_authority', context: { ...ofSender, closeAuthority: closesSender } });
  }
  const takes = delegateBesides(recipient, plan.recipient);
  if (takes) {
    const { address: delegate, amount } = takes;
    warnings.push({ code: 'recipient_delegate', context: { ...ofRecipient, delegate, amount, decimals } });
  }
  const closesRecipient = closeAuthorityOfSol(recipient);
  if (closesRecipient) {
    warnings.push({ code: 'recipient_close_authority', context: { ...ofRecipient, closeAuthority: closesRecipient } });
  }
  return warnings;
}

/** Returns the warning about a transaction whose lifetime is the nonce of this account. */
export function warnOfNonce(nonceAccount: Address): Warning {
  return { code: 'durable_nonce', context: { nonceAccount } };
}

function delegateBesides(control: TokenAccountControl | undefined, wallet: Address): TokenAccountControl['delegate'] {
  const delegate = control?.delegate;
  return delegate && delegate.address !== wallet && delegate.amount > 0n ? delegate : undefined;
}

// Any other account can be closed only when it is empty.
function closeAuthorityOfSol(control: TokenAccountControl | undefined): Address | undefined {
  if (!control?.isNative || control.closeAuthority === control.owner) return undefined;
  return control.closeAuthority;
}
