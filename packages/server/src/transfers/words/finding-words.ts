import {
  type Address,
  type Finding,
  type FindingCode,
  type FindingContexts,
  type FindingField,
  type FindingOf,
  isWrappedSol,
  tokenProgramName,
} from 'splwright-core';
import { sandboxWorldPath } from '../../app/schema-parts.ts';
import { refusalOf } from '../../app/validate.ts';
import { describeLamports, describePercent, describeTokens } from '../../outcomes/amount-words.ts';
import type { AppError, DescribedFinding } from '../../problems.ts';
import { paths } from '../transfer-schema.ts';
import {
  describeAddressFault,
  describeAmountFault,
  describeBlockhashFault,
  describeDecimalAmountFault,
  describeHookFault,
  describeLayoutConflict,
  describeLayoutObstacle,
  describeOtherAccount,
  describeValueFault,
  describeWalletFault,
} from './fault-words.ts';

/** The field of a request in which each value is that the core finds faults in. */
export const fieldNames = {
  from: 'from_address',
  to: 'to_address',
  mint: 'token_mint_address',
  amount: 'amount',
  amountDecimal: 'amount_decimal',
  amountReceived: 'amount_received',
  amountReceivedDecimal: 'amount_received_decimal',
  amountMin: 'amount_min',
  memo: 'memo',
  splits: 'splits',
  transfers: 'transfers',
  feePayer: 'fee_payer',
  sponsorFee: 'sponsor_fee_token_mint_address',
  priorityFee: 'priority_fee',
  nonceAccount: 'nonce_account',
  recentBlockhash: 'recent_blockhash',
  lastValidBlockHeight: 'last_valid_block_height',
  transactionVersion: 'transaction_version',
  createTokenAccount: 'create_token_account',
  wrap: 'wrap',
  unwrap: 'unwrap',
  references: 'references',
} as const satisfies Record<Extract<FindingField, string>, string>;

/** The field that the memo of a request came in: the core knows one memo. */
export type MemoField = 'memo' | 'yid';

/** What is known of a request, by which a remedy is possible or not. */
export interface RequestScene {
  /** Whether the service runs on a sandbox of its own. */
  isOnSandbox?: boolean;
  isSponsored?: boolean;
  /** Whether it could ask for transaction version 1; it could by default. */
  hasVersion1?: boolean;
}

/** Describes a finding of the core in a sentence, with the JSON pointer to the field of the request that it is about. */
export function describeFinding(finding: Finding, memoField: MemoField, scene: RequestScene = {}): DescribedFinding {
  const name = nameOf(finding.field, memoField);
  return { code: finding.code, pointer: `/${name}`, detail: sentenceOf(finding, name, scene) };
}

function nameOf(field: FindingField, memoField: MemoField): string {
  if (typeof field === 'string') return field === 'memo' ? memoField : fieldNames[field];
  if ('tip' in field) return `tip/${field.tip}`;
  if ('references' in field) return `${fieldNames.references}/${field.references}`;
  if ('split' in field) return `${fieldNames.splits}/${field.split}/${fieldNames[field.part]}`;
  const name = `${fieldNames.transfers}/${field.transfer}/${fieldNames[field.part]}`;
  return 'index' in field ? `${name}/${field.index}` : name;
}

function sentenceOf<Code extends FindingCode>(
  { code, context }: FindingOf<Code>,
  name: string,
  scene: RequestScene,
): string {
  return findingWords[code](context, { name, ...scene });
}

/** The refusal of a transfer that would not land: every reason in words, the first of them as its own. */
export function refusalOfTransfer(
  [first, ...others]: readonly [Finding, ...Finding[]],
  memoField: MemoField,
  scene: RequestScene,
): AppError {
  const describe = (finding: Finding): DescribedFinding => describeFinding(finding, memoField, scene);
  return refusalOf([describe(first), ...others.map(describe)]);
}

