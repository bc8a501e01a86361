import type { Address } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token-2022';
import { type BuiltTransfer, summarizeTransfer } from '../../packages/core/src/decide/transfer-summary.ts';
import type { Warning } from '../../packages/core/src/findings/warning.ts';
import { type TransferPlan, thawsOf } from '../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { decodeMessage } from '../../packages/sandbox/src/ledger/transaction-decoding.ts';
import { isMpp, isX402, totalOf } from './asked.ts';
import { compareTransactions } from './compare-transactions.ts';
import { type Court, passTime } from './court.ts';
import { holdsWithoutChecks } from './judge-refusal.ts';
import { type Outcome, purposesOf, send } from './outcome.ts';
import { fittingCodes } from './reason-fits.ts';
import type { PaymentSituation, Situation } from './situation.ts';
import { creationRentOf } from './token-account.ts';
import { compileTransactionOf, readNonce, readTransaction } from './transaction.ts';
import type { Witness } from './witness.ts';

// A blockhash lives 150 blocks.
const slotsUntilBlockhashesExpire = 151;

// What the service says that it adds to what a transfer takes, in compute units.
const headroom = { always: 30_000, hook: 120_000, hookAccount: 8_000, split: 8_000 };

/** Signs an answer, lets the chain run it, and says where it is not what it promises. */
export function judgeAnswer(
  court: Court,
  situation: Situation,
  witness: Witness,
  built: BuiltTransfer,
): { outcome: Outcome; faults: string[] } {
  const { ledger } = court;
  const { plan } = built;
  const transaction = readTransaction(built.bytes);
  let purposes: ReturnType<typeof purposesOf> = [];
  const { warnings, transferFee, splits, signers } = summarizeTransfer(built);
  const slots = Object.entries(transaction.signatures);
  const faults = [...judgeSigners(situation, slots, signers), ...judgePrice(witness, plan)];
  if (witness.instructions === 'no_base_units') faults.push('answered, and the amount has no base units');
  else if ('unresolvable' in witness.instructions) faults.push('answered, and the libraries cannot resolve the hook');
  else {
    const { instructions, budget } = witness;
    const expected = compileTransactionOf(ledger, situation, { instructions, budget });
    faults.push(...compareTransactions(transaction, expected, { ...budget, isFixed: isX402(situation.world) }));
    const { length } = decodeMessage(Uint8Array.from(transaction.messageBytes)).instructions;
    purposes = purposesOf(situation, instructions, Math.max(0, length - instructions.length));
  }

  const { senderWallet, options } = situation.world;
  if (senderWallet === 'vault' || options.nonceAccount?.sentLate) passTime(court, slotsUntilBlockhashesExpire);
  const before = balancesOf(ledger, situation);
  const withheld = splits.reduce((sum, split) => sum + split.transferFee, transferFee);
  const warningFaults = judgeWarnings(ledger, warnings, [{ ...situation, transferFee: withheld }]);
  const outcome = send(ledger, situation, transaction, purposes);
  if (outcome.kind === 'landed') {
    faults.push(...warningFaults, ...judgeBalances(situation, plan, before, balancesOf(ledger, situation)));
    faults.push(...judgeComputeUnits(court, situation, plan, outcome.unitsConsumed));
  } else faults.push(...judgeFailure(situation, outcome));
  return { outcome, faults };
}

// Without checks a transfer may be answered that does not land yet, but none that never will.
function judgeFailure({ world }: Situation, outcome: Outcome): string[] {
  if (world.options.checks !== 'none') return ['answered, and it does not land'];
  const codes = fittingCodes(outcome, world);
  const isForEver = codes !== undefined && codes.length > 0 && codes.every(holdsWithoutChecks);
  return isForEver ? [`answered without checks, and it never lands: ${codes.join(', ')}`] : [];
}

function judgeSigners(
  { sender, feePayer, signers: keys }: Situation,
  slots: readonly [string, Uint8Array | null][],
  told: readonly string[],
): string[] {
  const expected = new Set([feePayer, sender, ...keys.map(({ address }) => address)]);
  const signers = slots.map(([signer]) => signer);
  if (slots.some(([, signature]) => signature !== null)) return ['answered with a signature'];
  const isExpected = signers[0] === feePayer && signers.toSorted().join() === [...expected].toSorted().join();
  return [
    ...(isExpected ? [] : [`${signers} must sign, instead of ${[...expected]}`]),
    ...(signers.join() === told.join() ? [] : [`${signers} must sign, and the summary names ${told}`]),
  ];
}

