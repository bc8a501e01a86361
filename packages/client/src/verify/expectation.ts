import { addressBytes } from './addresses.ts';
import { expectAtMost, expectSame, type VerificationCode, VerificationError } from './verification-error.ts';

/** What stands for SOL in the place of a mint. */
export const sol = 'SOL';

/** The paths of the operations that build one transaction. */
export type TransferPath = '/v1/transfers' | '/v1/token-transfer-memo-hash' | '/v1/create-token-account-transfer';

/** What the caller knows and allows beyond the request. */
export interface VerifyOptions {
  /** The decimals of the mint. Without them the result says that they could not be known. */
  decimals?: number | undefined;
  /** The token program of the mint. Without it the result says that it could not be known. */
  tokenProgram?: string | undefined;
  /**
   * Whether the mint may call a program on the transfer; false by default. Its accounts are listed in the result; none may be one that signs
   * the transaction.
   */
  allowTransferHook?: boolean | undefined;
  /**
   * Whether the Token ACL program may thaw a recipient's frozen token account, in the sender's name; false by default. What the issuer's gate
   * program reads for it is listed in the result.
   */
  allowThaw?: boolean | undefined;
  /** The most that the priority fee of one transaction may cost, in lamports; 1,000,000 by default. */
  maxPriorityFeeLamports?: bigint | number | undefined;
  /** The most that the priority fees of all transactions of a batch may cost together, in lamports; 10,000,000 by default. */
  maxBatchPriorityFeeLamports?: bigint | number | undefined;
  /**
   * The most that a mint may withhold where the request says what must arrive, in hundredths of a percent of what is sent; 1,000 (10 %) by
   * default.
   */
  maxTransferFeeBasisPoints?: number | undefined;
  /** Whether a batch may come in over a third more transactions than its payments need room for; false by default. */
  allowMoreTransactions?: boolean | undefined;
  /**
   * A fee payer that may have signed already. Where the `fee_payer` of a request is `"sponsor"`, it must be this one, and without this option
   * any wallet but the sender: its signature must be there and valid, and its fee within `max_sponsor_fee` of the request.
   */
  sponsor?: string | undefined;
  /**
   * The blockhash, or the nonce, that the transaction must have. For a `nonce_account` the value that a node you trust says it holds: in its
   * place a recent blockhash passes. For replies that name none, the header `Solana-Blockhash`, which a client passes by itself.
   */
  lifetimeToken?: string | undefined;
  /** The block height now, of a node that you trust: `last_valid_block_height` of a reply must be within 160 blocks of it. */
  currentBlockHeight?: bigint | number | undefined;
}

/** Base units; or whole tokens as text, whose base units depend on the decimals. */
export type Amount = bigint | { decimal: string };

/** One payment that the request asks for. */
export interface ExpectedPayment {
  recipient: string;
  amount: Amount;
  /** Text; `random` is the memo of 16 bytes in hex that the x402 layout adds. */
  memo: string | { random: true } | undefined;
  references: readonly string[];
}

/** What the fee payer pays at the end. */
export interface Tip {
  account: string;
  lamports: bigint;
}

/** The fee that a request allows its sponsor. */
export interface SponsorTerms {
  mint: string;
  /** Base units. */
  maxFee: bigint;
}

/** Everything that the request says about the bytes. */
export interface Expectation {
  version: 'legacy' | 0 | 1;
  isX402?: boolean;
  /** Whether it is laid out for MPP: a limit always, and no token account created for the last payment. */
  isMpp?: boolean;
  sender: string;
  /** Undefined: a sponsor that is not known yet. */
  feePayer: string | undefined;
  /** What a sponsor may take; undefined where another wallet pays. */
  sponsored: SponsorTerms | undefined;
  /** Or "SOL". */
  mint: string;
  payments: readonly ExpectedPayment[];
  /** What must arrive of the last payment; undefined where the request says what is sent. */
  received?: Amount | undefined;
  tip?: Tip | undefined;
  /** Whether SOL of the sender may be wrapped first; and whether the rest is unwrapped at the end. */
  wrap?: boolean;
  unwrap?: boolean;
  /** None is created where SOL is paid. */
  creation: 'if_missing' | 'always' | 'never';
  /** A price in micro-lamports per compute unit, 0 for none; or a level, which the service knows. */
  price: bigint | 'level';
  nonceAccount: string | undefined;
  /** The blockhash that the request names. */
  blockhash?: string | undefined;
  /** The last valid block height that the request names. */
  lastValidBlockHeight?: bigint | undefined;
}

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

const ofAll =
  'from_address token_mint_address fee_payer priority_fee nonce_account transaction_version allow_off_curve_recipient checks';
