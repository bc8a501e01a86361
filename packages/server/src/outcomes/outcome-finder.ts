import type { Work } from '../app/work.ts';
import type { ChainHistory, NodeHistory } from '../chain/chain-history.ts';
import { isRefused, UpstreamFault, unavailable } from '../chain/upstream-faults.ts';
import { askOfBlockhash } from './ask-of-blockhash.ts';
import { askOfNonce } from './ask-of-nonce.ts';
import { assignMatches, type IsAnother } from './assign-matches.ts';
import { combineAnswers } from './combine-answers.ts';
import { CannotTell, type NodeAnswer, withStance } from './node-answer.ts';
import { NodeView, scopeOf } from './node-view.ts';
import type { OutcomeItem, Verdict } from './verdict.ts';

/** A transaction that is asked for, and what the nodes asked so far say of it. */
interface AskedItem {
  item: OutcomeItem;
  answers: (NodeAnswer | UpstreamFault)[];
}

/**
 * Finds out what became of transfers.
 *
 * The rule that keeps a payment from being made twice:
 *
 * - `landed`: the chain has a transaction with its signature or its message; or, where it was unsigned, one that makes
 *   the same payments, with the same memos and references, in a block of its lifetime.
 * - `expired`: it cannot land any more and never has. Its last block is final and no block accepts its blockhash, or another
 *   transaction has used its nonce. And a history that reaches back to before it was built has no payment that could be it.
 *   At least two nodes say so where there are two.
 * - `failed`: it is on the chain, and failed. An unsigned one has failed only once it is expired as well.
 * - `pending`: it can still land.
 * - `unknown`: none of these is certain.
 *
 * Unsigned bytes are valid for 151 blocks longer, because wallets replace their blockhash.
 */
export class OutcomeFinder {
  readonly #history: ChainHistory;

  constructor(history: ChainHistory) {
    this.#history = history;
  }

  /**
   * Finds the verdicts on transactions, in their order.
   *
   * Equal payments are shared out among the items. `isAnother` says which landed messages are known to be other payments.
   * For each page of history beyond one for each item the work counts as one request more.
   * Throws the `UpstreamFault` of the preferred node when no node says anything of one of them, and what `Work.assertWanted` throws.
   */
  async find(
    items: readonly OutcomeItem[],
    work: Work,
    isAnother: IsAnother = async () => false,
  ): Promise<readonly Verdict[]> {
    const [preferred, ...others] = this.#history.nodes();
    if (!preferred) throw unavailable('connection', 'there is none');
    const asked: AskedItem[] = items.map((item) => ({ item, answers: [] }));
    await askNodes([preferred], asked, work);
    const first = await this.#decide(asked, { isAnother, work, isComplete: others.length === 0 });
    const open = asked.filter((_, index) => first[index] === undefined);
    if (open.length > 0) await askNodes(others, open, work);
    const verdicts = open.length > 0 ? await this.#decide(asked, { isAnother, work, isComplete: true }) : first;
    return verdicts.map((verdict) => {
      if (!verdict) throw new Error('every node was asked, and a transaction has no verdict');
      return verdict;
    });
  }

  async #decide(
    asked: readonly AskedItem[],
    { isAnother, work, isComplete }: { isAnother: IsAnother; work: Work; isComplete: boolean },
  ): Promise<readonly (Verdict | undefined)[]> {
    const assignments = await assignMatches(asked, isAnother, work);
    const needed = { denials: this.#history.neededDenials, matches: this.#history.neededSightings };
    const decide = ({ item, answers }: AskedItem, index: number): Verdict | undefined => {
      const { landed, others } = assignments[index] ?? { landed: undefined, others: new Set<string>() };
      if (isComplete) throwIfAllFailed(answers);
      return combineAnswers({ item, answers, landed, others, isComplete }, needed);
    };
    return Promise.all(asked.map((each, index) => work.step(() => decide(each, index))));
  }
}

async function askNodes(nodes: readonly NodeHistory[], asked: readonly AskedItem[], work: Work): Promise<void> {
  const items = asked.map(({ item }) => item);
  const scope = scopeOf(items);
  const views = nodes.map((node) => new NodeView(node, scope, work));
  try {
    const ofNodes = await Promise.all(views.map((view) => Promise.all(items.map((item) => askOrFault(view, item)))));
    for (const answers of ofNodes) {
      asked.forEach((each, index) => {
        const answer = answers[index];
        if (answer) each.answers.push(answer);
      });
    }
  } finally {
    // Nodes are asked the same: what the configuration has of them is not the caller's cost.
    const pages = Math.ceil(Math.max(0, ...views.map((view) => view.pages)));
    work.furtherRequests = Math.max(work.furtherRequests, pages - items.length);
  }
}

async function askOrFault(view: NodeView, item: OutcomeItem): Promise<NodeAnswer | UpstreamFault> {
  const { lifetime } = item.intent;
  try {
    return await ('nonce' in lifetime
      ? askOfNonce(view, item, lifetime)
      : askOfBlockhash(view, item, lifetime.blockhash));
  } catch (error) {
    if (error instanceof CannotTell) return withStance({ kind: 'cannot_tell', reason: error.reason });
    if (isRefused(error)) return withStance({ kind: 'cannot_tell', reason: 'history_not_available' });
    if (error instanceof UpstreamFault) return error;
    throw error;
  }
}

function throwIfAllFailed(answers: readonly (NodeAnswer | UpstreamFault)[]): void {
  const [preferred] = answers;
  if (preferred instanceof UpstreamFault && answers.every((answer) => answer instanceof UpstreamFault)) throw preferred;
}
