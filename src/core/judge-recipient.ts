import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { isAddressOnCurve } from './curve.ts';
import { systemProgram } from './programs.ts';
import {
  classifyTokenProgramAccount,
  decodeTokenAccount,
  type Mint,
  type TokenAccount,
  tokenProgramName,
} from './token-state.ts';
import type { TransferRequest } from './transfer-plan.ts';

const pointer = '/to_address';

/** Says why an address is certainly no wallet, if so: a program, a mint or a token account. */
export function judgeRecipientKind(recipient: Address, account: Account | null): Finding | undefined {
  if (!account) return undefined;
  if (account.executable) {
    const detail = `${recipient} is a program. Send the address of the recipient's wallet.`;
    return { code: 'recipient_is_program', pointer, detail };
  }
  const kind = classifyTokenProgramAccount(account);
  // A multisig owns token accounts as a wallet does.
  return kind === undefined || kind === 'multisig' ? undefined : judgeTokenProgramAccount(recipient, account, kind);
}

/**
 * Says why an address that may be a wallet is not paid all the same: it is an account of some program, or off the curve.
 *
 * `tokenAccount` is the recipient's for this mint, where there is one: somebody made it on purpose, which lets an address
 * that no wallet has be paid.
 */
export function judgeRecipientWallet(
  request: TransferRequest,
  account: Account | null,
  tokenAccount: TokenAccount | undefined,
): Finding | undefined {
  const recipient = request.to;
  const isOfAnotherProgram =
    account !== null && account.owner !== systemProgram && classifyTokenProgramAccount(account) === undefined;
  if (isOfAnotherProgram && !tokenAccount) {
    const detail =
      `${recipient} is an account of the program ${account.owner}, which may have no way to send tokens on. ` +
      "Send the address of the recipient's wallet.";
    return { code: 'recipient_not_a_wallet', pointer, detail };
  }
  const isMadeOnPurpose = tokenAccount !== undefined && request.operation !== 'create_transfer';
  if (!isMadeOnPurpose && !request.allowsOffCurveRecipient && !isAddressOnCurve(recipient)) {
    const detail =
      `${recipient} is off the Ed25519 curve: no key can sign for it, so it may be a token account or a program's ` +
      "address. Send the address of the recipient's wallet, or allow_off_curve_recipient if it is meant.";
    return { code: 'recipient_off_curve', pointer, detail };
  }
  return undefined;
}

function judgeTokenProgramAccount(
  recipient: Address,
  account: Account,
  kind: 'mint' | 'token_account' | 'unknown',
): Finding {
  const program = tokenProgramName(account.owner);
  if (kind === 'mint') {
    const detail = `${recipient} is a mint of ${program}. Send the address of the recipient's wallet.`;
    return { code: 'recipient_is_mint', pointer, detail };
  }
  const owner = decodeTokenAccount(account)?.owner;
  const remedy = owner ? `Its owner is ${owner}: send that address if it is the recipient's wallet` : 'Send a wallet';
  const detail = `${recipient} is a token account of ${program}, not a wallet. ${remedy}.`;
  return { code: 'recipient_is_token_account', pointer, detail };
}

/** Says why the recipient's token account cannot be paid, or made and paid, in a fixed order. */
export function judgeRecipientTokenAccount(
  request: TransferRequest,
  mint: Mint,
  address: Address,
  tokenAccount: TokenAccount | undefined,
): Finding[] {
  if (!tokenAccount) return judgeMissingTokenAccount(request, mint, address);
  const findings: Finding[] = [];
  const add = (code: Finding['code'], detail: string): void => void findings.push({ code, pointer, detail });
  if (tokenAccount.owner !== request.to) {
    add(
      'recipient_token_account_not_owned',
      `The token account ${address} of ${request.to} now belongs to ${tokenAccount.owner}: paying it would pay ` +
        'somebody else. Ask the recipient for another wallet.',
    );
  }
  if (tokenAccount.isFrozen) {
    add(
      'recipient_token_account_frozen',
      `The token account ${address} of ${request.to} is frozen. Ask the issuer of ${request.mint} to thaw it.`,
    );
  }
  if (tokenAccount.refusesPublicCredits) {
    add(
      'recipient_refuses_public_credits',
      `The token account ${address} of ${request.to} takes confidential transfers only. Ask the recipient to allow ` +
        'public credits.',
    );
  }
  if (tokenAccount.requiresMemo && !request.memo) {
    add(
      'recipient_requires_memo',
      `The token account ${address} of ${request.to} demands a memo directly before each transfer, and this one has ` +
        'none. POST it with a memo to /v1/token-transfer-memo-hash.',
    );
  }
  return findings;
}

function judgeMissingTokenAccount(request: TransferRequest, mint: Mint, address: Address): Finding[] {
  const missing = `${request.to} has no token account for the mint ${request.mint}: there is none at ${address}`;
  const frozen = `accounts of this mint are frozen from the start, until its issuer thaws them`;
  if (request.operation !== 'create_transfer') {
    const remedy = mint.freezesNewAccounts
      ? `New ${frozen}: ask the recipient to have one made and thawed`
      : 'POST the transfer to /v1/create-token-account-transfer, which creates it';
    return [{ code: 'recipient_token_account_not_found', pointer, detail: `${missing}. ${remedy}.` }];
  }
  if (!mint.freezesNewAccounts) return [];
  const detail = `${missing}, and new ${frozen}. Ask the recipient to have one made and thawed first.`;
  return [{ code: 'new_token_account_would_be_frozen', pointer, detail }];
}
