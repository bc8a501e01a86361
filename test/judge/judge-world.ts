import type { Address } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token-2022';
import { parseTransferRequest } from '../../src/core/parse-transfer-request.ts';
import type { TransferPlan } from '../../src/core/transfer-plan.ts';
import { AppError, type Finding, type ProblemCode, problems } from '../../src/errors.ts';
import type { Ledger } from '../../src/sandbox/index.ts';
import type { BuiltTransfer } from '../../src/service/transfer-builder.ts';
import type { Court } from './court.ts';
import { fittingCodes } from './reason-fits.ts';
import { safetyRefusals } from './safety-refusals.ts';
import { type Situation, situate } from './situation.ts';
import { creationRentOf } from './token-account.ts';
import { type Outcome, send, sendWitness } from './witness.ts';
import type { World } from './world.ts';

const tokenDecoder = getTokenDecoder();

/** What the service decided, what the chain did, and where the two disagree. */
export interface Verdict {
  world: World;
  /** The codes of a refusal, in its order; none for an answer. */
  codes: readonly ProblemCode[];
  outcome: Outcome | undefined;
  /** Why the service is wrong; none when it is right. */
  disagreements: readonly string[];
}

/** Judges one world: asks the service, and lets the chain run the transaction either way. */
export async function judgeWorld(court: Court, world: World): Promise<Verdict> {
  const situation = await situate(court.ledger, world);
  const readsBefore = court.reader.accountReads;
  const decision = await decide(court, situation);
  const disagreements = judgeReads(world, decision, court.reader.accountReads - readsBefore);
  if ('built' in decision) {
    const { outcome, faults } = judgeAnswer(court.ledger, situation, decision.built);
    return { world, codes: [], outcome, disagreements: [...disagreements, ...faults] };
  }
  const codes = decision.findings.map(({ code }) => code);
  // Nobody can sign for an address off the curve: there is no transaction to send.
  const excused = isBelowMinimum(court.ledger, situation) ? oldWalletRefusals : safetyRefusals;
  const outcome = world.senderWallet === 'off_curve' ? undefined : await sendWitness(court.ledger, situation);
  return { world, codes, outcome, disagreements: [...disagreements, ...judgeRefusal(codes, outcome, excused)] };
}

type Decision = { built: BuiltTransfer } | { findings: readonly Finding[]; asked: boolean };

async function decide({ builder }: Court, { world, sender, recipient, mint }: Situation): Promise<Decision> {
  const memo = world.memo.text;
  const { request, findings } = parseTransferRequest(world.operation, {
    from_address: sender,
    to_address: recipient,
    token_mint_address: mint,
    amount: `${world.amount}`,
    ...(world.operation === 'memo_transfer' && { memo }),
    ...(world.operation === 'yid_transfer' && { yid: memo }),
  });
  if (!request) return { findings, asked: false };
  try {
    return { built: await builder.build(request, new AbortController().signal) };
  } catch (error) {
    if (error instanceof AppError) return { findings: error.findings, asked: true };
    throw error;
  }
}

function judgeReads({ mint }: World, decision: Decision, reads: number): string[] {
  const asked = 'built' in decision || decision.asked;
  const hooked =
    mint.kind === 'token_2022' && mint.extensions.some((each) => each.kind === 'transfer_hook' && each.hook !== 'none');
  const [least, most] = asked ? [1, hooked ? 2 : 1] : [0, 0];
  return reads >= least && reads <= most ? [] : [`accounts were read ${reads} times`];
}

function judgeAnswer(
  ledger: Ledger,
  situation: Situation,
  built: BuiltTransfer,
): { outcome: Outcome; faults: string[] } {
  const before = balancesOf(ledger, situation);
  const bytes = Uint8Array.from(built.bytes);
  // One signature slot of 64 bytes stands before the message.
  bytes.set(situation.signer.sign(bytes.subarray(65)), 1);
  const outcome = send(ledger, bytes, { transferIndex: -1 });
  if (outcome.kind !== 'landed') return { outcome, faults: ['answered, and it does not land'] };
  const after = balancesOf(ledger, situation);
  return { outcome, faults: judgeBalances(situation.world.amount, built.plan, before, after) };
}

