import type { Work } from '../../app/work.ts';
import type { ChainHistory, NodeHistory } from '../../chain/chain-history.ts';
import type { ChainReader } from '../../chain/chain-reader.ts';
import { malformed, UpstreamFault, unavailable } from '../../chain/upstream-faults.ts';
import { CannotTell } from '../../outcomes/node-answer.ts';
import type { LinkRecords } from '../records/link-records.ts';
import type { LinkPayment, StoredPaymentLink } from '../records/payment-link.ts';
import type { DescribeLink } from '../records/save-check.ts';
import { askNode, type LinkQuestion, type NodeReport } from './ask-node.ts';
import { combineReports } from './combine-reports.ts';

export interface LinkCheckerOptions {
  store: Pick<LinkRecords, 'find' | 'findByReferences' | 'saveCheck'>;
  reader: Pick<ChainReader, 'readBlockhash'>;
  history: ChainHistory;
  /** Makes the data of its events. */
  describe?: DescribeLink | undefined;
  now: () => number;
}

// Strangers can pay a link as often as they like, and too little each time.
const maxFlawedPayments = 100;

/**
 * Finds out what was paid to links.
 *
 * Where several nodes must agree, no single node makes a link paid or settled:
 *
 * - a payment counts when `neededSightings` nodes show the transaction alike, and is final when as many say so
 * - a payment that was not final is forgotten when `neededDenials` nodes have a final ledger without it
 * - a link is settled five minutes after it closed, when `neededDenials` nodes have its whole history, all of it is final, and so are
 *   the blocks in which what was given to payers can land
 */
export class LinkChecker {
  readonly #options: LinkCheckerOptions;

  constructor(options: LinkCheckerOptions) {
    this.#options = options;
  }

  /**
   * Asks the chain what was paid to the link with this id, stores it, and returns the link as it is stored then; `undefined` when there is
   * none.
   *
   * Throws the `UpstreamFault` of the preferred node when no node says anything, or what the store throws.
   */
  async check(
    id: string,
    asked: Pick<LinkQuestion, 'examined' | 'minSlot'>,
    work: Work,
  ): Promise<StoredPaymentLink | undefined> {
    const { store, reader, history, now } = this.#options;
    const stored = await store.find(id);
    if (!stored) return undefined;
    const { link } = stored;
    const startedAt = now();
    const settles = isDueToSettle(stored, startedAt);
    // With a clock that was set back, or is behind that of another process, a new check must not look older than the last one.
    const checkedAt = new Date(Math.max(startedAt, link.checkedAt?.getTime() ?? 0));
    const question: LinkQuestion = {
      ...asked,
      link,
      stored: new Map(stored.payments.map((payment) => [payment.signature, payment])),
      settlesAtSlot: settles ? (await reader.readBlockhash(work.deadline)).slot : undefined,
      findLinks: (references) => store.findByReferences(references),
    };
    const needed = { denials: history.neededDenials, sightings: history.neededSightings };
    const nodes = history.nodes();
    const first = nodes.slice(0, needed.sightings);
    const others = nodes.slice(needed.sightings);
    const reports = await askNodes(first, question, work);
    const combine = (isComplete: boolean) =>
      combineReports({ stored: question.stored, reports, settles, isComplete }, needed);
    let findings = combine(others.length === 0);
    if (!findings) {
      reports.push(...(await askNodes(others, question, work)));
      findings = combine(true);
    }
    if (!findings) throw new Error('every node was asked, and a link has no findings');
    throwIfAllFailed(reports);
    const { payments, dropped, isSettled, examinedUntil } = findings;
    // A commit waits for the disk: no turn of the event loop has two.
    await work.next();
    const found = {
      payments: withoutFlood(payments, stored.payments),
      dropped,
      checkedAt,
      settledAt: isSettled ? checkedAt : null,
      ...(examinedUntil !== undefined && { examinedUntil }),
    };
    await store.saveCheck(id, found, this.#options.describe, Math.max(now(), checkedAt.getTime()));
    return store.find(id);
  }
}

function askNodes(
  nodes: readonly NodeHistory[],
  question: LinkQuestion,
  work: Work,
): Promise<(NodeReport | UpstreamFault)[]> {
  return Promise.all(
    nodes.map(async (node) => {
      try {
        return await askNode(node, question, work);
      } catch (error) {
        if (error instanceof CannotTell) return malformed('its history contradicts itself');
        if (error instanceof UpstreamFault) return error;
        throw error;
      }
    }),
  );
}

function throwIfAllFailed(reports: readonly (NodeReport | UpstreamFault)[]): void {
  const [preferred] = reports;
  if (!preferred) throw unavailable('connection', 'no node is configured');
  if (preferred instanceof UpstreamFault && reports.every((report) => report instanceof UpstreamFault)) throw preferred;
}

function withoutFlood(payments: readonly LinkPayment[], stored: readonly LinkPayment[]): readonly LinkPayment[] {
  let flawed = stored.filter(({ flaw }) => flaw !== undefined).length;
  const known = new Set(stored.map(({ signature }) => signature));
  return payments.filter(({ signature, flaw }) => {
    if (flaw === undefined || known.has(signature)) return true;
    flawed += 1;
    return flawed <= maxFlawedPayments;
  });
}

// Payments of others to a link that has just closed are still of interest.
const settleAfterMs = 5 * 60_000;

/**
 * Returns whether a link closed more than five minutes ago. Whether a transaction issued for it can still land is for the nodes to say.
 *
 * `now` is in milliseconds since the Unix epoch.
 */
export function isDueToSettle(stored: StoredPaymentLink, now: number): boolean {
  return now > closedAt(stored) + settleAfterMs;
}

/** Returns when a link closes, in milliseconds since the Unix epoch. The payment of a single-use link closes it once it is final. */
export function closedAt({ link, payments }: StoredPaymentLink): number {
  const closings = [link.expiresAt.getTime()];
  if (link.cancelledAt !== null) closings.push(link.cancelledAt.getTime());
  for (const { flaw, commitment, blockTime } of payments) {
    const closes = link.isSingleUse && flaw === undefined && commitment === 'finalized';
    if (closes && blockTime !== null) closings.push(Number(blockTime) * 1_000);
  }
  return Math.min(...closings);
}
