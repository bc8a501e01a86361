import type { Clock } from '../accounts/sysvars.ts';
import type { Mint, TokenAccount } from '../accounts/token-state.ts';
import { calculateTransferFee } from '../accounts/transfer-fee.ts';
import { changesShownAmounts } from '../accounts/ui-amount.ts';
import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import type { Warning } from '../findings/warning.ts';
import type { ReadPayment } from '../plan/transfer-facts.ts';
import { recipientFirst, sentAmount, type TransferPlan, thawsOf } from '../plan/transfer-plan.ts';
import { x402Limits } from '../request/transfer-request.ts';

/** Returns what a payer should know of a mint. `clock`: of the facts that the plan was made from. */
export function warnOfMint(plan: TransferPlan, state: Mint, { epoch, unixSeconds }: Clock): readonly Warning[] {
  const { mint } = plan;
  const warnings: Warning[] = [...warnOfTransferFee(plan, state, epoch)];
  if (state.permanentDelegate) {
    warnings.push({ code: 'permanent_delegate', context: { mint, delegate: state.permanentDelegate } });
  }
  // A configuration that could not be decoded may show anything.
  if (!state.uiAmountConfig || changesShownAmounts(state.uiAmountConfig, unixSeconds)) {
    if (state.hasScaledUiAmount) warnings.push({ code: 'scaled_ui_amount', context: { mint } });
    if (state.isInterestBearing) warnings.push({ code: 'interest_bearing', context: { mint } });
  }
  if (state.unknownExtensions.length > 0) {
    warnings.push({ code: 'unknown_extension', context: { mint, extensionTypes: state.unknownExtensions } });
  }
  if (state.transferHookAuthority) {
    warnings.push({ code: 'mutable_transfer_hook', context: { mint, authority: state.transferHookAuthority } });
  }
  if (state.hasFreezeAuthority) warnings.push({ code: 'freeze_authority', context: { mint } });
  if (state.pauseAuthority) {
    warnings.push({ code: 'mint_can_be_paused', context: { mint, authority: state.pauseAuthority } });
  }
  if (state.hasCloseAuthority) warnings.push({ code: 'mint_can_be_closed', context: { mint } });
  return warnings;
}

function warnOfTransferFee(
  plan: TransferPlan,
  { transferFeeConfig: config, transferFeeAuthority: authority }: Mint,
  epoch: bigint,
): readonly Warning[] {
  if (!config) return [];
  const { mint, decimals, payments } = plan;
  const amount = sentAmount(plan);
  const transferFee = payments.reduce((sum, payment) => sum + payment.transferFee, 0n);
  const warnings: Warning[] = [];
  if (transferFee > 0n) {
    const context = { mint, transferFee, receivedAmount: amount - transferFee, decimals };
    warnings.push({ code: 'transfer_fee', context });
  }
  const { epoch: start } = config.newer;
  if (epoch < start) {
    const scheduled = payments.reduce((sum, payment) => sum + calculateTransferFee(config, payment.amount, start), 0n);
    const receivedAmount = amount - scheduled;
    const context = { mint, epoch: start, transferFee: scheduled, receivedAmount, decimals };
    if (scheduled !== transferFee) warnings.push({ code: 'scheduled_transfer_fee', context });
  }
  if (authority) warnings.push({ code: 'mutable_transfer_fee', context: { mint, authority } });
  return warnings;
}

/** The accounts that the mint's transfer hook may write, each once. */
export function writableHookAccounts(plan: TransferPlan): readonly Address[] {
  const accounts = recipientFirst(plan.payments).flatMap(({ hookAccounts }) => hookAccounts);
  return [...new Set(accounts.filter(({ writable }) => writable).map(({ address }) => address))];
}

/** Returns the warning about the hook program that a transfer calls; none without one. */
export function warnOfHook(plan: TransferPlan, program: Address | undefined): readonly Warning[] {
  if (program === undefined) return [];
  const context = { mint: plan.mint, program, writableAccounts: writableHookAccounts(plan) };
  return [{ code: 'transfer_hook', context }];
}

/** Returns the warning about the token accounts that a transfer thaws; none where it thaws none. */
export function warnOfThaw(plan: TransferPlan): readonly Warning[] {
  const [first] = thawsOf(plan);
  if (!first) return [];
  const { mint, payments } = plan;
  const thawed = payments.filter(({ thaw }) => thaw !== undefined);
  const tokenAccounts = thawed.map(({ recipientTokenAccount }) => recipientTokenAccount);
  return [{ code: 'token_account_thawed', context: { mint, gateProgram: first.gateProgram, tokenAccounts } }];
}

