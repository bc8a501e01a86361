import type { Account } from '../accounts/account.ts';
import { decodeTokenAccount, type Mint, type TokenAccount } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import type { RecipientField } from '../findings/finding.ts';
import type { HookFault } from '../findings/finding-faults.ts';
import type { PaymentFacts } from '../plan/plan-transfer.ts';
import { type ReadAccounts, resolveHookAccounts } from '../plan/resolve-hook-accounts.ts';
import type { Memo } from '../request/memo.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import type { AccountMeta } from '../transaction/instruction.ts';

/** What the chain says of a payment: its recipient, the token account that it pays, and what the mint's hook demands. */
export interface ReadPayment {
  payee: Payee;
  wallet: Account | null;
  tokenAccountAddress: Address;
  account: Account | null;
  /** The account as one of the mint; `undefined` where it is none. */
  tokenAccount: TokenAccount | undefined;
  /** Why the accounts that the hook demands cannot be had, where they cannot. */
  hookFault: HookFault | undefined;
  hookAccounts: readonly AccountMeta[];
}

/** The part of a transfer that all its payments share. */
export interface PaymentSource {
  request: TransferRequest;
  mint: Mint;
  senderTokenAccount: Address;
}

/** Reads what is known of a payment, or says which accounts must be read first. */
export function readPayment(
  { request, mint, senderTokenAccount }: PaymentSource,
  payee: Payee,
  tokenAccountAddress: Address,
  read: ReadAccounts,
): ReadPayment | { needs: readonly Address[] } {
  const wallet = read.get(payee.to);
  const account = read.get(tokenAccountAddress);
  if (wallet === undefined || account === undefined) return { needs: [payee.to, tokenAccountAddress] };
  const expected = { mint: request.mint, tokenProgram: mint.tokenProgram, likelyOwner: payee.to };
  const tokenAccount = (account && decodeTokenAccount(account, expected)) ?? undefined;
  const payment: ReadPayment = {
    payee,
    wallet,
    tokenAccountAddress,
    account,
    tokenAccount,
    hookFault: undefined,
    hookAccounts: noAccounts,
  };
  // In the x402 layout a mint with a hook is refused, whatever its hook demands.
  if (mint.transferHookProgram === undefined || request.layout === 'x402') return payment;

  const hook = resolveHookAccounts(
    {
      hookProgram: mint.transferHookProgram,
      source: senderTokenAccount,
      mint: request.mint,
      destination: tokenAccountAddress,
      authority: request.from,
      amount: payee.amount,
      referenceCount: payee.references.length,
      demandedMemoBytes: tokenAccount?.requiresMemo && payee.memo ? payee.memo.bytes.length : 0,
    },
    read,
  );
  if ('needs' in hook) return hook;
  if ('unresolvable' in hook) return { ...payment, hookFault: hook.unresolvable };
  return { ...payment, hookAccounts: hook.accounts };
}

const noAccounts: readonly AccountMeta[] = [];

/** Whether the chain has neither an account at the address of a recipient nor its token account of the mint. */
export function isNeverUsed({ wallet, tokenAccount }: Pick<ReadPayment, 'wallet' | 'tokenAccount'>): boolean {
  return wallet === null && tokenAccount === undefined;
}

/** Returns what a plan needs to know of a payment. `rent`: lamports that a token account of the mint must hold. */
export function paymentFactsOf({ account, tokenAccount, hookAccounts }: ReadPayment, rent: bigint): PaymentFacts {
  return {
    recipientTokenAccountExists: tokenAccount !== undefined,
    rentDue: tokenAccount ? 0n : rentDue(rent, account),
    hookAccounts,
  };
}

// An address can hold lamports before its account is made: the payer adds what is missing (System `create_account` of the
// associated token program).
function rentDue(minimum: bigint, account: Account | null): bigint {
  const held = account?.lamports ?? 0n;
  return held < minimum ? minimum - held : 0n;
}

/** Somebody whom a transfer pays, and where its request names them. */
export interface Payee {
  to: Address;
  /** Base units. */
  amount: bigint;
  field: RecipientField;
  memo: Memo | undefined;
  references: readonly Address[];
}

/** Everyone whom a transfer pays, in the order in which their findings are reported: the recipient, then the splits. */
export function payeesOf(
  { to, memo, references, splits }: TransferRequest,
  amount: bigint,
): readonly [Payee, ...Payee[]] {
  const recipient: Payee = { to, amount, field: 'to', memo, references };
  if (splits.length === 0) return [recipient];
  const others = splits.map((split, index): Payee => {
    const { to: other, amount: part, memo: ofSplit, references: found = noReferences } = split;
    return { to: other, amount: part, field: { split: index, part: 'to' }, memo: ofSplit, references: found };
  });
  return [recipient, ...others];
}

/** The base units of each payment, in the order in which the transaction makes them: the recipient's is the last. */
export function amountsInOrder([recipient, ...splits]: readonly [Payee, ...Payee[]]): readonly bigint[] {
  return [...splits.map(({ amount }) => amount), recipient.amount];
}

const noReferences: readonly Address[] = [];