/** The words of a sentence beside its numbers. */
interface Names extends RequestScene {
  /** The field of the request that the finding is about. */
  name: string;
}

/** The sentence about a finding: names the thing, the numbers and the remedy. */
export const findingWords: {
  readonly [Code in FindingCode]: (context: FindingContexts[Code], names: Names) => string;
} = {
  invalid_value: (fault, { name }) => describeValueFault(fault, name),
  invalid_address: ({ fault }, { name }) =>
    `${name} ${describeAddressFault(fault, name)}. A Solana address is the base58 text of 32 bytes.`,
  invalid_amount: (context, { name }) => {
    if ('decimalFault' in context) {
      const fault = describeDecimalAmountFault(context.decimalFault);
      return `${name} ${fault}. It counts whole tokens, in decimal digits with a point where there is a fraction: "1.5".`;
    }
    const { fault, max } = context;
    const isWhole = fault === 'decimal_point' && (name === 'amount' || name.startsWith('transfers/'));
    const inTokens = `. For whole tokens send amount_decimal, which ${paths.transfers}, batches and payment links take.`;
    return (
      `${name} ${describeAmountFault(fault, max)}. It counts base units, the smallest unit of the token, in plain decimal digits` +
      `${fault === 'too_large' ? '' : ` from 1 to ${max}`}: for a mint with 6 decimals "1500000" is 1.5 tokens${isWhole ? inTokens : '.'}`
    );
  },
  invalid_memo: ({ fault }, { name }) =>
    fault === 'empty'
      ? `${name} is empty. Send at least one character.`
      : `${name} has a lone surrogate, which has no UTF-8 form. Send valid Unicode.`,
  memo_too_long: ({ byteLength, maxByteLength }, { name }) =>
    `${name} has ${byteLength} bytes of UTF-8; this transaction has room for ${maxByteLength}. ` +
    `Shorten it by ${byteLength - maxByteLength} bytes.`,
  memo_too_costly: ({ computeUnits, maxOfTransaction, maxOfMemo }, { name }) =>
    `${name} could cost the classic Memo program ${computeUnits} compute units; a transaction may spend ` +
    `${maxOfTransaction}, of which the memo may take ${maxOfMemo}. Use fewer characters outside the Latin alphabets.`,
  same_wallet: ({ wallet }) => `from_address and to_address are both ${wallet}. Send to another wallet.`,
  sender_off_curve: ({ sender }) =>
    `${sender} is off the Ed25519 curve, so no key can sign for it. Send the address of the wallet that owns the tokens. For a ` +
    `multisig's vault set allow_off_curve_sender on ${paths.transfers}.`,
  fee_payer_off_curve: ({ feePayer }) =>
    `${feePayer} is off the Ed25519 curve, so no key can sign for it. Send the address of a wallet.`,
  lifetime_conflict: ({ conflict }, { name }) =>
    conflict === 'blockhash_and_nonce'
      ? `${name} and nonce_account are both present, and a transaction uses one of them. Leave one out.`
      : `${name} is about recent_blockhash, which is missing. Send both, or leave it out.`,
  layout_conflict: ({ layout, conflict }, { name }) =>
    `The layout "${layout}" ${describeLayoutConflict(conflict, name)}.`,
  mint_not_found: ({ mint }, { isOnSandbox = false }) =>
    isOnSandbox
      ? `There is no account at ${mint} on the sandbox, the ledger that this service runs on. Its mints are at ${sandboxWorldPath}; for a ` +
        'mint of mainnet, start the service with SOLANA_RPC_URLS.'
      : `There is no account at ${mint}. Check the address, and the cluster this service reads.`,
  not_a_mint: ({ mint, program }) =>
    `${mint} is ${describeOtherAccount(program)}. Send the address of the token's mint.`,
  mint_too_large: ({ mint, byteLength, readByteLength }) =>
    `The mint ${mint} holds ${byteLength} bytes, of which this service reads ${readByteLength}; the rest may ` +
    'hold rules for its transfers. Use another token, or ask its issuer to shorten its metadata.',
  amount_not_representable: ({ mint, fault, decimals }, { name }) =>
    fault.kind === 'too_many_digits'
      ? `${name} has ${fault.fractionDigits} digits after the point; the mint ${mint} has ${decimals} decimals. Send no more digits.`
      : `${name} comes to more than ${fault.max} base units of the mint ${mint} with its ${decimals} decimals, the most a token ` +
        'account can hold. Send less.',
  mint_paused: ({ mint }) =>
    `The issuer of the mint ${mint} has paused all transfers. Try again when it has resumed them.`,
  mint_non_transferable: ({ mint }) =>
    `Tokens of the mint ${mint} cannot be transferred, by its own rules. Use another token.`,
  sender_not_a_wallet: ({ wallet, fault }) => describeWalletFault(wallet, fault),
  fee_payer_not_a_wallet: ({ wallet, fault }) => describeWalletFault(wallet, fault),
  sender_token_account_not_found: (context, names) => {
    const { wallet, mint, tokenAccount } = context;
    const remedy =
      describeTokensElsewhere(context) ??
      describeWrapping(context, names) ??
      'It must receive some of this token first.';
    return `${wallet} has no token account for the mint ${mint}: there is none at ${tokenAccount}. ${remedy}`;
  },
  sender_token_account_not_owned: ({ wallet, mint, tokenAccount, fault }) => {
    switch (fault.kind) {
      case 'other_owner':
        return (
          `The token account ${tokenAccount} of ${wallet} now belongs to ${fault.owner}, who alone can send ` +
          'from it. Send from another wallet.'
        );
      case 'other_closer':
        return `Only ${fault.closer} may close the token account ${tokenAccount} of ${wallet}. Leave unwrap out.`;
      case 'not_a_token_account':
        return (
          `${tokenAccount}, where the token account of ${wallet} should be, is an account of the program ${fault.program}, ` +
          `but not an initialized token account of the mint ${mint}. Send from another wallet.`
        );
    }
  },
  sender_token_account_frozen: describeFrozenAccount,
  insufficient_token_balance: describeInsufficientTokens,
  insufficient_sol: describeInsufficientSol,
  recipient_token_account_not_found: (context, { name }) => {
    const { freezesNewAccounts, layout } = context;
    if (name === fieldNames.sponsorFee) {
      const remedy = 'Its operator can create it with kora rpc initialize-atas. Or name another token.';
      return `The sponsor cannot be paid: ${describeMissingAccount(context)}. ${remedy}`;
    }
    if (freezesNewAccounts) {
      return `${describeMissingAccount(context)}. New ${frozenFromTheStart}: ask the recipient to get one created and thawed.`;
    }
    return layout === 'default'
      ? `${describeMissingAccount(context)}. POST the transfer to ${paths.createTransfer}, or to ${paths.transfers} with ` +
          'create_token_account "if_missing", which create it.'
      : `${describeMissingAccount(context)}. The layout "${layout}" cannot create it: have the recipient create it first.`;
  },
  recipient_token_account_not_owned: ({ wallet, mint, tokenAccount, fault }) =>
    fault.kind === 'other_owner'
      ? `The token account ${tokenAccount} of ${wallet} now belongs to ${fault.owner}: paying it would pay ` +
        'that owner. Ask the recipient for another wallet.'
      : `${tokenAccount}, where the token account of ${wallet} should be, is an account of the program ${fault.program}, but ` +
        `not an initialized token account of the mint ${mint}: tokens sent to it may not be the recipient's. Ask the ` +
        'recipient for another wallet.',
  recipient_token_account_frozen: describeFrozenAccount,
  recipient_refuses_public_credits: ({ wallet, tokenAccount }) =>
    `The token account ${tokenAccount} of ${wallet} takes confidential transfers only. Ask the recipient to allow ` +
    'public credits.',
  new_token_account_would_be_frozen: (context) =>
    `${describeMissingAccount(context)}, and new ${frozenFromTheStart}. Ask the recipient to get one created and thawed first.`,
  recipient_requires_memo: ({ wallet, tokenAccount }) =>
    `The token account ${tokenAccount} of ${wallet} requires a memo directly before each transfer, and this one has ` +
    `none. POST it with a memo to ${paths.memoTransfer} or ${paths.transfers}; a split cannot have one.`,
  recipient_is_token_account: ({ recipient, program, owner }) => {
    const remedy = owner ? `Its owner is ${owner}: send that address if it is the recipient's wallet` : 'Send a wallet';
    return `${recipient} is a token account of ${tokenProgramName(program)}, not a wallet. ${remedy}.`;
  },
  recipient_is_mint: ({ recipient, program }) =>
    `${recipient} is a mint of ${tokenProgramName(program)}. Send the address of the recipient's wallet.`,
  recipient_is_program: ({ recipient }) => `${recipient} is a program. Send the address of the recipient's wallet.`,
  recipient_multisig_of_other_program: ({ recipient, mint, program, tokenProgram }) =>
    `${recipient} is a multisig of ${tokenProgramName(program)}, and ${mint} is a mint of ${tokenProgramName(tokenProgram)}, for which ` +
    'its signers cannot sign: the tokens could not be sent on. Send the address of a wallet, or of a multisig of ' +
    `${tokenProgramName(tokenProgram)}.`,
  recipient_not_a_wallet: ({ recipient, program }) =>
    `${recipient} is an account of the program ${program}, which may have no way to send tokens on. ` +
    "Send the address of the recipient's wallet.",
  recipient_off_curve: ({ recipient }) =>
    `${recipient} is off the Ed25519 curve: no key can sign for it, so it may be a token account or a program's ` +
    "address. Send the address of the recipient's wallet, or set allow_off_curve_recipient if that is intended.",
  recipient_is_reserved: ({ recipient }) =>
    `${recipient} is reserved by the network and has no private key: SOL sent to it would be lost. Send the address of the ` +
    "recipient's wallet.",
  tip_account_not_payable: ({ account, fault }) =>
    `${account} ${tipFaultWords[fault]}. Send a tip account of the service that sends your transactions.`,
  recipient_below_rent_minimum: ({ recipient, balance, amount, minimumBalance }) =>
    `${recipient} has ${describeLamports(balance)}; with ${describeLamports(amount)} more it would hold less than the ` +
    `rent-exempt minimum of ${describeLamports(minimumBalance)}. Send at least ` +
    `${describeLamports(minimumBalance - balance)}.`,
  nonce_account_not_found: ({ nonceAccount }) =>
    `There is no account at ${nonceAccount}. Create the nonce account first.`,
  not_a_nonce_account: ({ nonceAccount, program, byteLength, expectedByteLength }) =>
    `${nonceAccount} is an account of the program ${program} with ${byteLength} bytes of data; a nonce ` +
    `account is one of the System program with ${expectedByteLength}. Send the address of a nonce account.`,
  nonce_account_not_initialized: ({ nonceAccount, fault }) =>
    fault === 'old_version'
      ? `The nonce account ${nonceAccount} has an old version that transactions can no longer use. Upgrade it first.`
      : `The nonce account ${nonceAccount} is not initialized. Initialize it first.`,
  nonce_authority_not_a_signer: ({ nonceAccount, authority }) =>
    `The authority of the nonce account ${nonceAccount} is ${authority}, for which no key can sign. Use a nonce account of a wallet.`,
  blockhash_not_valid: ({ blockhash, fault }, { name }) => describeBlockhashFault(fault, blockhash, name),
  priority_fee_too_high: ({ priorityFee, isLeast, max }, { name }) =>
    `The priority fee would be ${isLeast ? 'at least ' : ''}${priorityFee} lamports; this service allows ${max}. ` +
    `${name} counts micro-lamports per compute unit: send a lower price, or a level.`,
  transfer_hook_unresolvable: ({ mint, fault }) =>
    `The mint ${mint} calls a program on each transfer${describeHookFault(fault)}.`,
  transfer_hook_names_signer: ({ mint, signer }) =>
    `The mint ${mint} calls a program on each transfer, which would be handed the account ${signer}. That account signs this ` +
    'transaction, and the program could act with its signature. Leave it out of references, or ask the issuer of the token.',
  layout_not_possible: ({ layout, obstacle }) => `The layout "${layout}" ${describeLayoutObstacle(obstacle)}.`,
  transaction_too_large: describeTooLarge,
  transaction_too_costly: ({ computeUnits, max, hasMemo }) =>
    `The instructions can take ${computeUnits} compute units, token accounts to create included; a transaction may spend ` +
    `${max}. ${hasMemo ? 'Shorten the memo, or use fewer characters outside the Latin alphabets in it' : 'Send fewer splits'}.`,
  nothing_received: ({ mint, amount, decimals, basisPoints }) =>
    `The mint ${mint} withholds up to ${basisPoints} basis points (${describePercent(basisPoints)}) of a transfer, rounded up: of ` +
    `${describeTokens(amount, decimals)} ` +
    `nothing would arrive. Ask for ${basisPoints < 10_000 ? 'more, or for ' : ''}another token.`,
  nonce_for_several_transactions: ({ nonceAccount, transactionCount }) =>
    `The batch takes ${transactionCount} transactions, and the nonce of ${nonceAccount} is good for one. Send fewer ` +
    'transfers, or leave nonce_account out.',
};

