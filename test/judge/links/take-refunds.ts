import { Work } from '../../../packages/server/src/app/work.ts';
import { UpstreamFault } from '../../../packages/server/src/chain/upstream-faults.ts';
import { isAppError } from '../../../packages/server/src/problems.ts';
import { isTransferRefused } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { apiKeyWith } from '../../../packages/server/test/app/keyed-scene.ts';
import { otherTokens, sol } from '../other-mint.ts';
import { readPayments } from '../outcomes/payment-reading.ts';
import { signChanged } from '../outcomes/wallet.ts';
import { rightNow } from './judge-links.ts';
import type { KnownLink, TruePayment } from './ledger-says.ts';
import { balanceOf } from './link-stage.ts';
import { count, type HandedRefund, type LinkTrial, pass } from './link-trial.ts';
import type { LinkStep } from './link-world.ts';

const apiKey = apiKeyWith();
// Unsigned bytes land in this many blocks, a wallet's newer blockhash included.
const aliveBlocks = 300n;
// By then the last of them is final, and every node knows it.
const deadBlocks = 400n;

/**
 * Asks for refunds of the newest payment of a link, one under each key at the same time, and judges what is handed out.
 *
 * Returns what the recipient has signed.
 */
export async function takeRefunds(
  trial: LinkTrial,
  link: KnownLink,
  { keys, part, changes }: Extract<LinkStep, { kind: 'refund' }>,
): Promise<readonly Uint8Array[]> {
  const { stage, world, disagreements } = trial;
  pass(trial, 1_500, 1);
  const { truth } = rightNow(trial, link);
  const paid = truth.filter(({ arrived, isAlone }) => arrived > 0n && isAlone).at(-1);
  if (!paid) return [];
  const [held, surelyHeld] = heldOf(trial, paid);
  const left = paid.arrived - held;
  const amounts = { rest: undefined, half: paid.arrived / 2n, one: 1n, more: paid.arrived - surelyHeld + 1n };
  const amount = amounts[part];
  if (amount === 0n) return [];
  const signed: Uint8Array[] = [];
  const answers = await Promise.all(keys.map((key, index) => ask(trial, link, { key, index, payment: paid, amount })));
  for (const [index, answer] of answers.entries()) {
    count(trial, `refund: ${typeof answer === 'string' ? answer : 'handed out'}`);
    trial.log.push(
      `refund of ${amount ?? 'the rest'} of ${paid.signature}: ${typeof answer === 'string' ? answer : 'given'}`,
    );
    if (typeof answer === 'string') continue;
    judgeRefund(trial, link, { paid, amount, bytes: answer, key: keys[index] ?? 0 });
    const situation = { ...trial.situation, signers: [trial.recipient], sender: trial.recipient.address };
    const blockhash = stage.court.ledger.latestBlockhash();
    signed.push(signChanged(answer, changes, { situation, otherPayer: trial.otherPayer, blockhash }).bytes);
  }
  const destination = trial.accounts.find(({ mint }) => mint === paid.mint)?.address ?? trial.situation.mint;
  const wanted = amount ?? left;
  const isPossible = wanted > 0n && wanted <= left && balanceOf(stage.court.ledger, destination) >= wanted;
  const isMine = trial.refunds.some((each) => {
    const mayLand = heightOf(trial) - each.height <= deadBlocks;
    return each.link === link && keys.includes(each.key) && (mayLand || isLanded(trial, each));
  });
  const isPlain = world.isHonest && paid.isFinal && !trial.feesChanged && !isMine && isPossible && keys.length === 1;
  if (isPlain && typeof answers[0] === 'string')
    disagreements.push(`a refund of ${wanted} of ${left} is ${answers[0]}`);
  return signed;
}

/** How much of a payment is refunded or may still be, at most and at least. */
function heldOf(trial: LinkTrial, { signature }: TruePayment): readonly [bigint, bigint] {
  const own = trial.refunds.filter(({ payment }) => payment === signature);
  const sum = (some: readonly HandedRefund[]): bigint => some.reduce((total, { amount }) => total + amount, 0n);
  const ageOf = ({ height }: HandedRefund): bigint => heightOf(trial) - height;
  const hasLanded = (refund: HandedRefund): boolean => isLanded(trial, refund);
  return [
    sum(own.filter((each) => hasLanded(each) || ageOf(each) <= deadBlocks)),
    sum(own.filter((each) => hasLanded(each) || ageOf(each) <= aliveBlocks)),
  ];
}

