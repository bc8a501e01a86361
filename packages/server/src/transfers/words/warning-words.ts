import {
  levelOf,
  sol,
  type Warning,
  type WarningCode,
  type WarningContexts,
  type WarningLevel,
  type WarningOf,
} from 'splwright-core';
import { describeAllowance, describeLamports, describeTokens } from '../../outcomes/amount-words.ts';

/** The meaning of each warning of a summary, in its order there: codes are stable, never removed and never reused. */
export const warningMeanings: Readonly<Record<WarningCode, string>> = {
  for_import_into_multisig: 'It is for import into a multisig: no key signs it, and its lifetime does not matter.',
  recipient_never_used:
    'A recipient has neither an account nor a token account on chain: the wallet is new, or the address is wrong. If it is off the curve, ' +
    'the detail says first that no key exists for it.',
  transfer_fee: 'The mint withholds part of the amount.',
  scheduled_transfer_fee: 'The mint withholds more or less of such a transfer from a later epoch on.',
  recipient_delegate: "A delegate may send tokens, including this payment, from the recipient's token account.",
  recipient_close_authority:
    "The close authority may take all wrapped SOL, including this payment, out of the recipient's token account.",
  permanent_delegate: 'The permanent delegate of the mint can move or burn its tokens in any account.',
  transfer_hook: 'The mint calls a program on this transfer; the detail names the accounts that it may write.',
  token_account_thawed:
    'The transaction thaws a frozen token account; the detail names the gate program that may still refuse.',
  unknown_extension: 'The mint has extensions newer than this service.',
  sender_is_delegate: "The tokens are not the sender's own: their owner, or the mint, lets the sender send them.",
  sender_delegate: "A delegate may send from the sender's token account before this transfer lands.",
  sender_close_authority: "The close authority may take all wrapped SOL out of the sender's token account.",
  repeated_recipient: 'The batch pays a recipient more than once.',
  scaled_ui_amount: 'Wallets may show a multiplied amount.',
  interest_bearing: 'Wallets may show a different amount, which grows with time.',
  durable_nonce: 'The transaction can land long after the checked accounts have changed.',
  facilitator_compute_limit: 'Hosted x402 facilitators may refuse the compute limit that the memo needs.',
  memo_control_characters: 'The memo has control characters or line breaks.',
  memo_direction_characters:
    'The memo has characters that change the direction of text, so it may display differently.',
  memo_invisible_characters: 'The memo has invisible characters, so memos that look alike may differ.',
  mutable_transfer_fee: 'The issuer can change, from a later epoch on, how much the mint withholds.',
  mutable_transfer_hook: 'The issuer can set another program to be called on each transfer.',
  freeze_authority: 'The issuer can freeze any account of this mint.',
  mint_can_be_paused: 'The issuer can pause all transfers of this mint.',
  mint_can_be_closed: 'The mint can be closed once it has no tokens.',
  durable_nonces_will_be_removed: 'Solana intends to remove durable nonces; no date is set.',
  amount_is_max: 'The amount "max": what it comes to, and what is left.',
};