const tipFaultWords: Readonly<Record<FindingContexts['tip_account_not_payable']['fault'], string>> = {
  not_found: 'does not exist',
  payer: 'is the fee payer, who pays the tip',
  program: 'is a program, and cannot be tipped',
  of_token_program: 'is an account of a token program: the tip would be lost',
  reserved: 'is reserved by the network: the tip would be lost',
  below_minimum: 'would hold less than the rent-exempt minimum, even with the tip',
};

function describeTooLarge(
  { excess, ...parts }: FindingContexts['transaction_too_large'],
  { hasVersion1 = true }: Names,
): string {
  const { hookAccountCount, splitCount, hasMemo, isTwin } = parts;
  const hook = hookAccountCount > 0 ? `, with ${hookAccountCount} accounts for the mint's transfer hook` : '';
  const splits = splitCount > 0 ? `, with ${splitCount} splits` : '';
  const fewer = splitCount > 0 ? 'Send fewer splits or references' : 'Send fewer references';
  if (excess.kind === 'accounts') {
    const { accountCount, maxAccountCount } = excess;
    return `The transaction would name ${accountCount} accounts${splits}${hook}; the network takes ${maxAccountCount}. ${fewer}.`;
  }
  const { byteLength, maxByteLength } = excess;
  const remedy = hasMemo ? `Shorten the memo by at least ${byteLength - maxByteLength} bytes` : fewer;
  const larger = hasVersion1 ? ', or use transaction_version 1' : '';
  if (isTwin) {
    return (
      'Another transfer of this batch pays exactly the same, and only a compute limit tells their transactions apart. With one, this ' +
      `transaction would have ${byteLength} bytes${hook}; the network takes ${maxByteLength}. ${remedy}, or let the two differ in their ` +
      `memo or a reference${larger}.`
    );
  }
  return (
    `The transaction would have ${byteLength} bytes${splits}${hook}; the network takes ${maxByteLength}. ` +
    `${remedy}${larger}.`
  );
}

