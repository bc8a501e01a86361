import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { formatAmount } from './format-amount.ts';
import { systemProgram } from './programs.ts';
import { classifyTokenProgramAccount, decodeTokenAccount, type Mint, tokenProgramName } from './token-state.ts';
import type { TransferRequest } from './transfer-plan.ts';

/**
 * Says why an account cannot pay the fee as a wallet, if so. An absent one is a wallet without SOL.
 *
 * A sender who does not pay the fee only signs, which any key can.
 */
export function judgeFeePayerWallet(feePayer: Address, sender: Address, account: Account | null): Finding | undefined {
  if (!account || (account.owner === systemProgram && account.data.length === 0)) return undefined;
  const what =
    account.owner === systemProgram
      ? 'holds data'
      : `belongs to the program ${account.owner}, not to the System program`;
  const detail = `The account ${feePayer} ${what}, so it cannot pay the network fee. Let a plain wallet pay.`;
  return feePayer === sender
    ? { code: 'sender_not_a_wallet', pointer: '/from_address', detail }
    : { code: 'fee_payer_not_a_wallet', pointer: '/fee_payer', detail };
}

/**
 * Says why the signature of a sender for whom another pays would move nothing, if so: the sender is a multisig.
 *
 * A token program asks for the signatures of a multisig's signers instead of its own (token-2022 `Processor::validate_owner`);
 * anything else that has a key signs for itself.
 */
export function judgeSponsoredSender(
  request: TransferRequest,
  mint: Mint,
  account: Account | null,
): Finding | undefined {
  if (request.feePayer === request.from || account?.owner !== mint.tokenProgram) return undefined;
  if (classifyTokenProgramAccount(account) !== 'multisig') return undefined;
  const detail =
    `The account ${request.from} is a multisig of ${tokenProgramName(account.owner)}: its signers would have to sign, ` +
    'and its own signature moves nothing. Send from a plain wallet.';
  return { code: 'sender_not_a_wallet', pointer: '/from_address', detail };
}

/** Says why the sender's token account cannot pay the amount, in a fixed order. */
export function judgeSenderTokenAccount(
  request: TransferRequest,
  mint: Mint,
  address: Address,
  account: Account | null,
): Finding[] {
  const pointer = '/from_address';
  const tokenAccount = account && decodeTokenAccount(account, request.from);
  if (!tokenAccount) {
    const detail =
      `${request.from} has no token account for the mint ${request.mint}: there is none at ${address}. ` +
      'It must receive some of this token first.';
    return [{ code: 'sender_token_account_not_found', pointer, detail }];
  }
  const findings: Finding[] = [];
  // The mint's permanent delegate may move tokens out of any account, its own limits as a delegate apart.
  const isPermanentDelegate = mint.permanentDelegate === request.from;
  const delegated = tokenAccount.delegate?.address === request.from ? tokenAccount.delegate.amount : undefined;
  const isDelegateForEnough = delegated !== undefined && delegated >= request.amount;
  if (tokenAccount.owner !== request.from && !isPermanentDelegate && !isDelegateForEnough) {
    const detail =
      `The token account ${address} of ${request.from} now belongs to ${tokenAccount.owner}, who alone can send ` +
      'from it. Send from another wallet.';
    findings.push({ code: 'sender_token_account_not_owned', pointer, detail });
  }
  if (tokenAccount.isFrozen) {
    const detail = `The token account ${address} of ${request.from} is frozen. Ask the issuer of ${request.mint} to thaw it.`;
    findings.push({ code: 'sender_token_account_frozen', pointer, detail });
  }
  const units = (amount: bigint): string => `${amount} base units (${formatAmount(amount, mint.decimals)} tokens)`;
  const needs = (): string => `this transfer needs ${units(request.amount)}`;
  if (tokenAccount.amount < request.amount) {
    const detail =
      `The token account ${address} of ${request.from} has ${units(tokenAccount.amount)}; ${needs()}, ` +
      `${request.amount - tokenAccount.amount} more. Send less, or fund it first.`;
    findings.push({ code: 'insufficient_token_balance', pointer: '/amount', detail });
  } else if (
    tokenAccount.owner === request.from &&
    !isPermanentDelegate &&
    delegated !== undefined &&
    !isDelegateForEnough
  ) {
    // The token programs look at the delegate first: an owner that is its own delegate is held to the delegated amount.
    const detail =
      `The token account ${address} has its owner ${request.from} as its delegate, for ${units(delegated)}; ${needs()}. ` +
      'Send less, or revoke the delegation.';
    findings.push({ code: 'insufficient_token_balance', pointer: '/amount', detail });
  }
  return findings;
}
