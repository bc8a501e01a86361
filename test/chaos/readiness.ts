import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../setup/fault-proxy.ts';
import { freeze, lag, tooManyRequests } from '../setup/faults.ts';
import { type Arena, startArenaLoad } from './arena.ts';
import { type Check, check, type Measured } from './measured.ts';
import { failing, killed, type WayToFail } from './one-of-two.ts';

/** What `/readyz` said. */
interface Readiness {
  status: number;
  /** Of each node, the preferred one first: why it is not used, or `ok`. */
  nodes: readonly string[];
  text: string;
}

// In milliseconds: how soon the truth must be told after it changed.
const knownWithin = 4000;
const between = 100;

// Enough for the service to notice, of its own traffic, what became of its upstreams.
const requestsPerSecond = 20;

const used = /^ok$/;
const unused = /^(?!ok$)./;

/** Nodes fail and heal, one way after the other: `/readyz` tells which of them are used, and why the others are not. */
export async function tellTruth(arena: Arena): Promise<Measured> {
  const { preferred, other, sandbox, memory } = arena;
  const { ledger } = sandbox;
  const lagging = lag({ memory, slot: () => ledger.slot() - 50n, isHonest: false });
  const ways: readonly [way: WayToFail, reason: RegExp][] = [
    [killed, /connection/],
    [failing('frozen', freeze), /time/],
    [failing('lagging', lagging), /behind/],
    [failing('limiting the rate', tooManyRequests()), /429|rate/],
  ];
  const load = startArenaLoad(arena, requestsPerSecond);
  const checks: Check[] = [await told(arena, 'both healthy', 200, [used, used])];
  for (const [way, reason] of ways) {
    await way.begin(preferred);
    checks.push(await told(arena, `preferred ${way.words}`, 200, [reason, used]));
    await way.end(preferred);
    checks.push(await told(arena, 'healed', 200, [used, used]));
  }
  await Promise.all([preferred.kill(), other.kill()]);
  checks.push(await told(arena, 'both killed', 503, [unused, unused]));
  await other.revive();
  checks.push(await told(arena, 'other revived', 200, [unused, used]));
  await preferred.revive();
  checks.push(await told(arena, 'both revived', 200, [used, used]));
  await load.stop();
  return { injected: 'one fault after the other', checks };
}

/** Waits until `/readyz` tells the truth, and checks that it names no address. */
async function told(arena: Arena, state: string, status: number, nodes: readonly RegExp[]): Promise<Check> {
  const changedAt = performance.now();
  for (;;) {
    const readiness = await readReadiness(arena);
    const isTrue =
      readiness.status === status &&
      readiness.nodes.length === nodes.length &&
      nodes.every((pattern, index) => pattern.test(readiness.nodes[index] ?? ''));
    const waited = performance.now() - changedAt;
    const namesAddress = /https?:|127\.0\.0\.1|SECRET/.test(readiness.text);
    if (isTrue || namesAddress || waited > knownWithin) {
      const measured = `${readiness.status} after ${waited.toFixed(0)} ms: ${readiness.nodes.join('; ')}`;
      return check(`${state}: ${status}`, measured, isTrue && !namesAddress);
    }
    await sleep(between);
  }
}

async function readReadiness({ server }: Arena): Promise<Readiness> {
  const reply = await fetch(`${server.url}/readyz`);
  const text = await reply.text();
  const body: unknown = JSON.parse(text);
  const upstreams = isJsonObject(body) && isJsonObject(body.upstreams) ? Object.values(body.upstreams) : [];
  const nodes = upstreams.map((each) => {
    if (!isJsonObject(each)) return 'malformed';
    return each.status === 'ok' ? 'ok' : String(each.reason);
  });
  return { status: reply.status, nodes, text };
}
