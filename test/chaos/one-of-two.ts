import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type FaultProxy, healthy } from '../setup/fault-proxy.ts';
import type { Arena } from './arena.ts';
import { type FaultRun, type Pace, runFault } from './fault-run.ts';
import { boundedPercentile, liveBlockhashes, type Measured, noneFailed, unboundedLatency } from './measured.ts';

/** One of the two nodes. */
export type Which = 'preferred' | 'other';

/** A way to fail, in the words that follow "the node", and back. */
export interface WayToFail {
  words: string;
  begin(proxy: FaultProxy): void | Promise<void>;
  end(proxy: FaultProxy): void | Promise<void>;
}

/** Refuses connections, those that are open broken off. */
export const killed: WayToFail = {
  words: 'killed',
  begin: (proxy) => proxy.kill(),
  end: (proxy) => proxy.revive(),
};

/** Does to every request what the fault does. */
export function failing(words: string, fault: Fault): WayToFail {
  return {
    words,
    begin(proxy) {
      proxy.fault = fault;
    },
    end(proxy) {
      proxy.fault = healthy;
    },
  };
}

/** One of two nodes fails for a while: no client notices. */
export async function failOne(arena: Arena, pace: Pace, which: Which, way: WayToFail): Promise<Measured> {
  const run = await runFault(arena, pace, {
    inject: () => way.begin(arena[which]),
    heal: () => way.end(arena[which]),
  });
  return { injected: `the ${which} node ${way.words}`, checks: unnoticed(run) };
}

/** Both nodes fail alternately, one recovering as the other fails: no client notices. */
export async function flap(arena: Arena, pace: Pace, way: WayToFail, turnMs: number): Promise<Measured> {
  const { preferred, other } = arena;
  const run = await runFault(arena, pace, {
    inject: () => way.begin(preferred),
    async last() {
      let [down, up] = [preferred, other];
      for (let turn = 1; turn * turnMs < pace.fault; turn += 1) {
        await sleep(turnMs);
        await way.end(down);
        await way.begin(up);
        [down, up] = [up, down];
      }
      await sleep(turnMs);
      await way.end(down);
    },
    heal: () => undefined,
  });
  return {
    injected: `both nodes ${way.words} in turn, ${turnMs / 1000} s each`,
    checks: [noneFailed(run.all), unboundedLatency(run.during), liveBlockhashes(run.truth)],
  };
}

/** No client noticed: no request failed or waited long, and every blockhash was valid. */
export function unnoticed(run: FaultRun): Measured['checks'] {
  return [noneFailed(run.all), boundedPercentile(run.calm, run.during), liveBlockhashes(run.truth)];
}