const ofSingle = `${ofAll} to_address amount memo references simulate`;
const ofOlder = `${ofSingle} yid encoding summary`;
const ofSponsor = 'sponsor_fee_token_mint_address max_sponsor_fee';
const fieldsOf = {
  '/v1/transfers': `${ofSingle} amount_decimal amount_received amount_received_decimal create_token_account layout splits tip wrap unwrap allow_off_curve_sender recent_blockhash last_valid_block_height metadata ${ofSponsor}`,
  '/v1/token-transfer-memo-hash': ofOlder,
  '/v1/create-token-account-transfer': ofOlder,
  '/v1/transfers/batch': `${ofAll} create_token_account transfers skip_refused metadata ${ofSponsor}`,
};

/**
 * Reads the request of a single transfer. Throws a `VerificationError` that names the field which cannot be verified.
 *
 * `claimedAmount`: what is sent to the recipient, as the reply says it. It counts where the request leaves that to the service.
 */
export function expectTransfer(
  request: Fields,
  path: TransferPath,
  options: VerifyOptions,
  claimedAmount?: unknown,
): Expectation {
  const shared = expectShared(request, path, options);
  const { memo, yid, layout, splits, recent_blockhash: blockhash, last_valid_block_height: height } = request;
  if (memo !== undefined && yid !== undefined) throw invalid('yid', 'memo or yid', 'both');
  const chosen = oneOf(layout ?? 'default', 'layout', ['default', 'x402', 'mpp']);
  const isX402 = chosen === 'x402';
  const text = readMemo(memo ?? yid, memo === undefined ? 'yid' : 'memo');
  const received = readReceived(request);
  const isLeft = received !== undefined || (path === '/v1/transfers' && request.amount === 'max');
  const main = expectPayment(isLeft ? { ...request, amount: claimedAmount } : request, '');
  const others = readList(splits, 'splits').map((split, index) => {
    const at = `splits[${index}].`;
    expectKnown(split, 'to_address amount', at);
    return expectPayment(split, at);
  });
  const tip = readTip(request.tip);
  if ((tip || shared.mint === sol) && chosen !== 'default') throw invalid('layout', 'default', chosen);
  let { creation } = shared;
  if (path === '/v1/create-token-account-transfer') creation = 'always';
  if (path === '/v1/token-transfer-memo-hash' || isX402) creation = 'never';
  if (path === '/v1/token-transfer-memo-hash' && text === undefined) throw invalid('memo', 'memo or yid', 'neither');
  return {
    ...shared,
    isX402,
    isMpp: chosen === 'mpp',
    received,
    tip,
    wrap: request.wrap === true,
    unwrap: request.unwrap === true,
    creation,
    blockhash: blockhash === undefined ? undefined : readAddress(blockhash, 'recent_blockhash'),
    lastValidBlockHeight: height === undefined ? undefined : readInteger(height, 'last_valid_block_height'),
    payments: [...others, { ...main, memo: text ?? (isX402 ? { random: true } : undefined) }],
  };
}

/** A payment of a mint of its own. */
export interface MintPayment extends ExpectedPayment {
  mint: string;
}

/** What a batch asks for: the mint of each payment is its own. */
export interface BatchExpectation extends Expectation {
  payments: readonly MintPayment[];
}

/** Reads the request of a batch: what all its transactions share, and all payments in their order. */
export function expectBatch(request: Fields, options: VerifyOptions): BatchExpectation {
  const shared = expectShared(request, '/v1/transfers/batch', options);
  const payments = readList(request.transfers, 'transfers').map((transfer, index) => {
    const at = `transfers[${index}].`;
    expectKnown(transfer, 'to_address token_mint_address amount amount_decimal memo references', at);
    const { token_mint_address: own } = transfer;
    const mint = own === undefined ? shared.mint : readMint(own, `${at}token_mint_address`);
    return { ...expectPayment(transfer, at), mint, memo: readMemo(transfer.memo, `${at}memo`) };
  });
  return { ...shared, payments };
}

const creations = ['if_missing', 'always', 'never'] as const;
const versions = ['legacy', 0, 1] as const;

function expectShared(
  request: Fields,
  path: keyof typeof fieldsOf,
  options: VerifyOptions,
): Omit<Expectation, 'payments'> {
  expectKnown(request, fieldsOf[path], '');
  const { from_address: from, token_mint_address: mint, fee_payer: payer = from, nonce_account: nonce } = request;
  const sender = readAddress(from, 'from_address');
  const isSponsored = payer === 'sponsor';
  const { max_sponsor_fee: maxFee = '0', sponsor_fee_token_mint_address: feeMint = mint } = request;
  return {
    version: oneOf(request.transaction_version ?? 'legacy', 'transaction_version', versions),
    sender,
    feePayer: isSponsored ? options.sponsor : readAddress(payer, 'fee_payer'),
    sponsored: isSponsored ? { mint: `${feeMint}`, maxFee: readInteger(maxFee, 'max_sponsor_fee') } : undefined,
    mint: (path.startsWith('/v1/transfers') ? readMint : readAddress)(mint, 'token_mint_address'),
    creation: oneOf(request.create_token_account ?? 'if_missing', 'create_token_account', creations),
    price: readPrice(request.priority_fee ?? 'none'),
    nonceAccount: nonce === undefined ? undefined : readAddress(nonce, 'nonce_account'),
  };
}

