import { type Address, changeOf, sol, summarizeTransaction, type TokenBalances } from 'splwright-core';
import type { UpstreamFault } from '../chain/upstream-faults.ts';
import { hasPaid, isCertain, type Match, type NodeAnswer, oldestFirst, type Stance } from './node-answer.ts';
import type {
  FailedVerdict,
  LandedPayment,
  LandedVerdict,
  OutcomeItem,
  PendingVerdict,
  SeenTransaction,
  UnknownVerdict,
  Verdict,
} from './verdict.ts';

/** How many nodes must say the same. */
export interface NeededNodes {
  denials: number;
  matches: number;
}

/** All answers about one transaction. */
export interface Evidence {
  item: OutcomeItem;
  /** Of each node that was asked, the preferred one first: what it says, or why it says nothing. */
  answers: readonly (NodeAnswer | UpstreamFault)[];
  /** The landed transaction that it is, and all that it could be when that is not certain. */
  landed: { signature: string; ambiguous: readonly string[] | undefined } | undefined;
  /** The transactions that are others, by signature, although they pay the same. */
  others: ReadonlySet<string>;
  /** Whether there is no other node to ask. */
  isComplete: boolean;
}

/** Decides what became of a transaction from what nodes say; undefined when more nodes must be asked. */
export function combineAnswers(evidence: Evidence, needed: NeededNodes): Verdict | undefined {
  const { item, landed } = evidence;
  const answers = evidence.answers.filter((answer) => 'stance' in answer);
  if (landed) {
    const shown = (match: Match) => match.signature === landed.signature && hasPaid(match);
    return onChain(evidence, answers, needed, shown, (found) => landedVerdict(item, found, landed.ambiguous));
  }
  const isFailure = (match: Match): boolean => !hasPaid(match);
  // A signed transaction that failed has failed for good. An unsigned one can fail, and then land as a wallet changes it.
  if (item.intent.isSigned && answers.some(({ matches }) => matches.some(isFailure))) {
    return onChain(evidence, answers, needed, isFailure, (found) => failedVerdict(item, found));
  }
  return notOnChain(evidence, answers, needed);
}

function onChain(
  evidence: Evidence,
  answers: readonly NodeAnswer[],
  needed: NeededNodes,
  isShown: (match: Match) => boolean,
  describe: (match: Match) => Verdict,
): Verdict | undefined {
  const found = answers.flatMap(({ matches }) => matches.find(isShown) ?? []);
  const [first] = found;
  if (first && found.length >= needed.matches) {
    // It is final when as many say so.
    const [final, ...others] = found.filter(({ commitment }) => commitment === 'finalized');
    const isFinal = others.length + 1 >= needed.matches;
    return describe(final && isFinal ? final : { ...first, commitment: 'confirmed' });
  }
  if (!evidence.isComplete) return undefined;
  const nodes = { have: found.length, need: needed.matches };
  const silent = answers.filter(({ matches }) => !matches.some(isShown));
  const contradicts = ({ stance }: NodeAnswer): boolean => stance.kind === 'denies' || stance.kind === 'shows';
  if (silent.some(contradicts)) return unknown(evidence, 'nodes_disagree', nodes);
  const waiting = silent.find(({ stance }) => stance.kind === 'waits' || stance.kind === 'insists');
  return waiting ? pending(evidence, waiting, 'not_final') : unknown(evidence, 'too_few_nodes', nodes);
}

function notOnChain(evidence: Evidence, answers: readonly NodeAnswer[], needed: NeededNodes): Verdict | undefined {
  for (const answer of answers) {
    if (answer.stance.kind === 'insists') return pending(evidence, answer, answer.stance.reason);
  }
  const waiting = answers.find(({ stance }) => stance.kind === 'waits');
  // Answers of the other nodes could not make it certain.
  if (waiting && (evidence.isComplete || waiting === evidence.answers[0])) {
    const denials = answers.filter(denies).length;
    if (denials < needed.denials) return pending(evidence, waiting, reasonToWait(evidence, waiting.stance));
  }
  if (!evidence.isComplete) return undefined;
  const denying = answers.filter(denies);
  const nodes = { have: denying.length, need: needed.denials };
  if (answers.some(({ stance }) => stance.kind === 'hides')) {
    return unknown(evidence, denying.length > 0 ? 'nodes_disagree' : 'history_not_available', nodes);
  }
  const [first] = denying;
  if (first && denying.length >= needed.denials) return neverLands(evidence, first);
  const reasons = answers.flatMap(({ stance }) => (stance.kind === 'cannot_tell' ? stance.reason : []));
  const reason = reasons.find((each) => each !== 'too_few_nodes') ?? 'too_few_nodes';
  return unknown(evidence, reason, nodes);
}

function denies({ stance }: NodeAnswer): boolean {
  return stance.kind === 'denies';
}

function neverLands(evidence: Evidence, { stance, blockHeight, lastValidBlockHeight }: NodeAnswer): Verdict {
  if (similarTo(evidence).length > 0) return unknown(evidence, 'similar_payment');
  const failed = failures(evidence);
  const failure = failed.find(isCertain) ?? failed[0];
  if (failure) return failedVerdict(evidence.item, failure);
  const nonceUsedBy = stance.kind === 'denies' ? stance.nonceUsedBy : undefined;
  return { outcome: 'expired', blockHeight, lastValidBlockHeight, nonceUsedBy };
}