function judgePrice({ budget }: Witness, plan: TransferPlan): string[] {
  const expected = budget.computeUnitPrice ?? 0n;
  return plan.computeUnitPrice === expected ? [] : [`the price should be ${expected} and is ${plan.computeUnitPrice}`];
}

function judgeComputeUnits({ rules }: Court, { world }: Situation, plan: TransferPlan, used: number): string[] {
  const { computeUnitLimit: limit, payments } = plan;
  const memo = payments.at(-1)?.memo;
  const { priorityFee, transactionVersion } = world.options;
  const isPriced = priorityFee !== undefined && plan.computeUnitPrice > 0n;
  const isLimited = transactionVersion === 1 || isPriced || isX402(world) || isMpp(world);
  if (limit === undefined) return isLimited ? ['a compute limit was asked for, and there is none'] : [];
  if (used > limit) return [`${used} compute units were used, more than the limit of ${limit}`];
  // A memo's cost is that of the dearest Memo program.
  if (!isLimited || (memo && !rules.classicMemoProgram)) return [];
  const hook = payments.reduce((sum, { hookAccounts }) => {
    return hookAccounts.length > 0 ? sum + headroom.hook + headroom.hookAccount * hookAccounts.length : sum;
  }, 0);
  const gates = thawsOf(plan).reduce((sum, { gateAccounts }) => {
    return sum + headroom.hook + headroom.hookAccount * gateAccounts.length;
  }, 0);
  const others = payments.length - 1 + (plan.wrap ? 1 : 0) + (plan.unwrap ? 1 : 0);
  const max = 2 * used + headroom.always + hook + gates + headroom.split * others;
  return limit <= max ? [] : [`the compute limit is ${limit}, and ${used} were used: more than ${max}`];
}

const tokenDecoder = getTokenDecoder();

/** What a transfer changes, and what it must leave alone. Lamports are by address. */
interface Balances {
  senderTokens: bigint;
  /** By token account, of all who are paid. */
  recipients: ReadonlyMap<Address, { tokens: bigint; owner: Address | undefined }>;
  lamports: ReadonlyMap<Address, bigint>;
  nonce: string | undefined;
}

/** Reads the balances of everybody in a situation. */
function balancesOf(ledger: Ledger, situation: Situation): Balances {
  const tokens = (address: Address): { amount: bigint; owner: Address } | undefined => {
    const found = ledger.getAccount(address);
    return found?.programAddress === situation.tokenProgram ? tokenDecoder.decode(found.data) : undefined;
  };
  const { sender, feePayer, senderTokenAccount, nonceAccount, references, payments } = situation;
  const recipients = new Map<Address, { tokens: bigint; owner: Address | undefined }>();
  for (const { tokenAccount } of payments) {
    const found = tokens(tokenAccount);
    const held = found?.amount ?? wrappedByCreation(ledger, situation, tokenAccount);
    recipients.set(tokenAccount, { tokens: held, owner: found?.owner });
  }
  const wallets = payments.map(({ recipient }) => recipient);
  const watched = [sender, feePayer, ...wallets, ...(nonceAccount ? [nonceAccount] : []), ...references];
  const bystanders = watched.filter((address) => address !== senderTokenAccount && !recipients.has(address));
  return {
    senderTokens:
      tokens(senderTokenAccount)?.amount ??
      (situation.wrapping ? wrappedByCreation(ledger, situation, senderTokenAccount) : 0n),
    recipients,
    lamports: new Map(bystanders.map((address) => [address, ledger.getAccount(address)?.lamports ?? 0n])),
    nonce: nonceAccount && readNonce(ledger, nonceAccount),
  };
}