const warningWords: {
  readonly [Code in WarningCode]: (context: WarningContexts[Code]) => string;
} = {
  transfer_fee: ({ mint, transferFee, receivedAmount, decimals }) =>
    `The mint ${mint} withholds ${describeTokens(transferFee, decimals)} of this transfer; ${describeTokens(receivedAmount, decimals)} arrive.`,
  scheduled_transfer_fee: ({ mint, epoch, transferFee, receivedAmount, decimals }) =>
    `From epoch ${epoch} on the mint ${mint} withholds ${transferFee === 0n ? 'nothing' : describeTokens(transferFee, decimals)} of such a ` +
    `transfer; ${describeTokens(receivedAmount, decimals)} arrive then.`,
  for_import_into_multisig: ({ vault }) =>
    `No key signs for ${vault}: import this transaction into the multisig whose vault it is. A proposal keeps only the instructions: it ` +
    'can be executed at any later time, when what was checked now may have changed. The member who executes it pays the network fee, and ' +
    'the vault pays the rent of new token accounts. The payment is then made by inner instructions: its outcome cannot be found by this ' +
    'transaction.',
  recipient_never_used: describeNeverUsed,
  recipient_delegate: ({ tokenAccount, delegate, amount, decimals }) =>
    `${delegate} may send ${describeAllowance(amount, decimals)} from the recipient's token account ${tokenAccount}, ` +
    'including this payment.',
  recipient_close_authority: ({ tokenAccount, closeAuthority }) =>
    `${closeAuthority} may close the recipient's token account ${tokenAccount} and take all its wrapped SOL, ` +
    'including this payment.',
  permanent_delegate: ({ mint, delegate }) => `${delegate} can move or burn tokens of the mint ${mint} in any account.`,
  transfer_hook: ({ mint, program, writableAccounts }) => {
    const writes = writableAccounts.length === 0 ? 'no account' : writableAccounts.join(', ');
    return `The mint ${mint} calls the program ${program} on this transfer. It may write ${writes}.`;
  },
  token_account_thawed: ({ mint, gateProgram, tokenAccounts }) =>
    `The transaction has the Token ACL program thaw ${tokenAccounts.join(', ')}, since accounts of the mint ${mint} are frozen from the start. ` +
    `The issuer's gate program ${gateProgram} decides, and may refuse by then.`,
  unknown_extension: ({ mint, extensionTypes }) =>
    `The mint ${mint} has extensions newer than this service (type ${extensionTypes.join(', ')}), which may change its rules.`,
  sender_is_delegate: ({ tokenAccount, owner }) =>
    `The tokens in ${tokenAccount} belong to ${owner}; the sender may send them as a delegate.`,
  sender_delegate: ({ tokenAccount, delegate, amount, decimals }) =>
    `${delegate} may send ${describeAllowance(amount, decimals)} from the sender's token account ${tokenAccount}: too few ` +
    'may be left for this transfer.',
  sender_close_authority: ({ tokenAccount, closeAuthority }) =>
    `${closeAuthority} may close the sender's token account ${tokenAccount} and take all its wrapped SOL before this ` +
    'transfer lands.',
  repeated_recipient: ({ recipient, transfers }) =>
    `The batch pays ${recipient} ${transfers.length} times, in the transfers ${listNumbers(transfers)}: the amounts add up.`,
  scaled_ui_amount: () => 'Wallets may show a multiplied amount; what moves is the amount in base units.',
  interest_bearing: () => 'Wallets may show an amount that grows with time; what moves is the amount in base units.',
  durable_nonce: ({ nonceAccount }) =>
    `The transaction can land until the nonce account ${nonceAccount} is advanced: balances, owners and the rules of the ` +
    'mint may then differ from those that were checked. Advance the nonce to make it void.',
  facilitator_compute_limit: ({ computeUnitLimit, refusedFrom }) =>
    `The compute limit is ${computeUnitLimit}, mostly for the memo: hosted x402 facilitators may refuse ${refusedFrom} and more. Shorten ` +
    'the memo if the seller allows it.',
  memo_control_characters: ({ characters }) =>
    `The memo has control characters (${listOf(characters)}), which can break lines or control a terminal that shows it.`,
  memo_direction_characters: ({ characters }) =>
    `The memo has characters that change the direction of text (${listOf(characters)}): it may look like another memo.`,
  memo_invisible_characters: ({ characters }) =>
    `The memo has characters that are not shown (${listOf(characters)}): another memo may look the same.`,
  mutable_transfer_fee: ({ mint, authority }) =>
    `${authority} can change how much the mint ${mint} withholds of each transfer, up to all of it, from a later epoch on.`,
  mutable_transfer_hook: ({ mint, authority }) =>
    `${authority} can set another program to be called on each transfer of the mint ${mint}.`,
  freeze_authority: ({ mint }) => `The issuer can freeze any account of the mint ${mint}.`,
  mint_can_be_paused: ({ mint, authority }) => `${authority} can pause all transfers of the mint ${mint}.`,
  mint_can_be_closed: ({ mint }) => `The mint ${mint} can be closed once no account holds any of it.`,
  durable_nonces_will_be_removed: ({ nonceAccount }) =>
    `Solana intends to remove durable nonces, and no date is set: from then on this transaction, which uses the nonce of ${nonceAccount}, ` +
    'cannot land. Send it before, or build it again with a blockhash.',
  amount_is_max: ({ mint, amount, held, left, decimals }) => {
    const words = (of: bigint): string => (mint === sol ? describeLamports(of) : describeTokens(of, decimals));
    const others = held - left - amount;
    const less = others > 0n ? `, less ${words(others)} for fees and other payments` : '';
    const rest = left > 0n ? `${words(left)} are left, which the sender may not send as a delegate` : 'nothing is left';
    return `The amount "max" is ${words(amount)}: of ${words(held)} that the sender holds${less}; ${rest}.`;
  },
};

function describeNeverUsed({ recipients, offCurve }: WarningContexts['recipient_never_used']): string {
  const noKey =
    offCurve.length === 0
      ? ''
      : `No key exists for ${offCurve.join(', ')}, which would own these tokens: unless a program can send them on, they are lost. `;
  return recipients.length === 1
    ? `${noKey}The chain has no account at ${recipients.join()}, and no token account for it: it is ${noKey ? 'an unused vault' : 'a new wallet'} ` +
        'or a wrong address. Compare it with the one that you were given: tokens sent to a wrong address are lost.'
    : `${noKey}The chain has no accounts at ${recipients.length} of the recipients, and no token accounts for them: they are unused or ` +
        `wrong addresses. Compare them with those that you were given: ${recipients.join(', ')}.`;
}

/** Describes a warning of the core: its sentence names the thing and the numbers. */
export function describeWarning(warning: Warning): { code: WarningCode; level: WarningLevel; detail: string } {
  return { code: warning.code, level: levelOf(warning), detail: sentenceOf(warning) };
}

function sentenceOf<Code extends WarningCode>({ code, context }: WarningOf<Code>): string {
  return warningWords[code](context);
}

const maxListed = 5;

function listNumbers(numbers: readonly number[]): string {
  const more = numbers.length > maxListed ? ` and ${numbers.length - maxListed} more` : '';
  return `${numbers.slice(0, maxListed).join(', ')}${more}`;
}

function listOf(characters: readonly string[]): string {
  const listed = characters.slice(0, maxListed).map((character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  });
  const more = characters.length > maxListed ? ` and ${characters.length - maxListed} more` : '';
  return `${listed.join(', ')}${more}`;
}
