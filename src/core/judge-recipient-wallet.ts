import type { Finding } from '../errors.ts';
import type { Account } from './account.ts';
import type { Address } from './address.ts';
import { classifyTokenProgramAccount, decodeTokenAccount, tokenProgramName } from './token-state.ts';

/** Says why an address is not a wallet that tokens can be sent to, if it is not: a token account, a mint or a program. */
export function judgeRecipientWallet(recipient: Address, account: Account | null): Finding | undefined {
  if (!account) return undefined;
  const finding = (code: Finding['code'], detail: string): Finding => ({ code, pointer: '/to_address', detail });
  if (account.executable) {
    return finding('recipient_is_program', `${recipient} is a program. Send the address of the recipient's wallet.`);
  }
  switch (classifyTokenProgramAccount(account)) {
    // Of no token program, or a multisig, which can own token accounts as a wallet does.
    case undefined:
    case 'multisig':
      return undefined;
    case 'mint':
      return finding(
        'recipient_is_mint',
        `${recipient} is a mint of ${tokenProgramName(account.owner)}. Send the address of the recipient's wallet.`,
      );
    case 'token_account':
    case 'unknown': {
      const owner = decodeTokenAccount(account)?.owner;
      const remedy = owner
        ? `Its owner is ${owner}: send that address if it is the recipient's wallet`
        : 'Send a wallet';
      return finding(
        'recipient_is_token_account',
        `${recipient} is a token account of ${tokenProgramName(account.owner)}, not a wallet. ${remedy}.`,
      );
    }
  }
}
