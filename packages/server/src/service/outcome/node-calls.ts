import type { NodeHistory } from '../../chain/chain-history.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { tooSlow } from '../../chain/upstream-faults.ts';
import { type Caller, FairLimit } from '../../work/fair-limit.ts';
import type { Work } from '../../work/work.ts';

// How many calls a node gets at a time: of one request, and of all requests together, which leaves half of the connections to
// those that build.
const maxCallsOfRequest = 8;
const maxCalls = 32;
// A page can have 4 MiB, and takes some milliseconds to be read.
const maxPageCalls = 8;

interface NodeLimits {
  calls: FairLimit;
  pages: FairLimit;
}

const limitsOfNodes = new WeakMap<NodeHistory, NodeLimits>();

function limitsOf(node: NodeHistory): NodeLimits {
  const limits = limitsOfNodes.get(node) ?? { calls: new FairLimit(maxCalls), pages: new FairLimit(maxPageCalls) };
  limitsOfNodes.set(node, limits);
  return limits;
}

/** The calls of one request to the history of a node: some at a time, and some at a time of all requests, by their owners in rotation. */
export class NodeCalls {
  readonly #work: Work;
  readonly #shared: NodeLimits;
  readonly #own = new FairLimit(maxCallsOfRequest);
  /** Whether a call is still wanted is asked when its own turn has come: here it waits for calls of the same request only. */
  readonly #patient: Caller;

  constructor(node: NodeHistory, work: Work) {
    this.#work = work;
    this.#shared = limitsOf(node);
    this.#patient = { owner: work.owner, age: work.age, assertWanted: () => undefined };
  }

  /**
   * Makes a call when it is its turn.
   *
   * Throws what the call throws, and what `Work.assertWanted` throws; an `UpstreamFault` when calls of this request took all of its time.
   */
  run<T>(kind: keyof NodeLimits, call: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { deadline } = this.#work;
    return this.#own.run(this.#patient, async () => {
      if (performance.now() >= deadline) throw tooSlow();
      return this.#shared[kind].run(this.#work, () => call(deadline));
    });
  }
}