function readReceived(request: Fields): Amount | undefined {
  const { amount_received: received, amount_received_decimal: decimal } = request;
  if (received === undefined && decimal === undefined) return undefined;
  if (request.amount !== undefined) throw invalid('amount', 'one amount', 'two');
  return readAmount({ amount: received, amount_decimal: decimal }, '');
}

function readTip(value: unknown): Tip | undefined {
  if (value === undefined) return undefined;
  const tip = toFields(value);
  expectKnown(tip, 'account lamports', 'tip.');
  const { account, lamports } = tip;
  return { account: readAddress(account, 'tip.account'), lamports: readInteger(lamports, 'tip.lamports') };
}

function expectPayment(payment: Fields, at: string): ExpectedPayment {
  const { to_address: to, references } = payment;
  if (references !== undefined && !Array.isArray(references)) throw invalid(`${at}references`, 'a list', references);
  return {
    recipient: readAddress(to, `${at}to_address`),
    amount: readAmount(payment, at),
    memo: undefined,
    references: (references ?? []).map((each: unknown) => readAddress(each, `${at}references`)),
  };
}

function readAmount({ amount, amount_decimal: decimal }: Fields, at: string): Amount {
  if ((amount === undefined) === (decimal === undefined)) throw invalid(`${at}amount`, 'one amount', 'none or two');
  if (amount !== undefined) return readInteger(amount, `${at}amount`);
  if (typeof decimal === 'string' && /^(0|[1-9]\d*)(\.\d+)?$/.test(decimal)) return { decimal };
  throw invalid(`${at}amount_decimal`, 'a decimal number as text', decimal);
}

/** Throws unless every member of a request is one of those named. A member that is undefined is not sent. */
function expectKnown(fields: Fields, names: string, at: string): void {
  const unknown = Object.keys(fields).find((name) => fields[name] !== undefined && !names.split(' ').includes(name));
  if (unknown !== undefined)
    throw new VerificationError('unknown_field', `${at}${unknown}`, 'a known field', 'another');
}

function readAddress(value: unknown, field: string): string {
  addressBytes(value, field);
  return `${value}`;
}

function readMint(value: unknown, field: string): string {
  return value === sol ? sol : readAddress(value, field);
}

/** Reads a list of JSON objects; none is an empty one. */
export function readList(value: unknown, field: string, code: VerificationCode = 'invalid_request'): readonly Fields[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(isFields)) return value.map(toFields);
  throw new VerificationError(code, field, 'a list of objects', value);
}

/** Returns the members of a request that are not null, which is as good as absent. Throws unless it is a JSON object. */
export function toFields(request: unknown): Fields {
  if (!isFields(request)) throw invalid('request', 'an object', typeof request);
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}

/** Says whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the payment of a sponsor's fee that a reply claims, if it claims one. Throws where the request does not allow it. */
export function expectSponsorFee(terms: SponsorTerms | undefined, claim: unknown): MintPayment | undefined {
  if (!terms || claim === undefined) return undefined;
  const { mint } = terms;
  const { recipient, token_mint_address: claimed, amount } = toFields(claim);
  expectSame('sponsor_fee_not_allowed', 'sponsor_fee', mint, claimed);
  const fee = readInteger(toFields(amount).base_units, 'sponsor_fee');
  expectAtMost('sponsor_fee_not_allowed', 'sponsor_fee', terms.maxFee, fee);
  return { mint, recipient: readAddress(recipient, 'sponsor_fee'), amount: fee, memo: undefined, references: [] };
}

function readMemo(value: unknown, field: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(field, 'text', value);
}

// A number may have lost digits: amounts are texts, or `bigint`, which the client writes as text.
function readInteger(value: unknown, field: string): bigint {
  const isInteger = typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,20}$/.test(value));
  const number = isInteger ? BigInt(value) : -1n;
  if (number < 0n || number >= 2n ** 64n) throw invalid(field, 'an integer of 64 bits as text', value);
  return number;
}

function readPrice(value: unknown): bigint | 'level' {
  if (value === 'none') return 0n;
  return ['low', 'medium', 'high'].some((level) => level === value) ? 'level' : readInteger(value, 'priority_fee');
}

function oneOf<Value>(value: unknown, field: string, choices: readonly Value[]): Value {
  const chosen = choices.find((choice) => choice === value);
  if (chosen === undefined) throw invalid(field, `one of ${choices.join(', ')}`, value);
  return chosen;
}

/** Returns base units. Throws where a decimal amount has more digits than the mint has decimals. */
export function toBaseUnits(amount: Amount, decimals: number, part: string): bigint {
  if (typeof amount === 'bigint') return amount;
  const [whole = '', fraction = ''] = amount.decimal.split('.');
  if (fraction.length > decimals) {
    throw new VerificationError('wrong_decimals', part, `at least ${fraction.length}`, decimals);
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function invalid(field: string, expected: string, actual: unknown): VerificationError {
  return new VerificationError('invalid_request', field, expected, actual);
}
