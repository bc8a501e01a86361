import { Random } from '../random.ts';
import type { HistoryWorld, Instance, Moment, Purpose, Step, StepKind, Traffic } from './history-world.ts';
import { drawNodes } from './node-world.ts';
import { type WalletChange, walletChanges } from './wallet.ts';

// How often each step is taken.
const stepWeights = {
  request: 14,
  requests_at_once: 5,
  other_body: 2,
  stranger: 1,
  sign: 8,
  submit: 14,
  submit_failing: 5,
  pass: 26,
  advance_nonce: 5,
  traffic: 4,
  rotate_api_key: 1,
  crash: 4,
  stall: 3,
  pass_lease: 3,
  forget: 1,
  unreadable: 1,
  meddle: 3,
} as const satisfies Record<StepKind, number>;

/** Draws a history, always the same one for a seed and a number. */
export function drawHistory(seed: number, number: number): HistoryWorld {
  const random = new Random(`splwright judge seed ${seed} history ${number}`);
  const count = random.integer(4, 12);
  const first: Step = { kind: 'request', purpose: 0, instance: drawInstance(random), rewritten: false };
  // Otherwise few worlds show what is said, after all is over, of what a wallet has changed.
  const changed: readonly Step[] = [
    { kind: 'sign', purpose: 0, changes: drawChanges(random) },
    { kind: 'submit', purpose: 0, earlier: 0 },
    { kind: 'pass', until: 'last_end_final', by: 1, skipped: 0 },
  ];
  const start = random.chance(0.4) ? [first, ...changed] : [first];
  return {
    seed,
    number,
    nodes: drawNodes(random),
    isStormy: random.chance(0.08),
    steps: [...start, ...Array.from({ length: count }, () => drawStep(random))],
  };
}

function drawStep(random: Random): Step {
  const kind = random.weighted<StepKind>(stepWeights);
  const instance = drawInstance(random);
  switch (kind) {
    case 'request':
      return { kind, purpose: drawPurpose(random), instance, rewritten: random.chance(0.3) };
    case 'requests_at_once':
      return { kind, purpose: drawKeyedPurpose(random), count: random.integer(2, 4) };
    case 'other_body':
    case 'crash':
    case 'stall': {
      const purpose = drawKeyedPurpose(random);
      if (kind === 'other_body') return { kind, purpose, instance };
      if (kind === 'stall') return { kind, purpose, instance, outlastsLease: random.chance(0.6) };
      return { kind, purpose, instance, when: random.pick(['before_storing', 'after_storing'] as const) };
    }
    case 'stranger':
      return { kind, instance };
    case 'sign':
      return { kind, purpose: drawPurpose(random), changes: drawChanges(random) };
    case 'submit':
    case 'submit_failing':
      return { kind, purpose: drawPurpose(random), earlier: random.pick([0, 0, 0, 1, 2]) };
    case 'pass':
      return drawTime(random);
    case 'advance_nonce':
      return { kind, livesBy: random.chance(0.75) ? 'nonce' : 'blockhash' };
    case 'traffic':
      return { kind, payments: drawTraffic(random) };
    case 'rotate_api_key':
    case 'pass_lease':
    case 'forget':
      return { kind };
    case 'unreadable':
      return { kind, purpose: drawPurpose(random), instance };
    case 'meddle':
      return {
        kind,
        at: random.integer(0, 5),
        what: random.pick(['submit', 'submit', 'pass', 'advance_nonce'] as const),
      };
  }
}

function drawInstance(random: Random): Instance {
  return random.chance(0.5) ? 1 : 0;
}

function drawKeyedPurpose(random: Random): Exclude<Purpose, 'plain'> {
  return random.pick([0, 0, 0, 0, 1, 2] as const);
}

function drawPurpose(random: Random): Purpose {
  return random.pick([0, 0, 0, 0, 0, 1, 2, 'plain'] as const);
}

// Those that leave out what tells payments apart, and those that the mint may not take, come more rarely.
const chanceOf: Partial<Record<WalletChange, number>> = {
  compute_price: 0.4,
  guard_before: 0.4,
  guard_after: 0.4,
  blockhash: 0.4,
  fee_payer: 0.4,
  in_a_program: 0.25,
  batch: 0.2,
  with_fee: 0.03,
};

function drawChanges(random: Random): WalletChange[] {
  const wanted = walletChanges.filter((change) => random.chance(chanceOf[change] ?? 0.12));
  // The last ones are left out when they do not fit.
  return wanted.sort(() => (random.chance(0.5) ? 1 : -1));
}

function drawTime(random: Random): Step {
  const until = random.weighted<Moment>({ soon: 6, own_end: 4, own_end_final: 3, last_end_final: 6 });
  const by = until === 'soon' ? random.pick([1, 2, 5, 31, 32, 33, 70]) : random.pick([-1, 0, 0, 1, 1, 1, 2, 40, 300]);
  return { kind: 'pass', until, by, skipped: random.pick([0, 0, 1, 20, 200]) };
}

function drawTraffic(random: Random): Traffic[] {
  const count = random.pick([1, 1, 2, 3, 5, 60]);
  return Array.from({ length: count }, () => ({
    differs: random.pick(['memo', 'amount', 'references', 'incoming'] as const),
    fails: random.chance(0.1),
  }));
}
