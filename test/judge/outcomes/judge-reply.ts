import { type RightReply, rightReplies } from './expected-reply.ts';
import { scrutinyOf } from './judge-outcomes.ts';
import type { Answer } from './send-request.ts';
import { nonceRetentionMs, retentionMs } from './services.ts';
import { allBuilds, type Built, count, type Errand, ownersOf, type Trial } from './trial.ts';

/** Judges an answer to a request of an errand, and remembers what it changes. */
export function judgeReply(trial: Trial, errand: Errand, answer: Answer, right: readonly RightReply[]): void {
  const fault = (text: string): void => {
    const wanted = right.map((each) => describeRight(each)).join(' or ');
    trial.disagreements.push(`${text}; request of ${errand.purpose}; right: ${wanted}; answered: ${describe(answer)}`);
  };
  count(
    trial,
    `answered ${errand.idempotencyKey === undefined ? 'without key ' : ''}${answer.isReplay ? 'replay' : (answer.code ?? 'new')}`,
  );
  const isSafetyOnly = scrutinyOf(trial) === 'safety';
  const isRight = right.some((each) => fits(answer, each));
  const isSafe = isSafetyOnly && (isCareful(answer) || isHarmless(trial, errand, answer));
  if (!isRight && !isSafe && !knowsMore(trial, errand, answer)) fault(`the reply is ${describe(answer)}`);
  if (answer.status === 409) {
    const seconds = Number(answer.retryAfter);
    const needsWait = answer.code !== 'already_landed';
    if (needsWait && !(seconds >= 1 && seconds <= 60)) fault(`Retry-After is ${answer.retryAfter}`);
  }
  if (answer.code === 'identical_transaction') {
    for (const before of errand.sinceForgotten) before.deadBecause ??= 'it was given up for another';
    errand.record = { kind: 'none' };
  }
  if (!answer.built) return;
  if (answer.isReplay) noteReplay(errand, answer.built, fault);
  else noteNew(trial, errand, answer.built, fault);
}

/** Remembers that something new was handed out, or stored, in place of all that was before. */
export function noteNew(trial: Trial, errand: Errand, built: Built, fault: (text: string) => void): void {
  const { landed } = trial.cluster;
  for (const before of errand.sinceForgotten) {
    if (errand.idempotencyKey === undefined) break;
    before.deadBecause ??= 'another was built in its place';
    const paid = landed.find((each) => {
      const isPaid = each.record.error === null;
      return isPaid && ownersOf(trial, each).some((owner) => owner.built === before);
    });
    if (paid) fault(`it was built again, and it has landed as ${paid.record.signature}`);
  }
  errand.builds.push(built);
  errand.sinceForgotten.push(built);
  errand.askedAt.add(built.reading.lifetimeToken);
  if (errand.idempotencyKey === undefined) return;
  for (const other of allBuilds(trial)) {
    // What is forgotten cannot be compared with: with a durable nonce its bytes are built again.
    const isRemembered = other.errand.sinceForgotten.includes(other.built);
    const isKeyed = other.errand !== errand && other.errand.idempotencyKey !== undefined && isRemembered;
    if (isKeyed && other.built.reading.message === built.reading.message)
      fault('two requests got the same transaction');
  }
  errand.record = { kind: 'built', built, until: trial.services.clock.now + keptMs(built) };
}

/** How long a reply is kept under its key. */
export function keptMs({ lastValidBlockHeight }: Pick<Built, 'lastValidBlockHeight'>): number {
  return lastValidBlockHeight === undefined ? nonceRetentionMs : retentionMs;
}

function noteReplay(errand: Errand, built: Built, fault: (text: string) => void): void {
  const { record } = errand;
  if (record.kind !== 'built') return;
  const stored = record.built;
  if (stored.text !== built.text) fault('the replay is another reply than the stored one');
  if (stored.lastValidBlockHeight !== built.lastValidBlockHeight)
    fault('the replay has another last valid block height');
  if (errand.builds.includes(stored)) return;
  // Stored by a service that died before anybody saw it.
  errand.builds.push(stored);
  errand.sinceForgotten.push(stored);
}

// In a storm nothing must be handed out that is not right; to refuse is always safe.
function isCareful({ status, code }: Answer): boolean {
  return (
    [502, 503, 504].includes(status) ||
    code === 'previous_may_land' ||
    code === 'idempotency_in_progress' ||
    code === 'identical_transaction'
  );
}

// Where the preferred node fails, the others are asked at once: one may show what another does not know yet.
function knowsMore(trial: Trial, errand: Errand, answer: Answer): boolean {
  if (answer.code !== 'previous_may_land') return false;
  return trial.cluster.landed.some((each) => ownersOf(trial, each).some((owner) => owner.errand === errand));
}

// Which node answers is a matter of chance in a storm: one may show what another does not know yet. The same bytes again are
// still one payment, and what it says has landed must have.
function isHarmless(trial: Trial, errand: Errand, answer: Answer): boolean {
  const { record } = errand;
  if (answer.isReplay) return record.kind === 'built' && answer.text === record.built.text;
  if (answer.code !== 'already_landed') return false;
  return trial.cluster.landed.some(
    (each) =>
      each.record.signature === answer.landedSignature &&
      each.record.error === null &&
      ownersOf(trial, each).some((owner) => owner.errand === errand),
  );
}

function fits(answer: Answer, right: RightReply): boolean {
  switch (right.kind) {
    case 'new':
      return answer.status === 200 && !answer.isReplay;
    case 'replay':
      return answer.status === 200 && answer.isReplay && answer.text === right.built.text;
    case 'refused': {
      if (right.code === 'upstream') return [502, 503, 504].includes(answer.status);
      const isNamed = right.signature === undefined || right.signature === answer.landedSignature;
      return answer.code === right.code && isNamed;
    }
  }
}

function describeRight(right: RightReply): string {
  return right.kind === 'refused' ? [right.code, right.signature].filter(Boolean).join(' ') : right.kind;
}

function describe({ status, code, isReplay, landedSignature, text }: Answer): string {
  const refusal = [status, code, landedSignature].filter(Boolean).join(' ');
  return status === 200 ? (isReplay ? 'a replay' : 'a new transaction') : `${refusal} ${text.slice(0, 300)}`;
}

/** The replies that would be right, now. */
export { rightReplies };
