import { healthy } from '../setup/fault-proxy.ts';
import { hugeBody } from '../setup/faults.ts';
import type { DeadlineRule } from './all-dead.ts';
import { withinDeadline } from './all-dead.ts';
import type { Arena } from './arena.ts';
import { type Pace, runFault } from './fault-run.ts';
import { check, type Measured, onlyStatuses } from './measured.ts';

const mebibyte = 1024 * 1024;
const boundMebibytes = 100;
const lookMs = 25;

/** Both nodes answer everything with 100 MB, alternately with and without their length: memory stays bounded. */
export async function sendHugeBodies(arena: Arena, pace: Pace, rule: DeadlineRule): Promise<Measured> {
  const { preferred, other, server } = arena;
  let before = 0;
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, server.residentBytes());
  };
  let watch: NodeJS.Timeout | undefined;
  const run = await runFault(arena, pace, {
    inject() {
      before = server.residentBytes();
      watch = setInterval(look, lookMs);
      preferred.fault = hugeBody({ tellsLength: false });
      other.fault = hugeBody({ tellsLength: true });
    },
    heal() {
      preferred.fault = healthy;
      other.fault = healthy;
    },
  });
  clearInterval(watch);
  const [start, growth] = [before, peak - before].map((bytes) => Math.round(bytes / mebibyte));
  return {
    injected: `100 MB bodies from both nodes, of one node with Content-Length`,
    checks: [
      check(
        `resident memory grows by less than one such body, ${boundMebibytes} MiB`,
        `by ${growth} MiB from ${start} MiB`,
        peak - before < boundMebibytes * mebibyte,
      ),
      onlyStatuses(run.all, [200, 502, 503, 504]),
      withinDeadline(run, rule),
    ],
  };
}
