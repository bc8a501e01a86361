import type { BuiltTransfer } from '../../packages/core/src/decide/transfer-summary.ts';
import { validateTransferRequest } from '../../packages/core/src/decide/validate-transfer-request.ts';
import type { Finding } from '../../packages/core/src/findings/finding.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { ProblemCode } from '../../packages/server/src/problems.ts';
import { isTransferRefused, SimulationFailed } from '../../packages/server/src/transfers/transfer-refused.ts';
import { callsHook } from './asked.ts';
import { feeOf } from './budget.ts';
import type { Court } from './court.ts';
import { judgeAnswer } from './judge-answer.ts';
import { canBeSigned, judgeRefusal } from './judge-refusal.ts';
import { judgeCompleteness, judgeLayoutFindings } from './known-reasons.ts';
import { type Outcome, sendWitness } from './outcome.ts';
import { priorityFeeText, requestOf } from './request.ts';
import { type Situation, situate } from './situation.ts';
import { tokenAclOf } from './token-acl.ts';
import { prepareWitness, type Witness } from './witness.ts';
import type { World } from './world.ts';
import { writeWallets } from './write-wallets.ts';

/** What the service decided, what the chain did, and where the two disagree. */
export interface Verdict {
  world: World;
  /** The codes of a refusal, in its order; none for an answer. */
  codes: readonly ProblemCode[];
  findings: readonly Finding[];
  outcome: Outcome | undefined;
  /** Why the service is wrong; none when it is right. */
  disagreements: readonly string[];
}

/** Judges one world: asks the service, and lets the chain run the transaction either way. */
export async function judgeWorld(court: Court, world: World): Promise<Verdict> {
  const { ledger, reader } = court;
  const situation = await situate(ledger, world);
  const witness = await prepareWitness(ledger, situation);
  writeWallets(ledger, situation, feeOf(situation, witness.budget));
  reader.recentPrices = world.options.priorityFee?.kind === 'level' ? world.options.priorityFee.recentPrices : [];
  const readsBefore = { accounts: reader.accountReads, prices: reader.priceReads };
  const decision = await decide(court, situation, witness);
  const reads = {
    accounts: reader.accountReads - readsBefore.accounts,
    prices: reader.priceReads - readsBefore.prices,
  };
  const findings = 'built' in decision ? [] : decision.findings;
  const hasFailed = 'built' in decision ? false : decision.hasFailed === true;
  const codes = hasFailed ? (['simulation_failed'] as const) : findings.map(({ code }) => code);
  const disagreements = [
    ...judgeReads(world, decision, reads),
    ...judgeCompleteness(world, findings),
    ...judgeLayoutFindings(world, findings),
  ];
  if ('built' in decision) {
    const { outcome, faults } = judgeAnswer(court, situation, witness, decision.built);
    return { world, codes, findings, outcome, disagreements: [...disagreements, ...faults] };
  }
  if (!canBeSigned(world)) return { world, codes, findings, outcome: undefined, disagreements };
  const isPoor = isBelowMinimum(ledger, situation);
  const outcome = sendWitness(ledger, situation, witness);
  const faults = hasFailed ? judgeFailedSimulation(world, outcome) : judgeRefusal(world, findings, outcome, isPoor);
  return { world, codes, findings, outcome, disagreements: [...disagreements, ...faults] };
}

type Decision =
  | { built: BuiltTransfer }
  /** `hasFailed`: nothing was found, and the simulation failed. */
  | { findings: readonly Finding[]; asked: boolean; hasFailed?: boolean };

async function decide({ builder }: Court, situation: Situation, { memo, budget }: Witness): Promise<Decision> {
  const { options } = situation.world;
  const priority = priorityFeeText(options.priorityFee, budget.computeUnitPrice);
  const { request, findings } = validateTransferRequest(requestOf(situation, memo, priority));
  if (!request) return { findings, asked: false };
  try {
    return { built: await builder.build(request, Number.POSITIVE_INFINITY) };
  } catch (error) {
    if (isTransferRefused(error)) return { findings: error.findings, asked: true };
    if (error instanceof SimulationFailed) return { findings: [], asked: true, hasFailed: true };
    throw error;
  }
}

// Only a gate program refuses what nothing else shows; and with gates for many recipients more is called than a transaction may.
function judgeFailedSimulation({ mint, options }: World, outcome: Outcome): string[] {
  const error = outcome.kind === 'failed' ? JSON.stringify(outcome.error) : '';
  const isTooLong = error.includes('MaxInstructionTraceLengthExceeded');
  const isAsked = options.checks !== 'none' && (tokenAclOf(mint) === 'blocking' || isTooLong);
  return [
    ...(isAsked ? [] : ['refused by a simulation that no gate program fails']),
    ...(outcome.kind === 'landed' ? ['refused by a simulation, and it lands'] : []),
  ];
}

function judgeReads(
  { mint, options }: World,
  decision: Decision,
  reads: { accounts: number; prices: number },
): string[] {
  const asked = 'built' in decision || decision.asked;
  // Configuration and flags, then the gate program and its list.
  const ofTokenAcl = tokenAclOf(mint) === undefined ? 0 : 2;
  const [min, max] = asked ? [1, (callsHook({ mint }) ? 2 : 1) + ofTokenAcl] : [0, 0];
  const maxPrices = asked && options.priorityFee?.kind === 'level' ? 1 : 0;
  const faults: string[] = [];
  if (reads.accounts < min || reads.accounts > max) faults.push(`accounts were read ${reads.accounts} times`);
  if (reads.prices > maxPrices) faults.push(`recent prices were read ${reads.prices} times`);
  return faults;
}

// A wallet that holds less than the minimum from the start: none can come into being any more. This ledger lets it pay
// until it is empty, as validators long did; newer ones do not.
function isBelowMinimum(ledger: Ledger, { feePayer }: Situation): boolean {
  const account = ledger.getAccount(feePayer);
  const minimum = ledger.minimumBalanceForRentExemption(BigInt(account?.data.length ?? 0));
  return account !== undefined && account.lamports < minimum;
}