/** Returns the warning about recipients that were never used; none where there are none. */
export function warnOfNeverUsed(recipients: readonly Address[]): readonly Warning[] {
  if (recipients.length === 0) return [];
  const offCurve = recipients.filter((recipient) => !isAddressOnCurve(recipient));
  return [{ code: 'recipient_never_used', context: { recipients, offCurve } }];
}

/** A token account that is paid, whose it is, and its state; `undefined` where it is created. */
export interface PaidAccount {
  recipient: Address;
  tokenAccount: Address;
  state: TokenAccount | undefined;
}

/** Returns the token accounts that a transfer pays: the recipient's, then those of the splits. */
export function paidAccountsOf(payments: readonly ReadPayment[]): readonly PaidAccount[] {
  return payments.map(({ to, tokenAccount }) => {
    return { recipient: to, tokenAccount: tokenAccount.address, state: tokenAccount.state };
  });
}

/** Returns the warnings about those who may take tokens out of the accounts of a transfer, in a fixed order. */
export function warnOfControls(
  { sender: wallet, senderTokenAccount: tokenAccount, decimals }: TransferPlan,
  sender: TokenAccount | undefined,
  paid: readonly PaidAccount[],
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (sender && sender.owner !== wallet) {
    warnings.push({ code: 'sender_is_delegate', context: { tokenAccount, owner: sender.owner } });
  }
  warnings.push(...warnOfTakers('sender', { wallet, tokenAccount, state: sender, decimals }));
  // A recipient that is paid more than once is named once.
  const named = new Set<Address>();
  for (const each of paid) {
    if (!named.has(each.recipient)) {
      warnings.push(...warnOfTakers('recipient', { ...each, wallet: each.recipient, decimals }));
    }
    named.add(each.recipient);
  }
  return warnings;
}

function warnOfTakers(
  whose: 'sender' | 'recipient',
  { wallet, tokenAccount, state, decimals }: Omit<PaidAccount, 'recipient'> & { wallet: Address; decimals: number },
): readonly Warning[] {
  const warnings: Warning[] = [];
  const delegate = delegateBesides(state, wallet);
  if (delegate) {
    const context = { tokenAccount, delegate: delegate.address, amount: delegate.amount, decimals };
    warnings.push({ code: `${whose}_delegate`, context });
  }
  const closeAuthority = closeAuthorityOfSol(state);
  if (closeAuthority) warnings.push({ code: `${whose}_close_authority`, context: { tokenAccount, closeAuthority } });
  return warnings;
}

/** Returns the note that says what an amount of "max" is. */
export function warnOfMax(
  { mint, decimals, payments }: TransferPlan,
  { held, left }: { held: bigint; left: bigint },
): readonly Warning[] {
  const amount = payments.at(-1)?.amount ?? 0n;
  return [{ code: 'amount_is_max', context: { mint, amount, held, left, decimals } }];
}

/** Returns the warnings about a transaction whose lifetime is the nonce of this account. */
export function warnOfNonce(nonceAccount: Address): readonly Warning[] {
  const context = { nonceAccount };
  return [
    { code: 'durable_nonce', context },
    { code: 'durable_nonces_will_be_removed', context },
  ];
}

/** Returns the warning about a compute limit that hosted facilitators of x402 refuse; none in another layout. */
export function warnOfComputeLimit({ layout, computeUnitLimit = 0 }: TransferPlan): readonly Warning[] {
  const refusedFrom = x402Limits.refusedComputeUnits;
  if (layout !== 'x402' || computeUnitLimit < refusedFrom) return [];
  return [{ code: 'facilitator_compute_limit', context: { computeUnitLimit, refusedFrom } }];
}

function delegateBesides(state: TokenAccount | undefined, wallet: Address): TokenAccount['delegate'] {
  const delegate = state?.delegate;
  return delegate && delegate.address !== wallet && delegate.amount > 0n ? delegate : undefined;
}

// Any other account can be closed only when it is empty.
function closeAuthorityOfSol(state: TokenAccount | undefined): Address | undefined {
  if (!state?.isNative || state.closeAuthority === state.owner) return undefined;
  return state.closeAuthority;
}