const frozenFromTheStart = 'accounts of this mint are frozen from the start, until its issuer thaws them';

function describeMissingAccount({
  wallet,
  mint,
  tokenAccount,
}: FindingContexts['new_token_account_would_be_frozen']): string {
  return `${wallet} has no token account for the mint ${mint}: there is none at ${tokenAccount}`;
}

function describeFrozenAccount({
  wallet,
  mint,
  tokenAccount,
}: FindingContexts['recipient_token_account_frozen']): string {
  return `The token account ${tokenAccount} of ${wallet} is frozen. Ask the issuer of ${mint} to thaw it.`;
}

function describeInsufficientTokens(context: FindingContexts['insufficient_token_balance'], names: Names): string {
  const { wallet, tokenAccount, limitedBy, available, amount, decimals, sponsorFee } = context;
  const has = describeTokens(available, decimals);
  const parts =
    sponsorFee === undefined
      ? ''
      : `, ${describeTokens(amount - sponsorFee, decimals)} for the payment and ${describeTokens(sponsorFee, decimals)} for the sponsor's fee`;
  const needs = `this transfer needs ${describeTokens(amount, decimals)}${parts}`;
  const remedy = describeTokensElsewhere(context) ?? describeWrapping(context, names) ?? 'Send less, or fund it first.';
  return limitedBy === 'balance'
    ? `The token account ${tokenAccount} of ${wallet} has ${has}; ${needs}, ${amount - available} more. ${remedy}`
    : `The token account ${tokenAccount} has its owner ${wallet} as its delegate, for ${has}; ${needs}. ` +
        'Send less, or revoke the delegation.';
}

