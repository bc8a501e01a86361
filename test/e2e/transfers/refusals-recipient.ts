import { readTokenAccount } from '../../setup/token-account-data.ts';
import { freeze, giveAway, makeConfidential, requireMemo } from '../../setup/token-account-states.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import {
  createMultisigOfOtherProgram,
  createProgramDerivedAddress,
  createSomebodysTokenAccount,
  createStakeAccount,
  memoProgramAddress,
} from '../../setup/token-recipients.ts';
import { type RefusalCase, refusalsAt } from './refusals-case.ts';

const classic = tokenMintKinds['classic-6'];
const stakeProgram = 'Stake11111111111111111111111111111111111111';
const there = { recipientHasTokenAccount: true } as const;

/** Refusals because of the recipient. */
export const recipientRefusals: readonly RefusalCase[] = refusalsAt('/to_address', [
  {
    code: 'recipient_token_account_not_found',
    operation: 'memo',
    plan: { kind: classic, recipientHasTokenAccount: false },
    detail: ({ recipient, mint, recipientTokenAccount }) =>
      `${recipient} has no token account for the mint ${mint.address}: there is none at ${recipientTokenAccount}. POST the ` +
      'transfer to /v1/create-token-account-transfer, or to /v1/transfers with create_token_account "if_missing", which ' +
      'create it.',
  },
  {
    code: 'recipient_token_account_not_owned',
    operation: 'yid',
    plan: { kind: classic, ...there, changeRecipient: giveAway },
    detail: ({ recipient, recipientTokenAccount }, ledger) =>
      `The token account ${recipientTokenAccount} of ${recipient} now belongs to ` +
      `${readTokenAccount(ledger, recipientTokenAccount)?.owner}: paying it would pay that owner. Ask the recipient for ` +
      'another wallet.',
  },
  {
    code: 'recipient_token_account_frozen',
    operation: 'create',
    plan: { kind: classic, ...there, changeRecipient: freeze },
    detail: ({ recipient, mint, recipientTokenAccount }) =>
      `The token account ${recipientTokenAccount} of ${recipient} is frozen. Ask the issuer of ${mint.address} to thaw it.`,
  },
  {
    code: 'recipient_refuses_public_credits',
    operation: 'memo',
    plan: {
      kind: tokenMintKinds['2022-confidential'],
      changeRecipient: (account) => makeConfidential(account, false),
    },
    detail: ({ recipient, recipientTokenAccount }) =>
      `The token account ${recipientTokenAccount} of ${recipient} takes confidential transfers only. Ask the recipient to ` +
      'allow public credits.',
  },
  {
    code: 'new_token_account_would_be_frozen',
    operation: 'create',
    plan: { kind: tokenMintKinds['2022-default-frozen'] },
    detail: ({ recipient, mint, recipientTokenAccount }) =>
      `${recipient} has no token account for the mint ${mint.address}: there is none at ${recipientTokenAccount}, and new ` +
      'accounts of this mint are frozen from the start, until its issuer thaws them. Ask the recipient to have one made and ' +
      'thawed first.',
  },
  {
    code: 'recipient_requires_memo',
    operation: 'create',
    plan: { kind: tokenMintKinds['2022-plain'], ...there, changeRecipient: requireMemo },
    detail: ({ recipient, recipientTokenAccount }) =>
      `The token account ${recipientTokenAccount} of ${recipient} demands a memo directly before each transfer, and this ` +
      'one has none. POST it with a memo to /v1/token-transfer-memo-hash or /v1/transfers; a split cannot have one.',
  },
  {
    code: 'recipient_is_token_account',
    operation: 'create',
    plan: { kind: classic, recipient: createSomebodysTokenAccount },
    detail: ({ recipient }, ledger) =>
      `${recipient} is a token account of SPL Token, not a wallet. Its owner is ` +
      `${readTokenAccount(ledger, recipient)?.owner}: send that address if it is the recipient's wallet.`,
  },
  {
    code: 'recipient_is_mint',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-plain'], recipient: (_ledger, mint) => mint.address },
    detail: ({ recipient }) => `${recipient} is a mint of Token-2022. Send the address of the recipient's wallet.`,
  },
  {
    code: 'recipient_is_program',
    operation: 'yid',
    plan: { kind: classic, recipient: () => memoProgramAddress },
    detail: ({ recipient }) => `${recipient} is a program. Send the address of the recipient's wallet.`,
  },
  {
    code: 'recipient_multisig_of_other_program',
    operation: 'memo',
    plan: { kind: classic, ...there, recipient: createMultisigOfOtherProgram },
    detail: ({ recipient, mint }) =>
      `${recipient} is a multisig of Token-2022, and ${mint.address} is a mint of SPL Token, for which its signers cannot sign: ` +
      'the tokens could not be sent on. Send the address of a wallet, or of a multisig of SPL Token.',
  },
  {
    code: 'recipient_not_a_wallet',
    operation: 'create',
    plan: { kind: classic, recipient: createStakeAccount },
    detail: ({ recipient }) =>
      `${recipient} is an account of the program ${stakeProgram}, which may have no way to send tokens on. Send the ` +
      "address of the recipient's wallet.",
  },
  {
    code: 'recipient_off_curve',
    operation: 'create',
    plan: { kind: classic, recipient: createProgramDerivedAddress },
    detail: ({ recipient }) =>
      `${recipient} is off the Ed25519 curve: no key can sign for it, so it may be a token account or a program's address. ` +
      "Send the address of the recipient's wallet, or allow_off_curve_recipient if it is meant.",
  },
]);