interface Balances {
  senderTokens: bigint;
  senderLamports: bigint;
  recipientTokens: bigint;
  recipientLamports: bigint;
  recipientTokenAccountOwner: string | undefined;
}

function balancesOf(ledger: Ledger, situation: Situation): Balances {
  const tokens = (address: Address): { amount: bigint; owner: Address } | undefined => {
    const found = ledger.getAccount(address);
    return found?.programAddress === situation.tokenProgram ? tokenDecoder.decode(found.data) : undefined;
  };
  const recipientTokenAccount = tokens(situation.recipientTokenAccount);
  return {
    senderTokens: tokens(situation.senderTokenAccount)?.amount ?? 0n,
    senderLamports: ledger.getAccount(situation.sender)?.lamports ?? 0n,
    recipientTokens: recipientTokenAccount?.amount ?? wrappedByCreation(ledger, situation),
    recipientLamports: ledger.getAccount(situation.recipient)?.lamports ?? 0n,
    recipientTokenAccountOwner: recipientTokenAccount?.owner,
  };
}

// A new account of wrapped SOL counts as tokens the lamports that its address held beyond the rent.
function wrappedByCreation(ledger: Ledger, { world, tokenProgram, recipientTokenAccount }: Situation): bigint {
  const held = ledger.getAccount(recipientTokenAccount)?.lamports ?? 0n;
  const excess = held - creationRentOf(ledger, world.mint, tokenProgram);
  return world.mint.kind === 'native' && excess > 0n ? excess : 0n;
}

function judgeBalances(amount: bigint, plan: TransferPlan, before: Balances, after: Balances): string[] {
  const expected: Balances = {
    senderTokens: before.senderTokens - amount,
    senderLamports: before.senderLamports - plan.networkFee - plan.rent,
    recipientTokens: before.recipientTokens + amount - plan.transferFee,
    recipientLamports: before.recipientLamports,
    recipientTokenAccountOwner: plan.recipient,
  };
  return (Object.keys(expected) as (keyof Balances)[])
    .filter((name) => expected[name] !== after[name])
    .map((name) => `${name} should be ${expected[name]} and is ${after[name]}`);
}

// A wallet that holds less than the minimum from the start: none can come into being any more. This ledger lets it pay
// until it is empty, as validators long did; newer ones do not.
const oldWalletRefusals: ReadonlySet<ProblemCode> = new Set<ProblemCode>([...safetyRefusals, 'insufficient_sol']);

function isBelowMinimum(ledger: Ledger, { sender }: Situation): boolean {
  const account = ledger.getAccount(sender);
  const minimum = ledger.minimumBalanceForRentExemption(BigInt(account?.data.length ?? 0));
  return account !== undefined && account.lamports < minimum;
}

function judgeRefusal(
  codes: readonly ProblemCode[],
  outcome: Outcome | undefined,
  excused: ReadonlySet<ProblemCode>,
): string[] {
  if (codes.length === 0) return ['refused without a reason'];
  if (outcome === undefined) return codes.includes('sender_off_curve') ? [] : ['a sender off the curve is not named'];
  if (outcome.kind === 'landed') {
    const unfounded = codes.filter((code) => !excused.has(code));
    return unfounded.length > 0 ? [`refused for ${unfounded.join(', ')}, and it lands`] : [];
  }
  const fitting = fittingCodes(outcome);
  // Where the request itself is at fault, the chain is not asked.
  const isAboutRequest = codes.some((code) => problems[code].status === 400);
  if (fitting === undefined || isAboutRequest || codes.some((code) => fitting.includes(code))) return [];
  return [`none of the reasons fits the error; one of ${fitting.join(', ')} should be there`];
}
