import { getBase58Decoder } from '@solana/kit';
import { outcomePath } from '../../../packages/server/src/outcomes/outcome-routes.ts';
import type { VerdictJson } from '../../../packages/server/src/outcomes/outcome-schema.ts';
import type { Landed } from './cluster.ts';
import { changeOf } from './execution.ts';
import { type RightOutcome, rightOutcomes } from './expected-outcome.ts';
import { post } from './inject.ts';
import { likenessOf } from './likeness.ts';
import type { NodeAsked } from './node-says.ts';
import type { NodeMethod } from './node-world.ts';
import { type PaymentReading, readPayments } from './payment-reading.ts';
import { allBuilds, type Built, count, ownersOf, type Trial } from './trial.ts';
import { signAsBuilt } from './wallet.ts';

/** In which form an outcome is asked for. */
type Form = 'unsigned' | 'signed_as_built' | 'signed';

/** One transaction that is asked for. */
interface Question {
  built: Built;
  form: Form;
  bytes: Uint8Array;
  reading: PaymentReading;
  tellsHeight: boolean;
}

/** How closely an answer is looked at: for every word, or only for what must never be said. */
type Scrutiny = 'exact' | 'safety';

// Of more transactions than these, not all are looked at.
const maxLooked = 45;

const searching: readonly NodeMethod[] = ['readTransaction', 'readBlockHeight', 'readSignatures', 'isBlockhashAlive'];

/** How closely the answers of a trial can be looked at. */
export function scrutinyOf({ world, cluster }: Trial): Scrutiny {
  // What is looked at first, and so what fails first, is up to the service.
  const isOdd = world.nodes.nodes.some(({ busy, fails }) => busy > 0 || fails.some((each) => searching.includes(each)));
  return world.isStormy || isOdd || cluster.landed.length > maxLooked ? 'safety' : 'exact';
}

/** Asks for the outcomes of what was handed out, and judges the answers. */
export async function judgeOutcomes(trial: Trial): Promise<void> {
  const { random } = trial;
  const scrutiny = scrutinyOf(trial);
  const builds = allBuilds(trial).map(({ built }) => built);
  const main = trial.errands.get(0)?.builds.at(-1);
  if (main) await judgeOne(trial, questionOf(trial, main, 'unsigned', true), scrutiny);
  if (builds.length === 0) return;
  const built = random.pick(builds);
  const form = random.pick(['unsigned', 'unsigned', 'signed_as_built', 'signed'] as const);
  await judgeOne(trial, questionOf(trial, built, form, random.chance(0.85)), scrutiny);
  if (random.chance(0.25)) await judgeList(trial, builds, scrutiny);
}

/** Asks for the outcome of one transaction, and judges the answer. */
export async function judgeOne(trial: Trial, question: Question, scrutiny: Scrutiny): Promise<void> {
  const right = rightFor(trial, question, []);
  const { status, data } = await ask(trial, { ...writtenOf(trial, question) });
  const [verdict] = [data].flat();
  // Without the height only the newest ones are looked at.
  const isLimited = !question.tellsHeight && trial.world.nodes.nodes.some(({ busy }) => busy > maxLooked);
  judgeVerdict(trial, question, { status, verdict, right, scrutiny: isLimited ? 'safety' : scrutiny });
}

async function judgeList(trial: Trial, builds: readonly Built[], scrutiny: Scrutiny): Promise<void> {
  const { random } = trial;
  const questions = builds.slice(-5).map((built) => {
    return questionOf(trial, built, random.pick(['unsigned', 'unsigned', 'signed_as_built'] as const), true);
  });
  const { status, data } = await ask(trial, { transactions: questions.map((each) => writtenOf(trial, each)) });
  const verdicts = [data].flat();
  const rights = questions.map((question) => {
    return rightFor(
      trial,
      question,
      questions.map(({ reading }) => reading.message),
    );
  });
  // Where no node says anything of one of them, there is no answer to any.
  const unanswered = rights.flat().filter(({ outcome }) => outcome === 'no_answer');
  for (const [index, question] of questions.entries()) {
    const others = questions.filter((_, other) => other !== index);
    const hasEqual = others.some(({ built }) => paysLike(built.reading, question.reading));
    judgeVerdict(trial, question, {
      status,
      verdict: verdicts[index],
      right: [...(rights[index] ?? []), ...unanswered],
      // Equal ones share out what landed among themselves.
      scrutiny: hasEqual ? 'safety' : scrutiny,
    });
  }
  const signatures = verdicts.flatMap((each) =>
    each?.outcome === 'landed' && !each.ambiguous ? [each.signature] : [],
  );
  const messages = new Set(questions.map(({ reading }) => reading.message));
  if (messages.size === questions.length && new Set(signatures).size < signatures.length) {
    trial.disagreements.push(`one transaction is said to be several of one call: ${signatures.join(', ')}`);
  }
}

