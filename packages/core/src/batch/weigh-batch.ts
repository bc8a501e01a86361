import { type Address, sol } from '../addresses/address.ts';
import { addressLength } from '../addresses/address-bytes.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  recentBlockhashesSysvar,
  systemProgram,
} from '../addresses/programs.ts';
import { compactU16Length } from '../bytes/byte-writer.ts';
import {
  computeUnitsOfCreation,
  computeUnitsOfPayment,
  measuredComputeUnits,
  sharedComputeUnits,
} from '../plan/compute-budget.ts';
import { planInstructions } from '../plan/plan-message.ts';
import type { AssociatedAccount, MintFacts, ReadPayment } from '../plan/transfer-facts.ts';
import { createsTokenAccount, type TransferPlan } from '../plan/transfer-plan.ts';
import type { BatchRequest } from '../request/transfer-request.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';

/** What something takes of each limit of a transaction. */
export interface Weight {
  /** Of instructions, and of the addresses of accounts. */
  bytes: number;
  accounts: number;
  /** Those included that programs call. */
  instructions: number;
  computeUnits: number;
}

/** Every limit. */
export const limits = [
  'bytes',
  'accounts',
  'instructions',
  'computeUnits',
] as const satisfies readonly (keyof Weight)[];

/** What several transfers of a batch need, and a transaction has once: an account, or the creation of a token account. */
export interface SharedPart extends Weight {
  isCreate: boolean;
  /** Whether it is the program of compute limits, whose address a limit needs too. */
  isLimitProgram: boolean;
}

/** What a transfer takes of a transaction by itself, and what it shares with others. */
export interface WeighedTransfer extends Weight {
  /** Its index in the batch. */
  index: number;
  /** How many token accounts it creates that no other transfer does. */
  creates: number;
  /** Of its memo; `undefined` without one. */
  memoComputeUnits: number | undefined;
  /** Indices of the shared parts that it needs. */
  shared: readonly number[];
}

/** What every transaction of a batch has, whatever it pays. */
export interface TransactionFrame {
  version: TransactionVersion;
  /** Fee payer, sender, mint, token program, the sender's token account, and those of a nonce. */
  accounts: readonly Address[];
  signatureCount: number;
  paysPriorityFee: boolean;
  hasNonce: boolean;
  isHooked: boolean;
  paysSol: boolean;
  /** What the sponsor's fee takes, without the addresses of its accounts; absent where there is none. */
  sponsorFee?: Weight | undefined;
  /** Whether there is room for a compute limit in every transaction, by which those that pay the same differ. */
  hasRoomForLimit: boolean;
}

/** A batch as packing sees it: numbers, in which each address has been looked at once. */
export interface WeighedBatch {
  frame: TransactionFrame;
  transfers: readonly WeighedTransfer[];
  shared: readonly SharedPart[];
}

/** The facts that the weights of a batch depend on. */
export interface WeighedFacts
  extends Pick<MintFacts, 'mint' | 'tokenAccountRent' | 'senderTokenAccount' | 'nonce' | 'payments'> {
  sponsorFee?: TransferPlan | undefined;
}

const createAccountCount = 6;
const transferForm = { accountCount: 4, dataLength: 10 };
const solTransferForm = { accountCount: 2, dataLength: 12 };

// Instructions that programs call, measured on the ledger's programs: a token account is created in four, in six where its address
// holds lamports already, and in five where those are its rent. Only its author knows how many a hook calls: it has as many as most.
const innerOfCreate = 4;
const innerOfFundedCreate = 6;
const innerOfHook = 4;

/** Weighs the transfers of a batch: what only one of them needs is its own, what several need is shared. */
export function weighBatch(batch: BatchRequest, facts: WeighedFacts): WeighedBatch {
  const { payments } = facts;
  const frame = frameOf(batch, facts);
  const accountsOf = payments.map((payment) => accountsOfPayment(payment, createsAccount(batch, payment), frame));
  const useCounts = new Map<Address, number>();
  const paymentCounts = new Map<Address, number>();
  const count = (counts: Map<Address, number>, address: Address) => counts.set(address, (counts.get(address) ?? 0) + 1);
  for (const accounts of accountsOf) for (const account of accounts) count(useCounts, account);
  for (const { to } of payments) count(paymentCounts, to);

  const shared: SharedPart[] = [];
  const sharedAccounts = new Map<Address, number>();
  const sharedCreations = new Map<Address, number>();
  const share = (indices: Map<Address, number>, address: Address, part: SharedPart): number => {
    const index = indices.get(address) ?? shared.push(part) - 1;
    indices.set(address, index);
    return index;
  };
  const transfers = payments.map((payment, index): WeighedTransfer => {
    const parts: number[] = [];
    const transfer = { ...weightOfPayment(payment, frame, facts), index, creates: 0, shared: parts };
    for (const account of accountsOf[index] ?? []) {
      const isLimitProgram = account === computeBudgetProgram;
      if (useCounts.get(account) === 1 && !isLimitProgram) addWeight(transfer, weightOfAccount);
      else parts.push(share(sharedAccounts, account, { ...weightOfAccount, isCreate: false, isLimitProgram }));
    }
    if (!createsAccount(batch, payment)) return transfer;
    const weight = weightOfCreate(payment, frame, facts);
    const { to } = payment;
    if (paymentCounts.get(to) !== 1) {
      parts.push(share(sharedCreations, to, { ...weight, isCreate: true, isLimitProgram: false }));
      return transfer;
    }
    addWeight(transfer, weight);
    return { ...transfer, creates: 1 };
  });
  return { frame, transfers, shared };
}