function isLanded({ stage }: LinkTrial, { reference }: HandedRefund): boolean {
  return stage.cluster.landed.some(
    ({ record }) => record.error === null && record.addresses.some((each) => each === reference),
  );
}

function heightOf({ stage }: LinkTrial): bigint {
  return stage.cluster.heightOf(stage.cluster.tip);
}

async function ask(
  { stage }: LinkTrial,
  { id }: KnownLink,
  { key, index, payment, amount }: { key: number; index: number; payment: TruePayment; amount: bigint | undefined },
): Promise<Uint8Array | string> {
  const [service, refunds] =
    index % 2 === 0 ? [stage.services[0], stage.refunds[0]] : [stage.services[1], stage.refunds[1]];
  const work = new Work();
  try {
    const read = await service.read(id, Number.POSITIVE_INFINITY);
    if (!read) throw new Error('a link is not found');
    const view = await refunds.refresh(read, work);
    const built = await refunds.build(
      view,
      { amount, signature: payment.signature },
      { key: `refund ${key}`, apiKey, work },
    );
    return built.transactions[0]?.bytes ?? 'nothing';
  } catch (error) {
    if (isTransferRefused(error)) return 'transfer';
    if (error instanceof UpstreamFault) return 'upstream';
    if (isAppError(error)) return error.code;
    throw error;
  }
}

/** Notes a refund, and says where it is not the payment back, or more than is left of it. */
function judgeRefund(
  trial: LinkTrial,
  link: KnownLink,
  { paid, amount, bytes, key }: { paid: TruePayment; amount: bigint | undefined; bytes: Uint8Array; key: number },
): void {
  const { disagreements, world, situation } = trial;
  const { transfers, solTransfers } = readPayments(bytes);
  const [transfer, ...others] = paid.mint === sol ? solTransfers : transfers;
  const reference = transfer?.inOrder.at(0);
  if (!transfer || others.length > 0 || !reference) {
    disagreements.push('a refund is not one transfer with a reference');
    return;
  }
  const [, surelyHeld] = heldOf(trial, paid);
  const isToPayer = isAccountOfPayer(trial, paid, transfer.destination);
  const isRight =
    transfer.mint === paid.mint &&
    transfer.authority === situation.recipient &&
    (amount === undefined || transfer.amount === amount) &&
    isToPayer;
  if (!isRight) disagreements.push('a refund does not give back the payment');
  if (transfer.amount + surelyHeld > paid.arrived) {
    disagreements.push(`a refund of ${transfer.amount}, and ${surelyHeld} of ${paid.arrived} are held`);
  }
  if (world.isHonest && !paid.isFinal) disagreements.push('a refund of a payment that is not final');
  const isExpired = (each: HandedRefund): boolean =>
    each.payment === paid.signature && heightOf(trial) - each.height > deadBlocks && !isLanded(trial, each);
  if (trial.refunds.some(isExpired)) count(trial, 'refund after one that expired');
  const height = heightOf(trial);
  trial.refunds.push({ link, key, payment: paid.signature, amount: transfer.amount, reference, height });
}

// What was paid came from there, or from the wallet where SOL was wrapped.
function isAccountOfPayer({ stage, payers }: LinkTrial, paid: TruePayment, destination: string): boolean {
  const landed = stage.cluster.landed.find(({ record }) => record.signature === paid.signature);
  const { moves = [], lamportMoves = [] } = landed?.execution ?? {};
  if (paid.mint === sol) return lamportMoves.some(({ source }) => source === destination);
  const isWrapped = lamportMoves.length > 0 && !otherTokens.some(({ mint }) => mint === paid.mint);
  const own = [...payers.values()].map(({ tokenAccount }) => tokenAccount);
  return moves.some(({ source }) => source === destination) || (isWrapped && own.some((each) => each === destination));
}

/** Says where more was given back of a payment than arrived, by what landed. */
export function judgeRefunded(trial: LinkTrial): void {
  const { refunds, disagreements, links } = trial;
  for (const [signature, some] of Map.groupBy(refunds, ({ payment }) => payment)) {
    const landed = some.filter((refund) => isLanded(trial, refund));
    const given = landed.reduce((sum, { amount }) => sum + amount, 0n);
    const payments = links.flatMap((link) => rightNow(trial, link).truth);
    const arrived = Math.max(
      ...payments.filter((each) => each.signature === signature).map((each) => Number(each.arrived)),
    );
    if (given > 0n) trial.tally.set('refunded', 1);
    if (Number(given) > arrived) disagreements.push(`${given} were given back of ${arrived}: ${signature}`);
  }
}
