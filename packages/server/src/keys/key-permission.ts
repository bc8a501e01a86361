import {
  type Address,
  amountFieldOf,
  type BatchRequest,
  hasThirdSigner,
  type NamedAmount,
  partsByMint,
  sol,
  type TransferIntent,
  type TransferPlan,
  type TransferRequest,
  totalOf,
} from 'splwright-core';
import { refusalOf } from '../app/validate.ts';
import type { Operation } from '../operation.ts';
import type { DescribedFinding } from '../problems.ts';
import type { KeyRestrictions } from './authenticated-key.ts';

/** The token that a sponsor is to be paid in, where it is not the one that is sent. */
interface AskedSponsor {
  feeMint: Address | undefined;
}

/** Collects what a key may not do, and refuses it all at once. */
class KeyFindings {
  readonly #restrictions: KeyRestrictions;
  readonly #findings: DescribedFinding[] = [];

  constructor(restrictions: KeyRestrictions) {
    this.#restrictions = restrictions;
  }

  /**
   * Checks the operation, the mint, the sender and the fee payer.
   *
   * The fee payer must be an allowed `from_address` too: a key limited to some wallets builds nothing for others to sign. A sponsor is the
   * operator's, and takes its place.
   */
  checkParties(
    operation: Operation,
    { mint, from, feePayer }: Pick<TransferRequest, 'mint' | 'from' | 'feePayer'>,
    sponsored: AskedSponsor | undefined,
  ): void {
    const { fromAddresses } = this.#restrictions;
    this.checkOperation(operation);
    this.checkMint(mint);
    if (sponsored?.feeMint !== undefined) this.checkMint(sponsored.feeMint, '', 'sponsor_fee_token_mint_address');
    if (!fromAddresses) return;
    if (!fromAddresses.has(from)) this.refuse('/from_address', `send from ${from}`);
    if (!sponsored && feePayer !== from && !fromAddresses.has(feePayer))
      this.refuse('/fee_payer', `use the fee payer ${feePayer}`);
  }

