import { getBase58Decoder } from '@solana/kit';
import type { VerdictJson } from '../../../packages/server/src/wire/outcome/outcome-schema.ts';
import { routes } from '../../../packages/server/src/wire/routes/route-table.ts';
import { type RightOutcome, rightOutcomes } from './expected-outcome.ts';
import { post } from './inject.ts';
import { judgeVerdict } from './judge-verdict.ts';
import type { NodeAsked } from './node-says.ts';
import type { NodeMethod } from './node-world.ts';
import { type PaymentReading, readPayments } from './payment-reading.ts';
import { allBuilds, type Built, count, type Trial } from './trial.ts';
import { signAsBuilt } from './wallet.ts';

/** In which form an outcome is asked for. */
type Form = 'unsigned' | 'signed_as_built' | 'signed';

/** One transaction that is asked for. */
export interface Question {
  built: Built;
  form: Form;
  bytes: Uint8Array;
  reading: PaymentReading;
  tellsHeight: boolean;
}

/** How closely an answer is looked at: for every word, or only for what must never be said. */
export type Scrutiny = 'exact' | 'safety';

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
export function askedOf(trial: Trial, { built, reading, tellsHeight }: Question, others: readonly string[]): NodeAsked {
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
    url: routes.findOutcome.path,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  const parsed: { data?: OutcomeReply['data'] } = response.json();
  count(trial, `outcome ${response.statusCode}`);
  return { status: response.statusCode, data: parsed.data };
}