function reasonToWait(evidence: Evidence, stance: Stance): PendingVerdict['reason'] {
  if (failures(evidence).length > 0) return 'failed_but_alive';
  return stance.kind === 'waits' ? stance.reason : 'lifetime';
}

function pending(evidence: Evidence, answer: NodeAnswer, reason: PendingVerdict['reason']): PendingVerdict {
  const { blockHeight, lastValidBlockHeight } = answer;
  const hasFailed = failures(evidence).some(isCertain);
  return { outcome: 'pending', reason, hasFailed, blockHeight, lastValidBlockHeight, similar: similarTo(evidence) };
}

function unknown(
  evidence: Evidence,
  reason: UnknownVerdict['reason'],
  nodes?: UnknownVerdict['nodes'],
): UnknownVerdict {
  const blockHeight = evidence.answers.find((answer) => 'stance' in answer)?.blockHeight;
  return { outcome: 'unknown', reason, blockHeight, similar: similarTo(evidence), nodes };
}

/** Its matches that failed, as it was built or as a wallet had changed it. */
function failures(evidence: Evidence): readonly Match[] {
  return matchesIn(evidence).filter((match) => match.by !== 'similar' && !hasPaid(match));
}

function similarTo(evidence: Evidence): readonly string[] {
  const similar = matchesIn(evidence).filter(({ by }) => by === 'similar');
  return [...new Set(similar.map(({ signature }) => signature))];
}

function matchesIn({ answers, others }: Evidence): readonly Match[] {
  const all = answers.flatMap((answer) => ('stance' in answer ? answer.matches : []));
  return oldestFirst(all.filter(({ signature }) => !others.has(signature)));
}

/** The verdict on a payment that was made. `ambiguous` has all signatures that could be its own, when there are several. */
export function landedVerdict(
  item: OutcomeItem,
  match: Match,
  ambiguous: readonly string[] | undefined,
): LandedVerdict {
  return { outcome: 'landed', ...seen(item, match), payments: paymentsOf(item, match), ambiguous };
}

/** The verdict on a transaction that failed on the chain. */
export function failedVerdict(item: OutcomeItem, match: Match): FailedVerdict {
  const { bytes, error, loadedAddresses } = match.landed;
  const usesTables = loadedAddresses.writable.length + loadedAddresses.readonly.length > 0;
  const instructions = usesTables ? [] : summarizeTransaction(bytes).instructions;
  return { outcome: 'failed', ...seen(item, match), error, instructions };
}

function seen({ intent }: OutcomeItem, { signature, by, commitment, landed }: Match): SeenTransaction {
  const { slot, blockTime, fee } = landed;
  const message = landed.content?.message ?? intent.message;
  const matchedBy = by === 'similar' ? 'content' : by;
  return { signature, slot, blockTime, commitment, fee, matchedBy, message };
}

function paymentsOf({ intent }: OutcomeItem, { landed }: Match): readonly LandedPayment[] {
  const { payments, source, mint } = intent;
  const balances = mint === sol ? landed.lamportBalances : landed.balances;
  const received = receivedAmounts(
    payments.map(({ destination, amount }) => ({ source, destination, amount })),
    balances,
  );
  return payments.map(({ destination, amount }, index) => ({
    tokenAccount: mint === sol ? undefined : destination,
    wallet: mint === sol ? destination : balances?.get(destination)?.owner,
    amount,
    received: received?.[index],
  }));
}

/** One transfer between token accounts, in base units. */
export interface AccountTransfer {
  source: Address;
  destination: Address;
  amount: bigint;
}

/**
 * Returns what each transfer of a landed transaction brought to its destination: less than the amount where the mint takes a
 * fee, or where some of it did not stay there. `undefined` where the node kept no balances.
 *
 * `transfers` are all that pay these destinations. An account that got several got each of them in proportion.
 */
export function receivedAmounts(
  transfers: readonly AccountTransfer[],
  balances: TokenBalances | undefined,
): readonly bigint[] | undefined {
  if (!balances) return undefined;
  return transfers.map(({ source, destination, amount }, index) => {
    // One that pays itself has as much as before.
    if (destination === source) return amount;
    // What rounding leaves goes to the last.
    const total = amountUpTo(destination, transfers.length);
    const change = within(changeOf(balances, destination), total);
    if (total === 0n) return 0n;
    const shareUpTo = (last: number): bigint => (change * amountUpTo(destination, last)) / total;
    return shareUpTo(index) - shareUpTo(index - 1);
  });

  function amountUpTo(destination: Address, last: number): bigint {
    return transfers
      .slice(0, last + 1)
      .reduce((sum, each) => sum + (each.destination === destination ? each.amount : 0n), 0n);
  }
}

// Others may have taken more out of an account than was paid, or paid more into it.
function within(change: bigint, most: bigint): bigint {
  if (change < 0n) return 0n;
  return change > most ? most : change;
}
