import { randomBytes } from 'node:crypto';
import {
  isAddressOnCurve,
  parseAddress,
  type TokenAccountCreation,
  type TransferInputs,
  type TransferRequest,
  validateTransferRequest,
} from 'splwright-core';
import { holdsApiKey } from '../app/api-key.ts';
import type { Incomplete, Shape } from '../app/read-shape.ts';
import { allFaults, invalidRequest } from '../app/validate.ts';
import type { TransferOperation } from '../operation.ts';
import type { DescribedFinding } from '../problems.ts';
import { readSponsorRequest, type SponsorRequest, sponsorName, sponsorStandIn } from '../sponsor/sponsor-fields.ts';
import { paths, type TransferFields, type TransferPath } from './transfer-schema.ts';
import { describeFinding, type MemoField } from './words/finding-words.ts';

/** A body without faults: what it asks for, and how the reply is to be written. */
export interface ReadTransferRequest {
  operation: SingleOperation;
  values: Incomplete<TransferFields>;
  /** The field that the memo came in, by which findings about the memo are named. */
  memoField: MemoField;
  transfer: TransferRequest;
  /** Its sponsor takes the place of the fee payer; absent where a wallet of the caller pays. */
  sponsored?: SponsorRequest | undefined;
}

/** An operation that pays one recipient. */
export type SingleOperation = Exclude<TransferOperation, 'batch'>;

/** A path that pays one recipient. */
export type SinglePath = Exclude<TransferPath, typeof paths.batch>;

/** The default of `create_token_account` by operation: the core knows no operations. */
const tokenAccountCreation: Readonly<Record<SingleOperation, TokenAccountCreation>> = {
  memo_transfer: 'never',
  yid_transfer: 'never',
  create_transfer: 'always',
  transfer: 'if_missing',
};

/**
 * Reads the shape of a body as a transfer request: which operation it is, its texts, and whether its memo would publish an API key.
 *
 * `body`: as it was parsed. Throws an `AppError` of the code `invalid_request` with every fault.
 */
export function readTransferRequest(
  path: SinglePath,
  shape: Shape<TransferFields>,
  body: unknown,
): ReadTransferRequest {
  const { values } = shape;
  const { operation, findings } = chooseOperation(path, values);
  // The core knows only one memo: the field that it came in is named here.
  const memoField = values.memo === undefined ? 'yid' : 'memo';
  const inputs = {
    ...transferInputs(values, values.create_token_account ?? tokenAccountCreation[operation]),
    acceptsSol: operation === 'transfer',
    acceptsMax: operation === 'transfer',
    allowsOffCurveSender: values.allow_off_curve_sender,
  };
  const parsed = validateTransferRequest(withX402Memo(inputs));
  const { sponsored, findings: ofSponsor } = readSponsorRequest(values);
  const found = [
    ...parsed.findings.map((finding) => describeFinding(finding, memoField)),
    // Both were sent: the errors of the yid are reported in addition to those of the memo.
    ...(memoField === 'memo' && values.yid !== undefined ? findMemoFaults({ ...inputs, memo: values.yid }) : []),
    ...findApiKey(values.memo, '/memo'),
    ...findApiKey(values.yid, '/yid'),
    ...ofSponsor,
    ...(sponsored && inputs.layout !== undefined && inputs.layout !== 'default' ? [sponsoredLayout] : []),
    ...(sponsored && inputs.tip ? [sponsoredTip] : []),
    ...(sponsored && inputs.wrap ? [sponsoredWrap] : []),
    ...findVaultFaults(values),
  ];
  const faults = allFaults(shape, findings, found);
  if (faults.length === 0 && parsed.request) {
    return { operation, values, memoField, transfer: parsed.request, sponsored };
  }
  throw invalidRequest(faults, body);
}

/** Returns the operation, and a finding when fields that exclude each other are both present or both missing. */
function chooseOperation(
  path: SinglePath,
  values: Incomplete<TransferFields>,
): { operation: SingleOperation; findings: readonly DescribedFinding[] } {
  const [hasMemo, hasYid] = [isSent(values, 'memo'), isSent(values, 'yid')];
  const bothMemos = hasMemo && hasYid ? [memoAndYid] : [];
  switch (path) {
    case paths.memoTransfer:
      return {
        operation: hasYid && !hasMemo ? 'yid_transfer' : 'memo_transfer',
        findings: hasMemo || hasYid ? bothMemos : [neitherMemo],
      };
    case paths.createTransfer:
      return { operation: 'create_transfer', findings: bothMemos };
    case paths.transfers:
      return { operation: 'transfer', findings: findAmountFaults(values, '', transferAmounts) };
  }
}

const memoAndYid: DescribedFinding = {
  code: 'memo_and_yid',
  pointer: '/yid',
  detail: 'memo and yid are both present. Send memo, or yid, not both.',
};
const neitherMemo: DescribedFinding = {
  code: 'memo_or_yid_required',
  pointer: '',
  detail: 'memo and yid are both missing. Send memo, or yid; one of them chooses the operation.',
};

const sponsoredLayout: DescribedFinding = {
  code: 'invalid_value',
  pointer: '/fee_payer',
  detail: 'fee_payer "sponsor" works with the layout "default" alone: the others are paid by who settles them.',
};

// The fee payer pays the tip: it would be a gift from the sponsor to any account.
const sponsoredTip: DescribedFinding = {
  code: 'invalid_value',
  pointer: '/tip',
  detail:
    'A tip is paid by the fee payer, and the sponsor pays none. Leave tip out, or name a wallet of yours as the fee_payer.',
};

