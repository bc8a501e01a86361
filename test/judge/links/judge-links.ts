import type { LinkView } from '../../../packages/server/src/payments/link-view.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';
import { changeOf, type KnownLink, paymentsTo, rightStates, type TruePayment } from './ledger-says.ts';
import { balanceOf } from './link-payers.ts';
import { count, type LinkTrial, pass, setNodes } from './link-trial.ts';

const idleAgeMs = 10_000;
const settlingMs = 300_001;
const maxLooks = 4;
// What was handed out before a link was closed cannot land later. A node that is a little behind may miss what others send then.
const handedOutLifeMs = 120_000;

/** What the ledger says of a link now. */
export function rightNow(trial: LinkTrial, link: KnownLink) {
  const { stage, links, dropped } = trial;
  const { cluster, clock } = stage;
  const truth = trial.settled.get(link.id) ?? paymentsTo(link, links, cluster.landed, cluster);
  const past = paymentsTo(link, links, dropped, cluster);
  // It is certain only when its slot is final.
  const limbo = past.filter(({ isFinal }) => !isFinal);
  return { truth, past, limbo, states: rightStates(link, truth, limbo, clock.now) };
}

/** Looks at every link at both services, and judges what they say. */
export async function judgeLinks(trial: LinkTrial, scrutiny: 'exact' | 'safety'): Promise<void> {
  pass(trial, idleAgeMs, 1);
  for (const link of trial.links) {
    const order = trial.random.chance(0.5) ? ([0, 1] as const) : ([1, 0] as const);
    for (const index of order) {
      const view = await trial.stage.services[index].read(link.id, Number.POSITIVE_INFINITY);
      if (!view) throw new Error('a link is not found');
      judgeView(trial, link, view, scrutiny);
    }
  }
}

function judgeView(trial: LinkTrial, link: KnownLink, view: LinkView, scrutiny: 'exact' | 'safety'): void {
  const { settled, disagreements, links, stage } = trial;
  const fault = (text: string): void => {
    const said = view.payments.map(({ signature, amount, flaw, commitment }) => {
      return `${signature} ${amount} ${flaw ?? 'counts'} ${commitment}`;
    });
    disagreements.push(`link ${links.indexOf(link)}: ${text}; said: ${view.state} ${view.isFinal} ${said.join(', ')}`);
  };
  const isNewlySettled = view.link.settledAt !== null && !settled.has(link.id);
  const { truth, past, limbo, states } = rightNow(trial, link);
  count(trial, `said ${view.state}${view.isFinal ? ' for good' : ''}`);
  judgePayments(view, { truth, past, tip: stage.cluster.tip }, fault);

  const listed = new Set(view.payments.map(({ signature }) => signature));
  const missing = truth.filter(({ signature }) => !listed.has(signature));
  if (isNewlySettled) {
    count(trial, 'settled');
    const seen = truth.filter(({ signature }) => listed.has(signature));
    settled.set(link.id, seen);
    const paid = link.isSingleUse ? seen.filter(({ flaw }) => flaw === undefined) : [];
    const ends = [link.expiresAt, link.cancelledAt ?? Number.POSITIVE_INFINITY, ...paid.map((each) => each.landedAt)];
    const closedAt = Math.min(...ends);
    const isMissing = missing.some(({ landedAt }) => landedAt <= closedAt + handedOutLifeMs);
    if (isMissing || seen.some(({ isFinal }) => !isFinal)) fault('it is settled, and something is missing');
    if (stage.clock.now <= closedAt + 300_000) fault('it is settled too early');
    return;
  }
  const isPaidForGood = view.isFinal && view.state === 'paid';
  if (isPaidForGood && !truth.some(({ flaw, isFinal }) => flaw === undefined && isFinal))
    fault('it is not paid for good');
  if (view.isFinal && view.state !== 'paid' && view.link.settledAt === null) fault('it is final without being settled');
  if (view.isFinal && !states.includes(view.state)) fault(`its last state is not ${states.join(' or ')}`);
  if (scrutiny === 'safety') return;
  if (!states.includes(view.state)) fault(`it is not ${states.join(' or ')}`);
  if (missing.length > 0) fault(`${missing[0]?.signature} is missing`);
  const extra = past.find(
    ({ signature }) => listed.has(signature) && !limbo.some((each) => each.signature === signature),
  );
  if (extra) fault(`${extra.signature} was dropped`);
  for (const { signature, isFinal } of truth) {
    const said = view.payments.find((each) => each.signature === signature);
    if (said && (said.commitment === 'finalized') !== isFinal) fault(`${signature} is ${isFinal ? '' : 'not '}final`);
  }
}

// What holds whatever nodes show.
function judgePayments(
  view: LinkView,
  { truth, past, tip }: { truth: readonly TruePayment[]; past: readonly TruePayment[]; tip: bigint },
  fault: (text: string) => void,
): void {
  for (const said of view.payments) {
    const known = [...truth, ...past].find(({ signature }) => signature === said.signature);
    if (!known) {
      fault(`${said.signature} is no payment to it`);
      continue;
    }
    const isAlike =
      said.payer === known.payer &&
      said.amount === known.amount &&
      said.flaw === known.flaw &&
      said.slot === known.slot &&
      (known.received === undefined ? said.received <= said.amount : said.received === known.received);
    if (!isAlike) fault(`${said.signature} is ${[known.payer, known.amount, known.received, known.flaw].join(' ')}`);
    if (said.commitment === 'finalized' && known.slot > tip - slotsToFinalize) fault(`${said.signature} is not final`);
  }
  const slots = view.payments.map(({ slot }) => slot);
  if (slots.some((slot, index) => slot < (slots[index - 1] ?? 0n))) fault('its payments are not sorted');
}

/** Lets all links end at nodes that know everything, and judges what is left: nothing may be open, or different. */
export async function judgeEnd(trial: LinkTrial): Promise<void> {
  const { stage, links, disagreements } = trial;
  setNodes(trial, 'honest');
  const last = links.reduce((end, { expiresAt }) => Math.max(end, expiresAt), stage.clock.now);
  pass(trial, last - stage.clock.now + settlingMs, Number(slotsToFinalize) + 1);
  for (let look = 0; look < maxLooks; look += 1) await judgeLinks(trial, 'exact');
  for (const link of links) {
    if (!trial.settled.has(link.id)) disagreements.push(`link ${links.indexOf(link)} is never settled`);
  }
  await judgeBalances(trial);
}

/** What the recipient has more is what the links say was received, and what was paid without them. */
async function judgeBalances(trial: LinkTrial): Promise<void> {
  const { stage, links, situation, dropped, balanceBefore, disagreements } = trial;
  const account = situation.recipientTokenAccount;
  const said = new Map<string, bigint>();
  for (const link of links) {
    const view = await stage.services[0].read(link.id, Number.POSITIVE_INFINITY);
    for (const { signature, received, flaw } of view?.payments ?? []) {
      if (flaw !== 'elsewhere' && flaw !== 'other_mint') said.set(signature, received);
    }
  }
  let sum = [...said.values()].reduce((total, received) => total + received, 0n);
  for (const { record } of [...stage.cluster.landed, ...dropped]) {
    if (!said.has(record.signature) && record.error === null) sum += changeOf(record, account);
  }
  const change = balanceOf(stage.court.ledger, account) - balanceBefore;
  if (sum !== change) disagreements.push(`the recipient has ${change} more, and ${sum} was received`);
}