function paysLike(one: PaymentReading, other: PaymentReading): boolean {
  const textOf = ({ transfers, memos }: PaymentReading): string =>
    JSON.stringify([transfers, memos], (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
  return textOf(one) === textOf(other);
}

/** Makes the question for something that was handed out. */
export function questionOf(trial: Trial, built: Built, wanted: Form, tellsHeight: boolean): Question {
  // What a wallet gave another form is not what can be asked for.
  const hasOwn = built.signed !== undefined && built.signed.reading.transfers.length > 0;
  const form = wanted === 'signed' && !hasOwn ? 'signed_as_built' : wanted;
  const { bytes, reading } = formsOf(trial, built)[form]();
  return { built, form, bytes, reading, tellsHeight };
}

// Reading bytes takes longer than anything else here: nothing is read twice.
function formsOf(trial: Trial, built: Built): Record<Form, () => Pick<Question, 'bytes' | 'reading'>> {
  const asBuilt = () => {
    built.signedAsBuilt ??= readForm(signAsBuilt(built.bytes, trial));
    return built.signedAsBuilt;
  };
  return { unsigned: () => built, signed_as_built: asBuilt, signed: () => built.signed ?? asBuilt() };
}

function readForm(bytes: Uint8Array): Pick<Question, 'bytes' | 'reading'> {
  return { bytes, reading: readPayments(bytes) };
}

function rightFor(trial: Trial, question: Question, others: readonly string[]): readonly RightOutcome[] {
  const { cluster, nodes, world } = trial;
  return rightOutcomes({ cluster, nodes, world: world.nodes }, askedOf(trial, question, others));
}

/** What is asked of the nodes for a question. */
function askedOf(trial: Trial, { built, reading, tellsHeight }: Question, others: readonly string[]): NodeAsked {
  return {
    reading,
    lastValidBlockHeight: tellsHeight ? built.lastValidBlockHeight : undefined,
    nonceAccount: trial.nonceAccount,
    others: new Set(others.filter((message) => message !== reading.message)),
  };
}

function writtenOf({ random }: Trial, { bytes, built, tellsHeight }: Question): Record<string, unknown> {
  const encoding = random.weighted({ base64: 12, array: 4, base58: 1 });
  const transaction = {
    array: () => [...bytes],
    base64: () => Buffer.from(bytes).toString('base64'),
    base58: () => getBase58Decoder().decode(bytes),
  }[encoding]();
  const height = tellsHeight ? built.lastValidBlockHeight : undefined;
  return { transaction, ...(height !== undefined && { last_valid_block_height: `${height}` }) };
}

interface OutcomeReply {
  status: number;
  data: VerdictJson | readonly VerdictJson[] | undefined;
}

async function ask(trial: Trial, body: object): Promise<OutcomeReply> {
  const { services, errands, random } = trial;
  const service = random.pick(services.services);
  const apiKey = errands.get(0)?.apiKey.text ?? '';
  const response = await post(service, {
    url: outcomePath,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  const parsed: { data?: OutcomeReply['data'] } = response.json();
  count(trial, `outcome ${response.statusCode}`);
  return { status: response.statusCode, data: parsed.data };
}

/** A verdict to judge. */
interface Judged {
  status: number;
  verdict: VerdictJson | undefined;
  right: readonly RightOutcome[];
  scrutiny: Scrutiny;
}

/** Judges a verdict: by what must never be said, and, looked at closely, by what would be right. */
function judgeVerdict(trial: Trial, question: Question, { status, verdict, right, scrutiny }: Judged): void {
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
