import type { ChainHistory, NodeHistory } from '../../chain/chain-history.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { UpstreamFault, unavailable } from '../../chain/upstream-faults.ts';
import { askOfBlockhash } from './ask-of-blockhash.ts';
import { askOfNonce } from './ask-of-nonce.ts';
import { assignSightings, type IsAnother } from './assign-sightings.ts';
import { combineAnswers } from './combine-answers.ts';
import { isRefused } from './node-faults.ts';
import { NodeView } from './node-view.ts';
import { CannotTell, type NodeAnswer, withStance } from './sighting.ts';
import type { OutcomeItem, Verdict } from './verdict.ts';

/** A transaction that is asked for, and what the nodes asked so far say of it. */
interface AskedItem {
  item: OutcomeItem;
  answers: (NodeAnswer | UpstreamFault)[];
}

/**
 * Finds out what became of transfers.
 *
 * The rule, on which it rests that nobody pays twice:
 *
 * - `landed`: the chain has a transaction with its signature or its message; or, where nobody had signed it, one that makes
 *   the same payments, with the same memos and references, in a block of its lifetime.
 * - `expired`: it cannot land any more and never has. Its last block is final and no block accepts its blockhash, or another
 *   transaction has used its nonce. And a history that reaches back to before it was built has no payment that could be it.
 *   At least two nodes say so where there are two.
 * - `failed`: it is on the chain, and failed. What nobody had signed has failed only once it is expired as well.
 * - `pending`: it can still land.
 * - `unknown`: none of it is certain.
 *
 * Bytes that nobody has signed live for 151 blocks longer, because wallets replace their blockhash.
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
   * Throws the `UpstreamFault` of the preferred node when no node says anything of one of them.
   */
  async find(
    items: readonly OutcomeItem[],
    deadline: Deadline,
    isAnother: IsAnother = async () => false,
  ): Promise<readonly Verdict[]> {
    const [preferred, ...others] = this.#history.nodes();
    if (!preferred) throw unavailable('connection', 'there is none');
    const asked: AskedItem[] = items.map((item) => ({ item, answers: [] }));
    await askNodes([preferred], asked, deadline);
    const first = await this.#decide(asked, isAnother, others.length === 0);
    const open = asked.filter((_, index) => first[index] === undefined);
    if (open.length > 0) await askNodes(others, open, deadline);
    const verdicts = open.length > 0 ? await this.#decide(asked, isAnother, true) : first;
    return verdicts.map((verdict) => {
      if (!verdict) throw new Error('every node was asked, and a transaction has no verdict');
      return verdict;
    });
  }

  async #decide(
    asked: readonly AskedItem[],
    isAnother: IsAnother,
    isComplete: boolean,
  ): Promise<readonly (Verdict | undefined)[]> {
    const assignments = await assignSightings(asked, isAnother);
    const needed = { denials: this.#history.neededDenials, sightings: this.#history.neededSightings };
    return asked.map(({ item, answers }, index) => {
      const { landed, others } = assignments[index] ?? { landed: undefined, others: new Set<string>() };
      if (isComplete) throwIfAllFailed(answers);
      return combineAnswers({ item, answers, landed, others, isComplete }, needed);
    });
  }
}

async function askNodes(nodes: readonly NodeHistory[], asked: readonly AskedItem[], deadline: Deadline): Promise<void> {
  const items = asked.map(({ item }) => item);
  const signatures = items.flatMap(({ intent }) => intent.signature ?? []);
  // Those of a batch from one sender are looked at for each of them, and read once.
  const scope = { signatures, maxCandidates: 50 + 2 * (items.length - 1) };
  const ofNodes = await Promise.all(
    nodes.map((node) => {
      const view = new NodeView(node, scope, deadline);
      return Promise.all(items.map((item) => askOrFault(view, item)));
    }),
  );
  for (const answers of ofNodes) {
    asked.forEach((each, index) => {
      const answer = answers[index];
      if (answer) each.answers.push(answer);
    });
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