function describeTokensElsewhere({
  wallet,
  tokenAccount,
  decimals,
  elsewhere,
}: FindingContexts['sender_token_account_not_found']): string | undefined {
  if (!elsewhere) return undefined;
  const { tokenAccount: other, amount } = elsewhere;
  return (
    `${wallet} has ${describeTokens(amount, decimals)} in ${other}, another token account of its own, which this service does not ` +
    `send from. Move them to ${tokenAccount} first.`
  );
}

function describeWrapping(
  { mint, tokenAccount }: { mint: Address; tokenAccount: Address },
  { isSponsored = false }: Names,
): string | undefined {
  if (!isWrappedSol(mint)) return undefined;
  const orWrap = isSponsored ? '' : `; or set wrap on ${paths.transfers}, which does this`;
  return (
    'This token is wrapped SOL, not the SOL of the wallet itself. Wrap some first: send SOL to the token account ' +
    `${tokenAccount}, created if it is missing, and call SyncNative${orWrap}.`
  );
}

function describeInsufficientSol(context: FindingContexts['insufficient_sol'], { isOnSandbox = false }: Names): string {
  const { wallet, balance, networkFee, priorityFee, rent, sent, minimumBalance } = context;
  const cost = networkFee + priorityFee + rent + sent;
  const left = balance - cost;
  const forRent = rent > 0n ? ` and ${rent} for the rent of the new token account` : '';
  const forPriority = priorityFee > 0n ? `, ${priorityFee} for the priority fee` : '';
  const forPayments = sent > 0n ? ` and ${sent} for what is sent` : '';
  const takes = `the transaction takes ${describeLamports(cost)}: ${networkFee} for the network fee${forPriority}${forRent}${forPayments}`;
  const isStranger = balance === 0n && isOnSandbox;
  const sandboxWallets = isStranger ? `, or use a wallet of the sandbox: they are at ${sandboxWorldPath}` : '';
  const reason = left < 0n ? `it lacks ${describeLamports(-left)}` : `that would leave ${describeLamports(left)}`;
  return (
    `${wallet} has ${describeLamports(balance)}; ${takes}; ${reason}. A wallet must be left with nothing, or with at least the ` +
    `rent-exempt minimum of ${describeLamports(minimumBalance)}. Fund it to at least ` +
    `${describeLamports(cost + minimumBalance)}${sandboxWallets}.`
  );
}
