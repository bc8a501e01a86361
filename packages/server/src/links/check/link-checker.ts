import type { ChainHistory, NodeHistory } from '../../chain/chain-history.ts';
import type { ChainReader } from '../../chain/chain-reader.ts';
import { malformed, UpstreamFault, unavailable } from '../../chain/upstream-faults.ts';
import { CannotTell } from '../../outcomes/node-answer.ts';
import type { Work } from '../../work/work.ts';
import type { LinkPayment, PaymentLinkStore, StoredPaymentLink } from '../records/payment-link-store.ts';
import { askNode, type LinkQuestion, type NodeReport } from './ask-node.ts';
import { combineReports } from './combine-reports.ts';
import { isDueToSettle } from './due-to-settle.ts';
import type { ExaminedTransactions } from './examined.ts';

/** What links are checked with. */
export interface LinkCheckerOptions {
  store: Pick<PaymentLinkStore, 'findByReferences' | 'saveCheck'>;
  reader: Pick<ChainReader, 'readBlockhash'>;
  history: ChainHistory;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

// Strangers can pay a link as often as they like, and too little each time.
const maxFlawedPayments = 100;

/**
 * Finds out what was paid to links.
 *
 * The rules, by which no node makes a link paid or settled by itself where several must agree:
 *
 * - a payment is one when `neededSightings` nodes show the transaction alike, and final when so many say so
 * - a payment that was not final is forgotten when `neededDenials` nodes have a final ledger without it
 * - a link is settled when it is closed for five minutes, and as many nodes list all of its time and nothing that is open
 */
export class LinkChecker {
  readonly #options: LinkCheckerOptions;

  constructor(options: LinkCheckerOptions) {
    this.#options = options;
  }

  /**
   * Asks the chain what was paid to a link, and stores it.
   *
   * Throws the `UpstreamFault` of the preferred node when no node says anything, or what the store throws.
   */
  async check(stored: StoredPaymentLink, examined: ExaminedTransactions, work: Work): Promise<void> {
    const { store, reader, history, now } = this.#options;
    const { link } = stored;
    const startedAt = now();
    const settles = isDueToSettle(stored, startedAt);
    // A clock that was set back, or is behind that of another process, must not make a new check an old one.
    const checkedAt = new Date(Math.max(startedAt, link.checkedAt?.getTime() ?? 0));
    const question: LinkQuestion = {
      link,
      stored: new Map(stored.payments.map((payment) => [payment.signature, payment])),
      settlesAtSlot: settles ? (await reader.readBlockhash(work.deadline)).slot : undefined,
      examined,
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
    await store.saveCheck(link.id, {
      payments: withoutFlood(payments, stored.payments),
      dropped,
      checkedAt,
      settledAt: isSettled ? checkedAt : null,
      ...(examinedUntil !== undefined && { examinedUntil }),
    });
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
  if (!preferred) throw unavailable('connection', 'there is none');
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
