import type { TestContext } from 'node:test';
import type { Upstream } from '../../src/chain/upstream.ts';
import { type FaultKind, unavailable } from '../../src/chain/upstream-faults.ts';

/** An attempt that an upstream was given, which the test ends. */
export interface FakeAttempt {
  /** The name of the upstream. */
  to: string;
  at: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  answer: (value: string) => Promise<void>;
  fail: (kind?: FaultKind) => Promise<void>;
}

/** An upstream that does what the test says. */
export interface FakeNode {
  upstream: Upstream;
  isUsable: boolean;
  probeDueAt: number;
  /** Ends the probe that calls wait for, and counts from when on they do. */
  revive: (isUsable: boolean) => Promise<void>;
  revivals: number[];
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Upstreams named a, b, c and so on, all usable, and a time that passes only when the test lets it. */
export function startNodes(t: TestContext, count: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { now: 10_000 };
  const attempts: FakeAttempt[] = [];
  const nodes = Array.from({ length: count }, (_, index) => nodeNamed('abcd'.charAt(index), clock, attempts));
  // Milliseconds go by one at a time, so that what a timer sets off happens at its own time.
  const pass = async (durationMs: number): Promise<void> => {
    for (let left = durationMs; left > 0; left--) {
      clock.now += 1;
      t.mock.timers.tick(1);
      await turn();
    }
  };
  /** Which upstream was asked when, counted from the start. */
  const asked = (): string[] => attempts.map(({ to, at }) => `${to} ${at - 10_000}`);
  return { clock, attempts, nodes, pass, asked, now: () => clock.now };
}

function nodeNamed(name: string, clock: { now: number }, attempts: FakeAttempt[]): FakeNode {
  let revival: PromiseWithResolvers<boolean> | undefined;
  const parts: Pick<Upstream, 'name' | 'isUsable' | 'probeDueAt' | 'lastFault' | 'revive'> & {
    attempt: unknown;
  } = {
    name,
    get isUsable() {
      return node.isUsable;
    },
    get probeDueAt() {
      return node.probeDueAt;
    },
    get lastFault() {
      return node.isUsable ? undefined : unavailable('connection', `${name} is away`);
    },
    revive: () => {
      node.revivals.push(clock.now);
      revival ??= Promise.withResolvers<boolean>();
      return revival.promise;
    },
    attempt: (_request: unknown, timeoutMs: number, signal?: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        attempts.push({
          to: name,
          at: clock.now,
          timeoutMs,
          signal,
          answer: (value) => {
            resolve(value);
            return turn();
          },
          fail: (kind = 'connection') => {
            reject(unavailable(kind, `${name} failed`));
            return turn();
          },
        });
      }),
  };
  const node: FakeNode = {
    upstream: parts as unknown as Upstream,
    isUsable: true,
    probeDueAt: Number.NEGATIVE_INFINITY,
    revivals: [],
    revive: (isUsable) => {
      node.isUsable = isUsable;
      revival?.resolve(isUsable);
      revival = undefined;
      return turn();
    },
  };
  return node;
}