function addWeight(sum: Weight, weight: Weight): void {
  for (const limit of limits) sum[limit] += weight[limit];
}

function createsAccount(batch: BatchRequest, { to, tokenAccount }: ReadPayment): boolean {
  return createsTokenAccount(batch, to, tokenAccount.state !== undefined, []);
}

// Those that not every transaction has, each once.
function accountsOfPayment(
  { to, memo, references, tokenAccount, hookAccounts }: ReadPayment,
  creates: boolean,
  frame: TransactionFrame,
): Set<Address> {
  const accounts = new Set([tokenAccount.address, ...references]);
  for (const { address } of hookAccounts) accounts.add(address);
  if (memo) accounts.add(memoProgram);
  if (creates) accounts.add(to).add(associatedTokenProgram).add(systemProgram);
  for (const account of frame.accounts) accounts.delete(account);
  return accounts;
}

function weightOfPayment(
  { memo, references, tokenAccount, hookAccounts }: ReadPayment,
  { version, isHooked, paysSol }: TransactionFrame,
  { mint }: WeighedFacts,
): Weight & Pick<WeighedTransfer, 'memoComputeUnits'> {
  const form = paysSol ? solTransferForm : transferForm;
  const accountCount = form.accountCount + references.length + hookAccounts.length;
  const costed = {
    createsRecipientTokenAccount: false,
    recipientTokenAccountBump: tokenAccount.bump,
    recipientTokenAccountExists: tokenAccount.state !== undefined,
    memo,
    hookAccounts,
  };
  return {
    bytes:
      bytesOfInstruction(accountCount, form.dataLength, version) +
      (memo ? bytesOfInstruction(1, memo.bytes.length, version) : 0),
    accounts: 0,
    instructions: 1 + (memo ? 1 : 0) + (isHooked ? 1 + innerOfHook : 0),
    computeUnits: computeUnitsOfPayment(costed, mint),
    memoComputeUnits: memo?.computeUnits,
  };
}

const weightOfAccount: Weight = { bytes: addressLength, accounts: 1, instructions: 0, computeUnits: 0 };

function weightOfCreate(
  { tokenAccount }: ReadPayment,
  { version }: TransactionFrame,
  { mint, tokenAccountRent }: WeighedFacts,
): Weight {
  const exists = tokenAccount.state !== undefined;
  const costed = { recipientTokenAccountBump: tokenAccount.bump, recipientTokenAccountExists: exists };
  return {
    bytes: bytesOfInstruction(createAccountCount, 1, version),
    accounts: 0,
    instructions: 1 + (exists ? 0 : innerOfCreation(tokenAccount, tokenAccountRent)),
    computeUnits: computeUnitsOfCreation(costed, mint),
  };
}

function innerOfCreation({ occupant, lamports }: AssociatedAccount, rent: bigint): number {
  if (occupant !== undefined || lamports === 0n) return innerOfCreate;
  // What it holds is not topped up where it is enough.
  return lamports < rent ? innerOfFundedCreate : innerOfFundedCreate - 1;
}

/** The bytes of an instruction, without those of its accounts' addresses. */
export function bytesOfInstruction(accountCount: number, dataLength: number, version: TransactionVersion): number {
  const lengths = version === 1 ? 4 : 1 + compactU16Length(accountCount) + compactU16Length(dataLength);
  return lengths + accountCount + dataLength;
}

function weightOfSponsorFee(fee: TransferPlan, version: TransactionVersion): Weight {
  const instructions = planInstructions({ ...fee, computeUnitLimit: undefined, computeUnitPrice: 0n });
  const hooks = fee.payments.filter(({ hookAccounts }) => hookAccounts.length > 0).length;
  return {
    bytes: instructions.reduce(
      (sum, { accounts, data }) => sum + bytesOfInstruction(accounts.length, data.length, version),
      0,
    ),
    accounts: 0,
    instructions: instructions.length + hooks * (1 + innerOfHook),
    computeUnits: measuredComputeUnits(fee) - sharedComputeUnits,
  };
}

function accountsOfSponsorFee(fee: TransferPlan): readonly Address[] {
  const instructions = planInstructions({ ...fee, computeUnitLimit: undefined, computeUnitPrice: 0n });
  return instructions.flatMap(({ program, accounts }) => [program, ...accounts.map(({ address }) => address)]);
}

function frameOf(
  request: BatchRequest,
  { mint, senderTokenAccount, nonce, sponsorFee }: WeighedFacts,
): TransactionFrame {
  const { from, feePayer } = request;
  const paysSol = request.mint === sol;
  const ofMint = paysSol ? [] : [request.mint];
  const accounts = new Set([feePayer, from, ...ofMint, mint.tokenProgram, senderTokenAccount.address]);
  const ofNonce = nonce ? [nonce.account, nonce.authority, recentBlockhashesSysvar, systemProgram] : [];
  for (const address of ofNonce) accounts.add(address);
  if (sponsorFee) for (const address of accountsOfSponsorFee(sponsorFee)) accounts.add(address);
  return {
    version: request.version,
    accounts: [...accounts],
    ...(sponsorFee && { sponsorFee: weightOfSponsorFee(sponsorFee, request.version) }),
    signatureCount: new Set([feePayer, from, nonce?.authority ?? from]).size,
    paysPriorityFee: request.priorityFee !== undefined,
    hasNonce: nonce !== undefined,
    isHooked: mint.transferHookProgram !== undefined,
    paysSol,
    hasRoomForLimit: false,
  };
}