// A new account of wrapped SOL counts as tokens the lamports that its address held beyond the rent.
function wrappedByCreation(ledger: Ledger, { world, tokenProgram }: Situation, tokenAccount: Address): bigint {
  const held = ledger.getAccount(tokenAccount)?.lamports ?? 0n;
  const excess = held - creationRentOf(ledger, world.mint, tokenProgram);
  return world.mint.kind === 'native' && excess > 0n ? excess : 0n;
}

/** Says where the balances after a transfer are not what its plan promised. */
function judgeBalances(situation: Situation, plan: TransferPlan, before: Balances, after: Balances): string[] {
  const { world, sender, feePayer, payments, wrapping } = situation;
  const faults: string[] = [];
  const expect = (name: string, promised: unknown, found: unknown): void => {
    if (found !== promised) faults.push(`${name} should be ${promised} and is ${found}`);
  };
  const left = before.senderTokens + (wrapping?.lamports ?? 0n) - totalOf(world);
  expect('senderTokens', world.transfer?.unwraps ? 0n : left, after.senderTokens);
  const wrapped = (wrapping?.lamports ?? 0n) + (wrapping?.rent ?? 0n) - (plan.unwrap?.lamports ?? 0n);
  for (const [tokenAccount, held] of before.recipients) {
    const paid = payments.filter((payment) => payment.tokenAccount === tokenAccount);
    const names = paid.map(({ payee }) => payee.name).join(' and ');
    const received = paid.reduce((sum, { payee }) => {
      const planned = payee.name === 'to' ? plan.payments.at(-1) : plan.payments[payee.name];
      return sum + payee.amount - (planned?.transferFee ?? 0n);
    }, 0n);
    const found = after.recipients.get(tokenAccount);
    expect(`recipientTokens of ${names}`, held.tokens + received, found?.tokens);
    expect(`recipientTokenAccountOwner of ${names}`, paid[0]?.recipient, found?.owner);
  }
  const rent = plan.payments.reduce((sum, payment) => sum + payment.rent, 0n);
  const cost = plan.networkFee + plan.priorityFee + rent;
  for (const [address, held] of before.lamports) {
    const name = address === feePayer ? 'feePayerLamports' : `lamports of ${address}`;
    const paid = (address === feePayer ? cost : 0n) + (address === sender ? wrapped : 0n);
    expect(name, held - paid, after.lamports.get(address));
  }
  if (before.nonce !== undefined && before.nonce === after.nonce) faults.push('the nonce was not advanced');
  return faults;
}

/** What the warnings of a summary must say of a token: what its mint withholds, and of recipients that the ledger knows nothing of. */
interface ExpectedWarnings {
  payments: readonly Pick<PaymentSituation, 'recipient' | 'tokenAccount'>[];
  tokenProgram: string;
  /** Base units. */
  transferFee: bigint;
}

/** Says where warnings are not those that the ledger gives reason for; to be asked before the transfer is sent. */
export function judgeWarnings(
  ledger: Ledger,
  warnings: readonly Warning[],
  tokens: readonly ExpectedWarnings[],
): string[] {
  const neverUsed = tokens.flatMap(({ payments, tokenProgram }) =>
    payments.filter(({ recipient, tokenAccount }) => {
      return !ledger.getAccount(recipient) && ledger.getAccount(tokenAccount)?.programAddress !== tokenProgram;
    }),
  );
  const fees = tokens.map(({ transferFee }) => transferFee).filter((fee) => fee > 0n);
  const expected: Record<string, string> = {
    recipient_never_used: [...new Set(neverUsed.map(({ recipient }) => recipient))].toSorted().join(),
    transfer_fee: fees.toSorted(byAmount).join(),
  };
  const warned = warnings.flatMap(({ code, context }) => (code === 'transfer_fee' ? [context.transferFee] : []));
  const found: Record<string, string> = { recipient_never_used: '', transfer_fee: warned.toSorted(byAmount).join() };
  for (const { code, context } of warnings) {
    if (code === 'recipient_never_used') found[code] = context.recipients.toSorted().join();
  }
  return Object.entries(expected).flatMap(([code, value]) =>
    found[code] === value ? [] : [`the warning ${code} should be of "${value}" and is of "${found[code]}"`],
  );
}

function byAmount(one: bigint, other: bigint): number {
  return Number(one - other);
}
