import type { Account } from '../accounts/account.ts';
import type { Address } from '../addresses/address.ts';
import type { TransferPlan } from '../plan/transfer-plan.ts';
import { formatAmount } from '../request/format-amount.ts';
import { readTokenAccountControl, type TokenAccountControl } from './token-account-control.ts';
import type { TransferWarning } from './transfer-warnings.ts';

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

/** What is to be said of the hook program that a transfer calls. */
export function warnOfHook(plan: TransferPlan, hookProgram: Address | undefined): readonly TransferWarning[] {
  if (hookProgram === undefined) return [];
  const writable = writableHookAccounts(plan);
  const writes = writable.length === 0 ? 'It may write no account.' : `It may write ${writable.join(', ')}.`;
  return [{ code: 'transfer_hook', detail: `The mint calls the program ${hookProgram} on this transfer. ${writes}` }];
}

/** What is to be said of those who may take tokens out of the accounts of a transfer, in a fixed order. */
export function warnOfControls(
  plan: TransferPlan,
  { sender, recipient }: TransferControls,
): readonly TransferWarning[] {
  const warnings: TransferWarning[] = [];
  const warn = (code: TransferWarning['code'], detail: string): void => void warnings.push({ code, detail });
  const tokens = (amount: bigint): string => `${formatAmount(amount, plan.decimals)} tokens`;
  if (sender && sender.owner !== plan.sender) {
    warn('sender_is_delegate', `The tokens are those of ${sender.owner}, for whom the sender may send them.`);
  }
  const sends = delegateBesides(sender, plan.sender);
  if (sends) {
    const many = tokens(sends.amount);
    warn(
      'sender_delegate',
      `${sends.address} may send up to ${many} from the sender's token account: too few may be left for this transfer.`,
    );
  }
  const closesSender = closeAuthorityOfSol(sender);
  if (closesSender) {
    warn(
      'sender_close_authority',
      `${closesSender} may close the sender's token account and take all its wrapped SOL before this transfer lands.`,
    );
  }
  const takes = delegateBesides(recipient, plan.recipient);
  if (takes) {
    warn(
      'recipient_delegate',
      `${takes.address} may send up to ${tokens(takes.amount)} from the recipient's token account, also of this payment.`,
    );
  }
  const closesRecipient = closeAuthorityOfSol(recipient);
  if (closesRecipient) {
    warn(
      'recipient_close_authority',
      `${closesRecipient} may close the recipient's token account and take all its wrapped SOL, this payment too.`,
    );
  }
  return warnings;
}

/** What is to be said of a transaction that lives by the nonce of this account. */
export function warnOfNonce(nonceAccount: Address): TransferWarning {
  const detail =
    `The transaction can land until the nonce account ${nonceAccount} is advanced: balances, owners and the rules of the ` +
    'mint may then be others than those that were checked. Advance the nonce to make it void.';
  return { code: 'durable_nonce', detail };
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
