import type { Address } from '../addresses/address.ts';
import type { Warning } from '../findings/warning.ts';
import type { Payment, TransferPlan } from '../plan/transfer-plan.ts';
import { x402Limits } from '../request/x402-limits.ts';
import type { DecidedTransfer } from './decide-transfer.ts';
import { readTokenAccountControl, type TokenAccountControl } from './token-account-control.ts';

/** Who controls the token accounts of a transfer; `undefined` where there is none yet. */
export interface TransferControls {
  sender: TokenAccountControl | undefined;
  recipient: TokenAccountControl | undefined;
  /** Those that the splits pay, in their order. */
  splits: readonly (TokenAccountControl | undefined)[];
}

/** Reads who controls the token accounts of a transfer. */
export function readControls({
  senderTokenAccount,
  recipientTokenAccount,
  splitTokenAccounts,
}: Pick<DecidedTransfer, 'senderTokenAccount' | 'recipientTokenAccount' | 'splitTokenAccounts'>): TransferControls {
  return {
    sender: readTokenAccountControl(senderTokenAccount),
    recipient: readTokenAccountControl(recipientTokenAccount),
    splits: splitTokenAccounts.map(readTokenAccountControl),
  };
}

/** The accounts that the mint's transfer hook may write, each once. */
export function writableHookAccounts(plan: TransferPlan): readonly Address[] {
  const accounts = [plan, ...plan.splits].flatMap(({ hookAccounts }) => hookAccounts);
  return [...new Set(accounts.filter(({ writable }) => writable).map(({ address }) => address))];
}

/** Returns the warning about the hook program that a transfer calls; none without one. */
export function warnOfHook(plan: TransferPlan, program: Address | undefined): readonly Warning[] {
  if (program === undefined) return [];
  const context = { mint: plan.mint, program, writableAccounts: writableHookAccounts(plan) };
  return [{ code: 'transfer_hook', context }];
}

/** Returns the warning about recipients that were never used; none where there are none. */
export function warnOfNeverUsed(recipients: readonly Address[]): readonly Warning[] {
  return recipients.length === 0 ? [] : [{ code: 'recipient_never_used', context: { recipients } }];
}

/** Returns the warnings about those who may take tokens out of the accounts of a transfer, in a fixed order. */
export function warnOfControls(
  plan: TransferPlan,
  { sender, recipient, splits }: TransferControls,
): readonly Warning[] {
  const { decimals } = plan;
  const ofSender = { tokenAccount: plan.senderTokenAccount };
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
  warnings.push(...warnOfPaid(plan, recipient, decimals));
  // Whoever is paid more than once is told about once.
  const toldAbout = new Set([plan.recipient]);
  for (const [index, split] of plan.splits.entries()) {
    if (!toldAbout.has(split.recipient)) warnings.push(...warnOfPaid(split, splits[index], decimals));
    toldAbout.add(split.recipient);
  }
  return warnings;
}

function warnOfPaid(
  { recipient, recipientTokenAccount: tokenAccount }: Payment,
  control: TokenAccountControl | undefined,
  decimals: number,
): readonly Warning[] {
  const warnings: Warning[] = [];
  const takes = delegateBesides(control, recipient);
  if (takes) {
    const { address: delegate, amount } = takes;
    warnings.push({ code: 'recipient_delegate', context: { tokenAccount, delegate, amount, decimals } });
  }
  const closeAuthority = closeAuthorityOfSol(control);
  if (closeAuthority) warnings.push({ code: 'recipient_close_authority', context: { tokenAccount, closeAuthority } });
  return warnings;
}

/** Returns the warning about a transaction whose lifetime is the nonce of this account. */
export function warnOfNonce(nonceAccount: Address): Warning {
  return { code: 'durable_nonce', context: { nonceAccount } };
}

/** Returns the warning about a compute limit that hosted facilitators of x402 refuse; none in another layout. */
export function warnOfComputeLimit({ layout, computeUnitLimit = 0 }: TransferPlan): readonly Warning[] {
  const refusedFrom = x402Limits.refusedComputeUnits;
  if (layout !== 'x402' || computeUnitLimit < refusedFrom) return [];
  return [{ code: 'facilitator_compute_limit', context: { computeUnitLimit, refusedFrom } }];
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
