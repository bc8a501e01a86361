import type { LinkView } from '../../../packages/server/src/links/link-view.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';
import { judgeTold } from './judge-told.ts';
import { changeOf, type KnownLink, paymentsTo, rightStates, type TruePayment } from './ledger-says.ts';
import { balanceOf } from './link-stage.ts';
import { count, type LinkTrial, pass, setNodes } from './link-trial.ts';

const idleAgeMs = 10_000;
const settlingMs = 300_001;
const maxLooks = 4;
// What was handed out in the last moment lives for 150 blocks, a wallet's newer blockhash for 151 more, and some are added.
const blocksOfLife = 400;
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
      const events = await trial.stage.eventsOf(link.id);
      for (const { type } of events) trial.tally.set(`told ${type}`, 1);
      const known = { ...rightNow(trial, link), isHonest: trial.world.isHonest };
      judgeTold(events, view, known, link, (text) =>
        trial.disagreements.push(`link ${trial.links.indexOf(link)}: ${text}`),
      );
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
  // Those that leave nothing out say how much was paid, too.
  const isWhole = trial.world.nodes.nodes.every(({ leavesOut }) => leavesOut.length === 0);
  for (const { flaw, mint } of view.payments) {
    count(trial, `listed ${flaw ?? 'as paid'}`);
    if (flaw === undefined && mint !== link.mint) count(trial, 'paid in another token');
  }
  count(trial, `said ${view.state}${view.isFinal ? ' for good' : ''}`);
  judgePayments(view, { truth, past, tip: stage.cluster.tip, isWhole }, fault);

  const listed = new Set(view.payments.map(({ signature }) => signature));
  const missing = truth.filter(({ signature }) => !listed.has(signature));
  if (isNewlySettled) {
    count(trial, 'settled');
    const seen = truth.filter(({ signature }) => listed.has(signature));
    settled.set(link.id, seen);
    const paid = link.isSingleUse ? seen.filter(({ counts }) => counts) : [];
    const ends = [link.expiresAt, link.cancelledAt ?? Number.POSITIVE_INFINITY, ...paid.map((each) => each.landedAt)];
    const closedAt = Math.min(...ends);
    const isMissing = missing.some(({ landedAt }) => landedAt <= closedAt + handedOutLifeMs);
    if (isMissing || seen.some(({ isFinal }) => !isFinal)) fault('it is settled, and something is missing');
    if (stage.clock.now <= closedAt + 300_000) fault('it is settled too early');
    return;
  }
  const isPaidForGood = view.isFinal && view.state === 'paid';
  if (isPaidForGood && !truth.some(({ counts, isFinal }) => counts && isFinal)) fault('it is not paid for good');
  const mayBePaid = [...truth, ...past].some(({ counts }) => counts);
  if (view.state === 'paid' && !mayBePaid) fault('it is paid, and no transaction pays it');
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
  {
    truth,
    past,
    tip,
    isWhole,
  }: { truth: readonly TruePayment[]; past: readonly TruePayment[]; tip: bigint; isWhole: boolean },
  fault: (text: string) => void,
): void {
  for (const said of view.payments) {
    const known = [...truth, ...past].find(({ signature }) => signature === said.signature);
    if (!known) {
      fault(`${said.signature} does not name it`);
      continue;
    }
    const { counts, arrived } = known;
    if (said.slot !== known.slot) fault(`${said.signature} is in slot ${known.slot}`);
    if (said.flaw === undefined && !counts) fault(`${said.signature} counts, and ${arrived} arrived`);
    if (isWhole && said.flaw !== undefined && counts) fault(`${said.signature} does not count, and ${arrived} arrived`);
    if (said.flaw === undefined && !known.inTokens.some((each) => each.counts && each.mint === said.mint)) {
      fault(`${said.signature} does not count in ${said.mint}`);
    }
    if (isWhole) for (const each of wrongIn(said, known)) fault(`${said.signature} ${each}`);
    if (said.commitment === 'finalized' && known.slot > tip - slotsToFinalize) fault(`${said.signature} is not final`);
  }
  const slots = view.payments.map(({ slot }) => slot);
  if (slots.some((slot, index) => slot < (slots[index - 1] ?? 0n))) fault('its payments are not sorted');
}

// What is said of one payment by nodes that show all of it.
function wrongIn(said: LinkView['payments'][number], known: TruePayment): string[] {
  const { isAlone } = known;
  const { counts, arrived, payer, amount } = known.inTokens.find(({ mint }) => mint === said.mint) ?? known;
  const wrong: string[] = [];
  const isElsewhere = said.flaw === 'elsewhere' || said.flaw === 'other_mint';
  if (said.received > arrived && !isElsewhere) wrong.push(`received ${said.received} of ${arrived}`);
  if (isAlone && arrived > 0n && said.received !== arrived) wrong.push(`received ${arrived}, not ${said.received}`);
  if (counts && isAlone && payer !== undefined && said.payer !== payer) wrong.push(`was paid by ${payer}`);
  if (counts && isAlone && amount !== undefined && said.amount !== amount) wrong.push(`is of ${amount}`);
  if (isAlone && !counts && arrived > 0n && said.flaw !== 'too_little') wrong.push(`is too little, not ${said.flaw}`);
  return wrong;
}

/** Lets all links end at nodes that know everything, and judges what is left: nothing may be open, or different. */
export async function judgeEnd(trial: LinkTrial): Promise<void> {
  const { stage, links, disagreements } = trial;
  setNodes(trial, 'honest');
  const last = links.reduce((end, { expiresAt }) => Math.max(end, expiresAt), stage.clock.now);
  pass(trial, last - stage.clock.now + settlingMs, Number(slotsToFinalize) + blocksOfLife);
  for (let look = 0; look < maxLooks; look += 1) await judgeLinks(trial, 'exact');
  for (const link of links) {
    if (!trial.settled.has(link.id)) disagreements.push(`link ${links.indexOf(link)} is never settled`);
  }
  await judgeBalances(trial);
}

/** Nothing is counted twice: what links say was received by a transaction is at most what arrived in it. */
async function judgeBalances(trial: LinkTrial): Promise<void> {
  const { stage, links, disagreements, accounts } = trial;
  const received = new Map<string, bigint>();
  for (const link of links) {
    const view = await stage.services[0].read(link.id, Number.POSITIVE_INFINITY);
    for (const { signature, mint, received: own, flaw } of view?.payments ?? []) {
      if (flaw === 'elsewhere' || flaw === 'other_mint') continue;
      received.set(signature + mint, (received.get(signature + mint) ?? 0n) + own);
    }
  }
  for (const { mint, address, before } of accounts) {
    let sum = 0n;
    for (const landed of [...stage.cluster.landed, ...trial.dropped]) {
      const { record } = landed;
      const change = record.error === null ? changeOf(landed, address) : 0n;
      sum += change;
      const said = received.get(record.signature + mint) ?? 0n;
      if (said > (change > 0n ? change : 0n))
        disagreements.push(`${said} was received of ${change}: ${record.signature}`);
    }
    const change = balanceOf(stage.court.ledger, address) - before;
    if (sum !== change) disagreements.push(`the judge has not seen all: ${change} more, and ${sum} by transactions`);
  }
}