const sponsoredWrap: DescribedFinding = {
  code: 'invalid_value',
  pointer: '/wrap',
  detail: 'A sponsor pays for transfers of tokens alone. Leave wrap out, or name a wallet of yours as the fee_payer.',
};
// A proposal keeps the instructions alone, which the program of the multisig calls in the name of the vault.
const notFromVaults = [
  ...(['fee_payer', 'layout', 'nonce_account', 'priority_fee', 'recent_blockhash', 'last_valid_block_height'] as const),
  ...(['simulate', 'tip', 'transaction_version', 'wrap', 'unwrap'] as const),
];
// What these are without being sent; and version 0, which multisigs take, too.
const harmless: readonly unknown[] = ['default', 'none', false, 'legacy', 0];

function findVaultFaults(values: Incomplete<TransferFields>): readonly DescribedFinding[] {
  const sender = parseAddress(values.from_address ?? '');
  if (!values.allow_off_curve_sender || !('address' in sender) || isAddressOnCurve(sender.address)) return [];
  const detail = 'A proposal can be executed much later, when the vault holds another amount. Name the amount.';
  const ofMax: readonly DescribedFinding[] =
    values.amount === 'max' ? [{ code: 'invalid_value', pointer: '/amount', detail }] : [];
  const others: readonly DescribedFinding[] = notFromVaults
    .filter((name) => isSent(values, name) && !harmless.includes(values[name]))
    .map((name) => {
      const detail = `A transfer from a vault is for import into a proposal, which has no ${name}. Leave it out.`;
      return { code: 'invalid_value', pointer: `/${name}`, detail };
    });
  return [...ofMax, ...others];
}

function findMemoFaults(inputs: TransferInputs): readonly DescribedFinding[] {
  return validateTransferRequest(inputs)
    .findings.filter(({ field }) => field === 'memo')
    .map((finding) => describeFinding(finding, 'yid'));
}

// As many as the clients of `@x402/svm` draw.
const randomByteLength = 16;

/**
 * Returns the inputs of a transfer with a memo of 16 random bytes in hex where the x402 layout has none of its own.
 *
 * Two payments of the same amount with the same blockhash would otherwise be one transaction, which is paid once.
 */
export function withX402Memo(inputs: TransferInputs): TransferInputs {
  if (inputs.layout !== 'x402' || inputs.memo !== undefined) return inputs;
  return { ...inputs, memo: randomBytes(randomByteLength).toString('hex') };
}

/** Returns the fields of a transfer as inputs of the core; a `yid` is its memo. The default of `create_token_account` is the operation's. */
export function transferInputs(
  values: Incomplete<TransferFields>,
  createTokenAccount: TokenAccountCreation,
): TransferInputs {
  return {
    createTokenAccount,
    from: values.from_address,
    to: values.to_address,
    mint: values.token_mint_address,
    amount: values.amount,
    amountDecimal: values.amount_decimal,
    amountReceived: values.amount_received,
    amountReceivedDecimal: values.amount_received_decimal,
    memo: values.memo ?? values.yid,
    layout: values.layout,
    recentBlockhash: values.recent_blockhash,
    lastValidBlockHeight: values.last_valid_block_height,
    splits: values.splits?.map((split) => ({ to: split?.to_address, amount: split?.amount })),
    tip: values.tip && { account: values.tip.account, lamports: values.tip.lamports },
    wrap: values.wrap,
    unwrap: values.unwrap,
    feePayer: values.fee_payer === sponsorName ? sponsorStandIn : values.fee_payer,
    priorityFee: values.priority_fee,
    nonceAccount: values.nonce_account,
    transactionVersion: values.transaction_version,
    references: values.references?.filter((each) => each !== undefined),
    allowsOffCurveRecipient: values.allow_off_curve_recipient,
    checks: values.checks,
  };
}

/** Whether a field was sent; its value is `undefined` where it was sent with a wrong type. */
export function isSent(values: object, name: string): boolean {
  return Object.hasOwn(values, name);
}

const transferAmounts = ['amount', 'amount_decimal', 'amount_received', 'amount_received_decimal'];

/**
 * Returns a finding unless exactly one of the `names` of amounts was sent.
 *
 * `at`: the JSON pointer to the object that has them; empty for the body.
 */
export function findAmountFaults(
  values: object,
  at = '',
  names: readonly string[] = ['amount', 'amount_decimal'],
): readonly DescribedFinding[] {
  const [first, second] = names.filter((name) => isSent(values, name));
  const prefix = at === '' ? '' : `${at.slice(1)}: `;
  if (second !== undefined) {
    const detail = `${prefix}${first} and ${second} are both present. Send one of them.`;
    return [{ code: 'amount_and_amount_decimal', pointer: `${at}/${second}`, detail }];
  }
  if (first === undefined) {
    const detail = `${prefix}amount and amount_decimal are both missing. Send one of them.`;
    return [{ code: 'amount_or_amount_decimal_required', pointer: at, detail }];
  }
  return [];
}

/** Returns a finding, which does not repeat the key, for a memo that would publish an API key. `at`: the JSON pointer to the memo. */
export function findApiKey(memo: string | undefined, at: string): readonly DescribedFinding[] {
  if (memo === undefined || !holdsApiKey(memo)) return [];
  const detail = `${at.slice(1)} has an API key in it, which everyone could read on chain. Send another text.`;
  return [{ code: 'memo_holds_api_key', pointer: at, detail }];
}