  /** Checks the operation alone. */
  checkOperation(operation: Operation): void {
    if (this.#restrictions.operations?.has(operation) === false) this.refuse('', `use the operation ${operation}`);
  }

  /** Checks the mint alone; `at` is the JSON pointer to the object that has it, in which it is called `name`. */
  checkMint(mint: Address, at = '', name = 'token_mint_address'): void {
    const { mints, amounts } = this.#restrictions;
    // Amount limits for some mints also forbid all other mints: a stolen key must not be able to take all of another mint.
    if (mints?.has(mint) === false || (amounts && !amounts.has(mint))) {
      this.refuse(`${at}/${name}`, `move the mint ${mint}`);
    }
  }

  /** Checks a tip, which pays SOL to its account. */
  checkTip(account: Address): void {
    const { mints, amounts } = this.#restrictions;
    if (mints?.has(sol) === false || (amounts && !amounts.has(sol))) this.refuse('/tip', 'pay a tip, which is in SOL');
    this.checkRecipient(account, '/tip/account');
  }

  /** Checks a recipient. The refusal names only that one: the allowed ones would tell a thief whom the key pays. */
  checkRecipient(to: Address, pointer: string): void {
    if (this.#restrictions.toAddresses?.has(to) === false) this.refuse(pointer, `pay ${to}`);
  }

  /** Refuses an amount in base units that is above a limit, which holds `where`. */
  refuseAmount(pointer: string, amount: bigint, limit: bigint, where: string): void {
    this.refuse(pointer, `move the amount ${amount}: it may move at most ${limit} base units of this mint ${where}`);
  }

  /** Whether nothing was found. */
  get isEmpty(): boolean {
    return this.#findings.length === 0;
  }

  /** Throws the refusal of all that was found. */
  throwIfAny(): void {
    const [first, ...others] = this.#findings;
    if (first) throw refusalOf([first, ...others]);
  }

  /** Refuses what the key may not do, as the end of "This API key may not". */
  refuse(pointer: string, what: string): void {
    const detail = `This API key may not ${what}. Use another key, or ask the operator to allow it.`;
    this.#findings.push({ code: 'key_not_allowed', pointer, detail });
  }
}

const amountPointers = {
  amount: '/amount',
  amountDecimal: '/amount_decimal',
  amountReceived: '/amount_received',
  amountReceivedDecimal: '/amount_received_decimal',
} as const;

/**
 * Throws an `AppError` of status 403 for a transfer that a key may not build, with a finding for each reason.
 *
 * `totalAmount`: base units, splits included; `undefined` where it depends on the chain, before that is read.
 */
export function assertKeyAllows(
  restrictions: KeyRestrictions,
  operation: Operation,
  { transfer: request, sponsored }: { transfer: TransferRequest; sponsored?: AskedSponsor | undefined },
  totalAmount: bigint | undefined,
): void {
  const findings = new KeyFindings(restrictions);
  findings.checkParties(operation, request, sponsored);
  findings.checkRecipient(request.to, '/to_address');
  for (const [index, { to }] of request.splits.entries()) findings.checkRecipient(to, `/splits/${index}/to_address`);
  if (request.tip) findings.checkTip(request.tip.account);
  for (const { mint, amount, pointer } of totalAmount === undefined ? [] : amountsMoved(request, totalAmount)) {
    const { perTransfer = null, perDay = null } = restrictions.amounts?.get(mint) ?? {};
    if (perTransfer !== null && amount > perTransfer) {
      findings.refuseAmount(pointer, amount, perTransfer, 'in one transfer');
    }
    // Above the whole day's limit; what is left of today is checked after the transaction is built.
    else if (perDay !== null && amount > perDay) findings.refuseAmount(pointer, amount, perDay, 'in a day');
  }
  findings.throwIfAny();
}

/**
 * Throws an `AppError` of status 403 where a third wallet must sign for the nonce, of a key that is limited to senders: it builds nothing
 * for others to sign.
 */
export function assertKeyAllowsNonce(restrictions: KeyRestrictions, plan: TransferPlan): void {
  if (plan.nonce && hasThirdSigner(plan)) assertMaySign(restrictions, plan.nonce.authority);
}

/** Throws as `assertKeyAllowsNonce` does, for what was built before. */
export function assertKeyAllowsSigners(restrictions: KeyRestrictions, built: readonly TransferIntent[]): void {
  for (const { signers, authority: sender } of built) {
    const third = signers.slice(1).find((signer) => signer !== sender);
    if (third !== undefined) assertMaySign(restrictions, third);
  }
}

function assertMaySign(restrictions: KeyRestrictions, authority: Address): void {
  const findings = new KeyFindings(restrictions);
  if (restrictions.fromAddresses?.has(authority) === false) {
    findings.refuse('/nonce_account', `use a nonce that ${authority} signs for`);
  }
  findings.throwIfAny();
}

/** Returns what a transfer moves of each mint, and where the request says so: a tip is of SOL. */
export function amountsMoved(
  { mint, amount: asked, tip }: TransferRequest,
  totalAmount: bigint,
): readonly { mint: Address; amount: bigint; pointer: string }[] {
  const pointer = amountPointers[amountFieldOf(asked)];
  if (!tip) return [{ mint, amount: totalAmount, pointer }];
  if (mint === sol) return [{ mint, amount: totalAmount + tip.lamports, pointer }];
  return [
    { mint, amount: totalAmount, pointer },
    { mint: sol, amount: tip.lamports, pointer: '/tip/lamports' },
  ];
}

/**
 * Throws an `AppError` of status 403 for a batch that a key may not build, with a finding for each reason.
 *
 * `amounts`: the base units of each transfer; `undefined` for a decimal amount before the mint is read. The limit of one transfer
 * applies to each, that of a day to their sum. `indices`: the indices of the transfers in the request, when they are a part of it.
 */
export function assertKeyAllowsBatch(
  restrictions: KeyRestrictions,
  { batch: request, sponsored }: { batch: BatchRequest; sponsored: AskedSponsor | undefined },
  amounts: readonly (bigint | undefined)[],
  indices?: readonly number[],
): void {
  const findings = new KeyFindings(restrictions);
  findings.checkParties('batch', request, sponsored);
  const { toAddresses, mints, amounts: limits } = restrictions;
  if (toAddresses || mints || limits) {
    for (const [index, { to, mint, amount: asked }] of request.transfers.entries()) {
      const pointer = `/transfers/${indices?.[index] ?? index}`;
      findings.checkRecipient(to, `${pointer}/to_address`);
      if (mint !== undefined) findings.checkMint(mint, pointer);
      const amount = amounts[index];
      const limit = limits?.get(mint ?? request.mint);
      const name = typeof asked === 'bigint' ? 'amount' : 'amount_decimal';
      if (limit && limit.perTransfer !== null && amount !== undefined && amount > limit.perTransfer) {
        findings.refuseAmount(`${pointer}/${name}`, amount, limit.perTransfer, 'in one transfer');
      }
    }
  }
  for (const {
    request: { mint },
    indices: own,
  } of limits ? partsByMint(request) : []) {
    const total = totalOf(own.map((index) => amounts[index]));
    const perDay = limits?.get(mint)?.perDay ?? null;
    if (perDay !== null && total !== undefined && total > perDay) {
      findings.refuseAmount('/transfers', total, perDay, 'in a day');
    }
  }
  findings.throwIfAny();
}

/** Throws an `AppError` of status 403 for a key that may not use payment links. */
export function assertKeyAllowsLinks(restrictions: KeyRestrictions): void {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('payment_link');
  findings.throwIfAny();
}

/** Throws an `AppError` of status 403 for a key that may not use webhooks. */
export function assertKeyAllowsWebhooks(restrictions: KeyRestrictions): void {
  const findings = new KeyFindings(restrictions);
  findings.checkOperation('webhook');
  findings.throwIfAny();
}

/** The properties of a link that a key can be limited to. Amounts are base units. */
interface LimitedLink extends LimitedToken {
  recipient: Address;
  isSingleUse: boolean;
  /** The other tokens in which it can be paid. */
  otherTokens: readonly LimitedToken[];
}

interface LimitedToken {
  mint: Address;
  /** Of a decimal amount, the base units are known once the mint is read. */
  minAmount: NamedAmount;
  maxAmount: NamedAmount;
}

/**
 * Throws an `AppError` of status 403 for a link that a key may not make, with a finding for each reason.
 *
 * A key that is limited to senders makes no links, since anyone may pay them. Where payers choose the amount, the highest counts.
 * `tokensAt`: where the request has the list of tokens; empty where the body itself has the only one.
 */
export function assertKeyAllowsLink(restrictions: KeyRestrictions, link: LimitedLink, tokensAt = ''): void {
  findFaults(restrictions, link, { tokensAt }).throwIfAny();
}

/** Throws as `assertKeyAllowsLink` does for a link whose fixed amount was asked for as a decimal number of tokens. */
export function assertKeyAllowsDecimalLink(restrictions: KeyRestrictions, link: LimitedLink, tokensAt: string): void {
  findFaults(restrictions, link, { tokensAt, fixedPointer: '/amount_decimal' }).throwIfAny();
}

/** Whether a key may make a link. */
export function keyAllowsLink(restrictions: KeyRestrictions, link: LimitedLink): boolean {
  return findFaults(restrictions, link).isEmpty;
}

function findFaults(
  restrictions: KeyRestrictions,
  link: LimitedLink,
  { tokensAt = '', fixedPointer = '/amount' }: { tokensAt?: string; fixedPointer?: string } = {},
): KeyFindings {
  const findings = new KeyFindings(restrictions);
  const tokens = [link, ...link.otherTokens];
  const atOf = (index: number): string => (tokensAt === '' ? '' : `${tokensAt}/${index}`);
  findings.checkOperation('payment_link');
  for (const [index, { mint }] of tokens.entries()) findings.checkMint(mint, atOf(index));
  if (restrictions.fromAddresses)
    findings.refuse('', 'make payment links, which anyone may pay: it is limited to senders');
  findings.checkRecipient(link.recipient, '/to_address');
  for (const [index, token] of tokens.entries()) {
    const at = atOf(index);
    const limit = restrictions.amounts?.get(token.mint);
    const pointer = at + (token.minAmount === token.maxAmount ? fixedPointer : '/amount_max');
    const maxAmount = typeof token.maxAmount === 'bigint' ? token.maxAmount : 0n;
    if (limit?.perTransfer != null && maxAmount > limit.perTransfer) {
      findings.refuseAmount(pointer, maxAmount, limit.perTransfer, 'in one transfer');
    }
    if (limit?.perDay != null) {
      if (maxAmount > limit.perDay) findings.refuseAmount(pointer, maxAmount, limit.perDay, 'in a day');
      if (!link.isSingleUse) {
        findings.refuse('/single_use', 'make links for any number of payments: it has a daily limit for this mint');
      }
    }
  }
  return findings;
}
