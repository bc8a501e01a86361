import { healthy } from '../setup/fault-proxy.ts';
import { otherLedger } from '../setup/faults.ts';
import type { Cleanup } from '../setup/service.ts';
import { type Arena, type ClusterOptions, openCluster } from './arena.ts';
import { type Pace, runFault } from './fault-run.ts';
import { check, liveBlockhashes, type Measured, noneFailed, onlyStatuses } from './measured.ts';
import { startServerProcess, tryServerProcess } from './server-process.ts';

/** The nodes belong to different clusters: the service does not start, and reports the reason. */
export async function startOnTwoClusters(t: Cleanup, options: ClusterOptions): Promise<Measured> {
  const { sandbox, preferred, other, secrets } = await openCluster(t, options);
  other.fault = otherLedger(sandbox.ledger);
  const started = await tryServerProcess(t, { rpcUrls: [preferred.url, other.url], secrets });
  const [status, output] = 'status' in started ? [started.status, started.output] : [undefined, 'it started'];
  const message = output.split('\n').findLast((line) => !line.startsWith('{')) ?? '';
  return {
    injected: 'at the start, two nodes with different genesis hashes',
    checks: [
      check('the start is refused', `exit status ${status}`, typeof status === 'number' && status > 0),
      check('the message has the reason', message, /genesis|cluster/i.test(message)),
      check(
        'no secret shown',
        '',
        secrets.every((secret) => !output.includes(secret)),
      ),
    ],
  };
}

/** The other node is down at the start: a warning. When it comes up it is of another cluster: it is never believed. */
export async function startWithOneDown(t: Cleanup, pace: Pace, options: ClusterOptions): Promise<Measured> {
  const cluster = await openCluster(t, options);
  const { sandbox, preferred, other, secrets } = cluster;
  await other.kill();
  const server = await startServerProcess(t, { rpcUrls: [preferred.url, other.url], secrets });
  const arena = { ...cluster, server, leaks: [] };
  const alone = await runFault(arena, { ...pace, fault: 0 }, { inject: () => undefined, heal: () => undefined });
  // The log is written beside the line by which the start is known.
  const warnings = server.warnings.length;

  other.fault = otherLedger(sandbox.ledger);
  await other.revive();
  const run = await runFault(arena, pace, { inject: () => preferred.kill(), heal: () => preferred.revive() });
  return {
    injected:
      'at the start, the other node down; then it comes up, of another cluster, and the preferred one is killed',
    checks: [
      check('it starts, with a warning', `${warnings} warnings`, warnings > 0),
      noneFailed(alone.all),
      onlyStatuses(run.all, [200, 503, 504]),
      liveBlockhashes(run.truth),
    ],
  };
}

/** The preferred node answers for another cluster from one moment on: its accounts are not believed. */
export async function turnForeign(arena: Arena, pace: Pace): Promise<Measured> {
  const { sandbox, preferred } = arena;
  const run = await runFault(arena, pace, {
    inject() {
      preferred.fault = otherLedger(sandbox.ledger);
    },
    heal() {
      preferred.fault = healthy;
    },
  });
  const last = run.after.at(-1)?.status;
  return {
    injected: `the preferred node answers for another cluster`,
    checks: [
      onlyStatuses(run.all, [200, 502, 503, 504]),
      liveBlockhashes(run.truth),
      check('then service again', `the last answer has status ${last}`, last === 200),
    ],
  };
}
