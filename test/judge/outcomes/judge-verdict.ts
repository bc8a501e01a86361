import type { VerdictJson } from '../../../packages/server/src/wire/outcome/outcome-schema.ts';
import type { Landed } from './cluster.ts';
import { changeOf } from './execution.ts';
import type { RightOutcome } from './expected-outcome.ts';
import type { Question, Scrutiny } from './judge-outcomes.ts';
import { likenessOf } from './likeness.ts';
import { count, ownersOf, type Trial } from './trial.ts';

/** A verdict to judge. */
interface Judged {
  status: number;
  verdict: VerdictJson | undefined;
  right: readonly RightOutcome[];
  scrutiny: Scrutiny;
}

/** Judges a verdict: by what must never be said, and, looked at closely, by what would be right. */
export function judgeVerdict(trial: Trial, question: Question, { status, verdict, right, scrutiny }: Judged): void {
  const fault = (text: string): void => {
    const asked = `${question.form}${question.tellsHeight ? '' : ' without its height'}`;
    trial.disagreements.push(
      `${text}; asked ${asked}; right: ${describe(right)}; said: ${JSON.stringify(verdict ?? status)}`,
    );
  };
  if (status !== 200 || !verdict) {
    const mayFail = scrutiny === 'safety' || right.some(({ outcome }) => outcome === 'no_answer');
    if (!mayFail || ![502, 503, 504].includes(status)) fault(`the outcome is refused with ${status}`);
    return;
  }
  count(trial, `said ${verdict.outcome}${verdict.reason_code ? ` ${verdict.reason_code}` : ''}`);
  for (const each of unsafeIn(trial, question, verdict)) fault(each);
  if (verdict.outcome === 'expired') condemn(question, 'it was said to be expired');
  if (verdict.outcome === 'failed' && verdict.is_final) condemn(question, 'it was said to have failed for good');
  if (scrutiny === 'safety') return;
  if (!right.some((each) => fits(verdict, each))) fault(`the outcome is ${verdict.outcome}`);
}

// Signed bytes are all that dies with them; what nobody signed dies in every form that a wallet can give it.
function condemn({ built, form, reading }: Question, why: string): void {
  if (form === 'unsigned' || reading.message === built.signed?.reading.message) built.deadBecause ??= why;
}

// What holds whatever the nodes show.
function unsafeIn(trial: Trial, question: Question, verdict: VerdictJson): string[] {
  const faults: string[] = [];
  const own = trial.cluster.landed.filter((landed) => isOf(trial, question, landed));
  const paid = own.find(({ record }) => record.error === null);
  const isOver = verdict.outcome === 'expired' || (verdict.outcome === 'failed' && verdict.is_final);
  if (isOver && paid) faults.push(`it is over, and it has landed as ${paid.record.signature}`);
  if (verdict.outcome !== 'landed' && verdict.outcome !== 'failed') return faults;
  const named = trial.cluster.landed.find(({ record }) => record.signature === verdict.signature);
  if (!named) return [...faults, 'the signature is of nothing that landed'];
  const { record } = named;
  const likeness = likenessOf(question.reading, named);
  if (likeness === undefined || likeness === 'similar') faults.push('the signature is of another payment');
  if (question.reading.isSigned && likeness !== 'same_message') faults.push('what is signed has another message');
  if ((record.error === null) !== (verdict.outcome === 'landed')) faults.push('it ended otherwise');
  return [...faults, ...factsIn(named, question, verdict)];
}

function isOf(trial: Trial, { built, form, reading }: Question, landed: Landed): boolean {
  if (form !== 'unsigned') return landed.reading.message === reading.message;
  return ownersOf(trial, landed).some((owner) => owner.built === built);
}

function factsIn({ record, slot }: Landed, { reading }: Question, verdict: VerdictJson): string[] {
  const faults: string[] = [];
  const expect = (name: string, told: unknown, known: unknown): void => {
    if (told !== known) faults.push(`${name} is ${known}, and ${told} is told`);
  };
  expect('the slot', verdict.slot, `${slot}`);
  expect('the time', verdict.block_time, Number(record.blockTime));
  expect('the fee', verdict.network_fee, `${record.fee}`);
  if (verdict.outcome !== 'landed') return faults;
  const told = verdict.payments ?? [];
  const known = reading.transfers.map(({ destination, amount }) => `${destination} ${amount}`);
  expect('what it pays', told.map((each) => `${each.recipient_token_account} ${each.amount}`).join(), known.join());
  const recipients = reading.transfers.filter(({ source, destination }) => source !== destination);
  for (const account of new Set(recipients.map(({ destination }) => destination))) {
    const own = told.filter((each) => each.recipient_token_account === account);
    // Nodes that keep no balances do not show it.
    if (own.some((each) => each.received_amount === null)) continue;
    const received = own.reduce((sum, each) => sum + BigInt(each.received_amount ?? 0), 0n);
    expect(`what ${account} received`, received, changeOf(record, account));
  }
  return faults;
}

function fits(verdict: VerdictJson, right: RightOutcome): boolean {
  if (verdict.outcome !== right.outcome) return false;
  if (right.outcome !== 'landed' && right.outcome !== 'failed') return true;
  if (verdict.signature === undefined || verdict.is_final !== right.isFinal) return false;
  if (right.outcome === 'failed' || right.ambiguous.length === 0) {
    return verdict.signature === right.signature && (right.outcome === 'failed' || verdict.ambiguous === undefined);
  }
  // Of several in one slot, any may be named first.
  const told = Array.isArray(verdict.ambiguous) ? verdict.ambiguous.map(String) : [];
  return told.toSorted().join() === right.ambiguous.toSorted().join() && told.includes(verdict.signature);
}

function describe(right: readonly RightOutcome[]): string {
  return right.map((each) => JSON.stringify(each)).join(' or ');
}
