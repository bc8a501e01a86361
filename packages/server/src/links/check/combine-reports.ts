import type { HistoryEntry } from '../../chain/chain-history.ts';
import type { UpstreamFault } from '../../chain/upstream-faults.ts';
import type { LinkPayment } from '../records/payment-link.ts';
import type { NodeReport } from './ask-node.ts';

export interface LinkEvidence {
  stored: ReadonlyMap<string, LinkPayment>;
  /** The report or the fault of each node that was asked, the preferred node first. */
  reports: readonly (NodeReport | UpstreamFault)[];
  /** Whether the link has been closed long enough to be settled. */
  settles: boolean;
  /** Whether there is no other node to ask. */
  isComplete: boolean;
}

/** How many nodes must say the same. */
export interface NeededNodes {
  denials: number;
  sightings: number;
}

export interface LinkFindings {
  /** New payments, and stored ones that changed. */
  payments: readonly LinkPayment[];
  /** The signatures of stored payments that a fork has dropped. */
  dropped: readonly string[];
  /** Whether nothing can change any more. */
  isSettled: boolean;
  /** The newest transaction that, like all older ones, was examined and is final. */
  examinedUntil: string | undefined;
}

/** Decides what was paid to a link from what nodes say; undefined when more nodes must be asked. */
export function combineReports(evidence: LinkEvidence, needed: NeededNodes): LinkFindings | undefined {
  const { stored, settles, isComplete } = evidence;
  const reports = evidence.reports.filter((report) => 'listed' in report);
  const agreed = new Map<string, LinkPayment>();
  const claimed = new Set<string>();
  for (const signature of new Set(reports.flatMap(({ payments }) => [...payments.keys()]))) {
    const payment = agreementOn(signature, reports, needed.sightings);
    if (payment) agreed.set(signature, payment);
    else claimed.add(signature);
  }
  const unfinished = [...stored.values()].filter(({ commitment }) => commitment === 'confirmed');
  const missing = unfinished.filter(({ signature }) => !agreed.has(signature) && !claimed.has(signature));
  const dropped = missing
    .map(({ signature }) => signature)
    .filter((signature) => reports.filter(({ denied }) => denied.has(signature)).length >= needed.denials);
  const fullHistoryReports = reports.filter(({ hasFullHistory }) => hasFullHistory);
  if (!isComplete) {
    const isSilent = reports.length < evidence.reports.length || reports.some(({ hidesSome }) => hidesSome);
    const isDoubtful = claimed.size > 0 || missing.some(({ signature }) => !dropped.includes(signature));
    if (isSilent || isDoubtful || (settles && fullHistoryReports.length < needed.denials)) return undefined;
  }
  const isOutvoted = (signature: string): boolean =>
    fullHistoryReports.filter(({ listed }) => !listed.has(signature)).length >= needed.denials;
  const areFinal = unfinished.every(({ signature }) => {
    return dropped.includes(signature) || agreed.get(signature)?.commitment === 'finalized';
  });
  const payments = [...agreed.values()].filter((payment) => isNews(payment, stored.get(payment.signature)));
  return {
    payments,
    dropped,
    isSettled:
      settles &&
      fullHistoryReports.length >= needed.denials &&
      areFinal &&
      payments.every(({ commitment }) => commitment === 'finalized') &&
      [...claimed].every(isOutvoted),
    examinedUntil: examinedUntil(reports, { unfinished, claimed, sightings: needed.sightings }),
  };
}

/**
 * Returns the payment that at least `neededSightings` nodes show alike, otherwise undefined. It is final when as many say so.
 *
 * Nodes that show different flaws agree too: the payment does not count.
 */
function agreementOn(
  signature: string,
  reports: readonly NodeReport[],
  neededSightings: number,
): LinkPayment | undefined {
  const seen = reports.flatMap(({ payments }) => payments.get(signature) ?? []);
  const shown = seen.filter(({ flaw }) => flaw !== 'not_shown');
  const groups = new Map<string, LinkPayment[]>();
  for (const payment of shown.length > 0 ? shown : seen) {
    const { slot, payer, feePayer, mint, amount, received, owner, flaw } = payment;
    const key = [slot, payer, feePayer, mint, amount, received, owner, flaw].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), payment]);
  }
  const largest = [...groups.values()].reduce<LinkPayment[]>((one, other) => {
    return other.length > one.length ? other : one;
  }, []);
  const agreeing =
    largest.length >= neededSightings ? largest : inOneSlot(shown.filter(({ flaw }) => flaw !== undefined));
  const first = agreeing.find(({ flaw }) => flaw !== 'no_transfer') ?? agreeing[0];
  if (!first || agreeing.length < neededSightings) return undefined;
  const finals = agreeing.filter(({ commitment }) => commitment === 'finalized').length;
  return { ...first, commitment: finals >= neededSightings ? 'finalized' : 'confirmed' };
}

/**
 * Returns these flawed payments when all are in one slot, otherwise none of them.
 *
 * A node that leaves out inner instructions sees from the balances that a transaction does not count, but gives another reason.
 */
function inOneSlot(flawed: readonly LinkPayment[]): readonly LinkPayment[] {
  return flawed.every(({ slot }) => slot === flawed[0]?.slot) ? flawed : [];
}

function isNews(payment: LinkPayment, stored: LinkPayment | undefined): boolean {
  if (!stored) return true;
  if (stored.flaw === 'not_shown' && payment.flaw !== 'not_shown') return true;
  if (stored.commitment === 'finalized') return false;
  return payment.commitment === 'finalized' || payment.slot !== stored.slot;
}

/** The newest final transaction that enough nodes list, and before which nothing is open. */
function examinedUntil(
  reports: readonly NodeReport[],
  {
    unfinished,
    claimed,
    sightings,
  }: { unfinished: readonly LinkPayment[]; claimed: ReadonlySet<string>; sightings: number },
): string | undefined {
  if (reports.length < sightings || reports.some(({ isWhole }) => !isWhole)) return undefined;
  const openSlots = [
    ...unfinished.map(({ slot }) => slot),
    ...reports.flatMap(({ listed, open }) =>
      [...listed.values()].filter((entry) => isOpen(entry, open, claimed)).map(({ slot }) => slot),
    ),
  ];
  const lowestOpen = openSlots.reduce<bigint | undefined>((lowest, slot) => {
    return lowest === undefined || slot < lowest ? slot : lowest;
  }, undefined);
  const isKnown = ({ signature, slot, commitment }: HistoryEntry): boolean => {
    if (commitment !== 'finalized' || (lowestOpen !== undefined && slot >= lowestOpen)) return false;
    return reports.filter(({ listed }) => listed.get(signature)?.commitment === 'finalized').length >= sightings;
  };
  return [...(reports[0]?.listed.values() ?? [])].find(isKnown)?.signature;
}

function isOpen(entry: HistoryEntry, open: ReadonlySet<string>, claimed: ReadonlySet<string>): boolean {
  return entry.commitment !== 'finalized' || open.has(entry.signature) || claimed.has(entry.signature);
}
