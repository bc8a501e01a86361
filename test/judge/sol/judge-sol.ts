import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  getTransactionEncoder,
  type Instruction,
  lamports,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token-2022';
import type { Account } from '../../../packages/core/src/accounts/account.ts';
import type { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { decideBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import { validateBatchRequest } from '../../../packages/core/src/batch/validate-batch-request.ts';
import { decideTransfer } from '../../../packages/core/src/decide/decide-transfer.ts';
import { validateTransferRequest } from '../../../packages/core/src/decide/validate-transfer-request.ts';
import type { Finding } from '../../../packages/core/src/findings/finding.ts';
import { findingCodes } from '../../../packages/core/src/findings/finding-codes.ts';
import { buildTransaction } from '../../../packages/core/src/plan/build-transaction.ts';
import { finish } from '../../../packages/core/src/plan/steps.ts';
import { accountsToRead } from '../../../packages/core/src/plan/transfer-facts.ts';
import type { TransferPlan } from '../../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { TransactionError } from '../../../packages/sandbox/src/ledger/transaction-error.ts';
import { tokensIn } from '../../setup/token-account-data.ts';
import { memoProgram, systemProgram } from '../addresses.ts';
import { type Court, maxPriorityFeeLamports, openCourt } from '../court.ts';
import { inOneLine, type Subject } from '../judge.ts';
import type { LedgerChainReader } from '../ledger-chain-reader.ts';
import { otherToken } from '../other-mint.ts';
import { nonceCodes } from '../reason-fits.ts';
import { account } from '../token-account.ts';
import {
  createMessage,
  executeProposal,
  readNonce,
  readTransaction,
  setBudget,
  signTransaction,
} from '../transaction.ts';
import { mostTakenBy, ordersOf } from './orders.ts';
import { type SolStage, setSolStage, tokenAmount, writeSpender, writeTokenAccounts } from './sol-stage.ts';
import { drawSolWorld, type PayeeKind, type SolWorld } from './sol-world.ts';

/** Worlds of payments of SOL: each is decided on by the service, and executed by the runtime. */
export const sol: Subject<Court> = {
  name: 'sol',
  open: openCourt,
  worldsAtAPlace: 2_000,
  async judge(court, seed, number) {
    const world = drawSolWorld(seed, number, court.ledger.minimumBalanceForRentExemption(0n));
    const { codes, disagreements } = await judgeSol(court, world);
    const lines = [inOneLine(world), `  decision: ${codes.join(', ') || 'an answer'}`];
    const isFromVault = world.isFromVault && codes.length === 0;
    return { lines, codes, disagreements, happened: isFromVault ? [['from a vault', 1]] : [] };
  },
};

// Of an answer; a refusal is tried until one fails.
const maxAnsweredOrders = 6;

type Decided = { plans: readonly TransferPlan[] } | { findings: readonly Finding[] };

/** Judges payments of SOL: what is answered must land with the balances that it says, and what is refused must fail, or be lost. */
async function judgeSol({ ledger, reader }: Court, world: SolWorld) {
  const stage = await setSolStage(ledger, world);
  await writeTokenAccounts(ledger, stage);
  // With plenty of everything it is known what is asked of whom.
  writeSpenders(ledger, stage, undefined);
  const unchecked = await decide(reader, stage, 'none');
  writeSpenders(ledger, stage, 'plans' in unchecked ? unchecked.plans : []);
  const decided = await decide(reader, stage, 'full');
  const asked = await decide(reader, stage, 'none');
  const codes = 'findings' in decided ? decided.findings.map(({ code }) => code) : [];
  const disagreements = [...judgeSafety(ledger, stage, asked)];
  if ('plans' in decided) disagreements.push(...(await judgeAnswer(ledger, stage, decided.plans)));
  else if ('plans' in asked) disagreements.push(...(await judgeFunding(ledger, stage, asked.plans, codes)));
  if ('plans' in decided && !world.isBatch && !world.isFromVault) {
    ledger.advanceSlots(1);
    writeSpenders(ledger, stage, decided.plans);
    disagreements.push(...(await judgeMax(ledger, reader, stage)));
  }
  return { codes, disagreements };
}

/** Says where all SOL of the sender is not what "max" sends, or does not land. A refusal may be of what the amount makes of the others. */
async function judgeMax(ledger: Ledger, reader: LedgerChainReader, stage: SolStage): Promise<string[]> {
  const { world, sender, tip } = stage;
  const [main, ...splits] = world.payees;
  const decided = await decide(reader, stage, 'full', 'max');
  if ('findings' in decided || !main) return [];
  const amount = decided.plans[0]?.payments.at(-1)?.amount ?? 0n;
  const faults = await judgeAnswer(
    ledger,
    { ...stage, world: { ...world, payees: [{ ...main, amount }, ...splits] } },
    decided.plans,
  );
  const kept = tip === sender.address ? (world.tip?.amount ?? 0n) : 0n;
  const left = ledger.getAccount(sender.address)?.lamports ?? 0n;
  return left === kept ? faults : [...faults, `max sends ${amount}, and the sender keeps ${left} instead of ${kept}`];
}

// What each wallet is asked for: of a single transfer one fee, of a batch that of each transaction, in the worst order.
function writeSpenders(
  ledger: Ledger,
  { world, sender, feePayer }: SolStage,
  plans: readonly TransferPlan[] | undefined,
): void {
  const plenty = 10n ** 12n;
  const fees = plans === undefined ? plenty : mostTakenBy(plans);
  const total = plans === undefined ? plenty : world.payees.reduce((sum, { amount }) => sum + amount, 0n);
  const payer = world.feePayer;
  const costs = fees + (world.tip?.amount ?? 0n);
  writeSpender(ledger, sender, world.sender, payer ? total : total + costs);
  if (payer) writeSpender(ledger, feePayer, payer, costs);
}

async function decide(
  reader: LedgerChainReader,
  stage: SolStage,
  checks: 'full' | 'none',
  amount?: 'max',
): Promise<Decided> {
  const { world, sender, feePayer, recipients, tokenPayees, tip, nonceAccount, references } = stage;
  const shared = {
    from: sender.address,
    mint: 'SOL',
    feePayer: world.feePayer && feePayer.address,
    createTokenAccount: 'if_missing',
    transactionVersion: world.version,
    priorityFee: world.price?.toString(),
    allowsOffCurveRecipient: world.allowsOffCurve,
    nonceAccount,
    checks,
  } as const;
  const payments = world.payees.map(({ amount }, index) => ({ to: recipients[index], amount: `${amount}` }));
  const [main, ...splits] = payments;
  const inTokens = tokenPayees.map(({ recipient: to }) => ({ to, mint: otherToken.mint, amount: `${tokenAmount}` }));
  // The part of the first transfer comes first.
  const transfers = world.number % 2 === 0 ? [...payments, ...inTokens] : [...inTokens, ...payments];
  const parsed = world.isBatch
    ? finish(
        validateBatchRequest({
          ...shared,
          transfers: transfers.map((each) => ({ ...each, memo: world.memo, references })),
        }),
      )
    : validateTransferRequest({
        ...{ ...shared, ...main, splits, memo: world.memo, references, acceptsSol: true },
        allowsOffCurveSender: world.isFromVault,
        ...(amount && { amount, acceptsMax: true }),
        ...(world.tip && { tip: { account: tip, lamports: `${world.tip.amount}` } }),
      });
  const { request } = parsed;
  if (!request) return parsed;
  const read = new Map<ReturnType<typeof toAddress>, Account | null>();
  const facts = { read, recentPrices: undefined, maxPriorityFee: maxPriorityFeeLamports };
  for (let needs = accountsToRead(request, undefined); ; ) {
    const { accounts } = await reader.readAccounts(needs);
    for (const [index, each] of needs.entries()) read.set(each, accounts[index] ?? null);
    const decision = 'transfers' in request ? finish(decideBatch(request, facts)) : decideTransfer(request, facts);
    if ('findings' in decision) return decision;
    if ('plan' in decision) return { plans: [decision.plan] };
    if ('transactions' in decision) return { plans: decision.transactions.map(({ plan }) => plan) };
    if (!('needs' in decision)) throw new Error('no level of prices is asked for');
    needs = [...decision.needs];
  }
}

const codeOfKind: Partial<Record<PayeeKind, string>> = {
  sender: 'same_wallet',
  program: 'recipient_is_program',
  builtin_program: 'recipient_is_program',
  sysvar: 'recipient_is_reserved',
  sysvar_without_account: 'recipient_is_reserved',
  unused_program: 'recipient_is_reserved',
  incinerator: 'recipient_is_reserved',
  token_account: 'recipient_is_token_account',
  mint: 'recipient_is_mint',
  multisig: 'recipient_not_a_wallet',
  foreign_account: 'recipient_not_a_wallet',
  nonce: 'recipient_not_a_wallet',
};

/** Says where a refusal that no funding changes is not the one that the world gives reason for. */
function judgeSafety(ledger: Ledger, stage: SolStage, asked: Decided): string[] {
  const { world, sender, feePayer } = stage;
  const expected = new Set<string>(nonceCodes(world.nonceState));
  if (!isTipPayable(ledger, stage)) expected.add('tip_account_not_payable');
  for (const { kind } of world.payees) {
    const code = kind === 'off_curve' && !world.allowsOffCurve ? 'recipient_off_curve' : codeOfKind[kind];
    if (code) expected.add(code);
  }
  // What is wrong with the request itself is told before the chain is read.
  if (expected.has('same_wallet')) for (const code of expected) if (code !== 'same_wallet') expected.delete(code);
  const isRead = !expected.has('same_wallet');
  const isOdd = (spender: SolWorld['feePayer'], { address: at }: SolStage['sender']): boolean =>
    isRead && spender !== undefined && spender.kind !== 'wallet' && ledger.getAccount(at) !== undefined;
  if (isOdd(world.sender, sender)) expected.add('sender_not_a_wallet');
  if (isOdd(world.feePayer, feePayer)) {
    expected.add('fee_payer_not_a_wallet');
    if (world.payees.some(({ kind }) => kind === 'fee_payer')) expected.add('recipient_not_a_wallet');
  }
  const found = new Set('findings' in asked ? asked.findings.map(({ code }) => code) : []);
  // How many transactions they take, the answer says.
  if (world.isBatch && world.nonceState) found.delete('nonce_for_several_transactions');
  // The operator's bound, which many transfers in one transaction reach at a high price.
  if (world.isBatch && world.price !== undefined && world.price >= 400_000n) found.delete('priority_fee_too_high');
  const [wanted, told] = [[...expected].sort().join(), [...found].sort().join()];
  return wanted === told ? [] : [`refused for "${told}" instead of "${wanted}"`];
}

const reservedKinds: readonly PayeeKind[] = ['sysvar', 'sysvar_without_account', 'unused_program', 'incinerator'];

// Whom a sender of transactions would name: a wallet that is there, or an account of a program of its own.
function isTipPayable(ledger: Ledger, { world: { tip, payees }, feePayer, tip: at }: SolStage): boolean {
  if (!tip || !at) return true;
  const kind = tip.kind === 'earlier' ? payees[0]?.kind : tip.kind;
  const found = ledger.getAccount(at);
  if (at === feePayer.address || !found || found.executable || (kind && reservedKinds.includes(kind))) return false;
  if (found.programAddress === TOKEN_PROGRAM_ADDRESS) return false;
  return found.data.length > 0 || found.lamports + tip.amount >= ledger.minimumBalanceForRentExemption(0n);
}

/** Lets all transactions of an answer land, in some of their orders, and compares every balance. */
async function judgeAnswer(ledger: Ledger, stage: SolStage, plans: readonly TransferPlan[]): Promise<string[]> {
  const before = balancesOf(ledger, stage);
  const all = [...ordersOf(plans)];
  const every = Math.ceil(all.length / maxAnsweredOrders);
  const orders = all.filter((_, index) => index % every === stage.world.number % every);
  for (const [number, order] of orders.entries()) {
    if (number > 0) await restore(ledger, stage, before);
    for (const plan of order) {
      const lifetime = plan.nonce?.nonce ?? ledger.latestBlockhash('confirmed').blockhash;
      const error = send(ledger, stage, buildTransaction(plan, lifetime));
      if (error === null) continue;
      const places = order.map((each) => plans.indexOf(each));
      return [`answered, and it does not land in the order ${places}: ${JSON.stringify(error)}`];
    }
    const faults = judgeBalances(ledger, stage, plans, before);
    if (faults.length > 0) return faults;
  }
  return [];
}

/** Says where balances are not what all transactions promise. */
function judgeBalances(
  ledger: Ledger,
  stage: SolStage,
  plans: readonly TransferPlan[],
  before: ReadonlyMap<Address, bigint>,
): string[] {
  const { world, sender, feePayer, recipients, tokenPayees, tip } = stage;
  const changes = new Map<Address, bigint>();
  const change = (at: Address, lamports: bigint): unknown => changes.set(at, (changes.get(at) ?? 0n) + lamports);
  for (const [index, { amount }] of world.payees.entries()) {
    change(sender.address, -amount);
    const recipient = recipients[index];
    if (recipient) change(recipient, amount);
  }
  const rent = ledger.minimumBalanceForRentExemption(165n);
  for (const { tokenAccount, isNew } of tokenPayees) {
    if (isNew) change(tokenAccount, rent);
    if (isNew) change(feePayer.address, -rent);
    if (tokensIn(ledger, tokenAccount) !== tokenAmount)
      return [`${tokenAccount} holds ${tokensIn(ledger, tokenAccount)} tokens`];
  }
  for (const { networkFee, priorityFee } of plans) change(feePayer.address, -networkFee - priorityFee);
  if (world.tip && tip) {
    change(feePayer.address, -world.tip.amount);
    change(tip, world.tip.amount);
  }
  return [...balancesOf(ledger, stage)].flatMap(([at, held]) => {
    const promised = (before.get(at) ?? 0n) + (changes.get(at) ?? 0n);
    return held === promised ? [] : [`${at} should hold ${promised} and holds ${held}`];
  });
}

/** Says whether what is refused for too little SOL lands all the same: of a batch in every order that is tried. */
async function judgeFunding(
  ledger: Ledger,
  stage: SolStage,
  plans: readonly TransferPlan[],
  codes: readonly string[],
): Promise<string[]> {
  const isFunding = (code: string): boolean => fundingCodes.includes(code);
  if (!codes.every(isFunding)) return [`refused for ${codes.join()}, which the same request without checks is not`];
  const before = balancesOf(ledger, stage);
  // Some runtimes let a wallet pay that already holds less than the minimum.
  const minimum = ledger.minimumBalanceForRentExemption(0n);
  const spenders = [stage.sender.address, stage.feePayer.address];
  const isPoor = spenders.some((at) => (before.get(at) ?? 0n) < minimum);
  if (isPoor && codes.includes('insufficient_sol')) return [];
  for (const order of ordersOf(plans)) {
    const lands = order.every((plan) => send(ledger, stage, witnessOf(ledger, stage, plan)) === null);
    if (!lands) return [];
    await restore(ledger, stage, before);
  }
  return [`refused for ${codes.join()}, and it lands in every order that was tried`];
}

/** Writes again what everybody had. */
async function restore(ledger: Ledger, stage: SolStage, before: ReadonlyMap<Address, bigint>): Promise<void> {
  for (const [at, held] of before) {
    const found = ledger.getAccount(at);
    ledger.setAccount(found ? { ...found, lamports: lamports(held) } : account(at, systemProgram, held));
  }
  await writeTokenAccounts(ledger, stage);
  ledger.advanceSlots(1);
}

const fundingCodes = Object.entries(findingCodes).flatMap(([code, kind]) => (kind === 'funding' ? [code] : []));

function send(ledger: Ledger, { world, signers }: SolStage, unsigned: Uint8Array): TransactionError | null {
  const transaction = readTransaction(unsigned);
  const bytes = world.isFromVault ? executeProposal(ledger, transaction) : signTransaction(transaction, signers);
  return ledger.sendTransaction(bytes).error;
}

function balancesOf(
  ledger: Ledger,
  { sender, feePayer, recipients, tokenPayees, tip = sender.address }: SolStage,
): ReadonlyMap<Address, bigint> {
  const paid = tokenPayees.map(({ tokenAccount }) => tokenAccount);
  const all = new Set([sender.address, feePayer.address, ...recipients, ...paid, tip]);
  return new Map([...all].map((at) => [at, ledger.getAccount(at)?.lamports ?? 0n]));
}

/** What a plan stands for, made by libraries instead of the service: the payments that it makes, its memos, its tip and its budget. */
function witnessOf(ledger: Ledger, stage: SolStage, plan: TransferPlan): Uint8Array {
  const { world, sender, feePayer, tip, nonceAccount, nonceAuthority = sender } = stage;
  const source = createNoopSigner(sender.address);
  const { mint, tokenProgram } = otherToken;
  const instructions: Instruction[] = plan.payments.flatMap((payment) => {
    const { recipient, amount, memo, references, createsRecipientTokenAccount } = payment;
    const ata = address(payment.recipientTokenAccount);
    const owner = address(recipient);
    const token = { source: address(plan.senderTokenAccount), mint, destination: ata, authority: source, decimals: 6 };
    const isToken = stage.tokenPayees.some(({ tokenAccount }) => tokenAccount === ata);
    const transfer = isToken
      ? getTransferCheckedInstruction({ ...token, amount }, { programAddress: tokenProgram })
      : getTransferSolInstruction({ source, destination: owner, amount });
    const payer = createNoopSigner(feePayer.address);
    const create = getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint, tokenProgram });
    const named = references.map((each) => ({ address: address(each), role: AccountRole.READONLY }));
    const text = memo && getAddMemoInstruction({ memo: memo.text, signers: [source] }, { programAddress: memoProgram });
    return [
      ...(createsRecipientTokenAccount ? [create] : []),
      ...(text ? [text] : []),
      { ...transfer, accounts: [...transfer.accounts, ...named] },
    ];
  });
  if (world.tip && tip) {
    const payer = createNoopSigner(feePayer.address);
    instructions.push(getTransferSolInstruction({ source: payer, destination: tip, amount: world.tip.amount }));
  }
  const budget = {
    computeUnitLimit: plan.computeUnitLimit,
    computeUnitPrice: plan.computeUnitPrice === 0n ? undefined : plan.computeUnitPrice,
    priorityFee: plan.priorityFee,
  };
  const message = setTransactionMessageFeePayer(
    feePayer.address,
    appendTransactionMessageInstructions(instructions, setBudget(createMessage(plan.version), budget)),
  );
  if (nonceAccount) {
    const lifetime = {
      nonce: readNonce(ledger, nonceAccount),
      nonceAccountAddress: nonceAccount,
      nonceAuthorityAddress: nonceAuthority.address,
    };
    return encode(setTransactionMessageLifetimeUsingDurableNonce(lifetime, message));
  }
  return encode(setTransactionMessageLifetimeUsingBlockhash(ledger.latestBlockhash('confirmed'), message));
}

function encode(message: Parameters<typeof compileTransaction>[0]): Uint8Array {
  return Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
}
