import type { TransferPlan } from '../../../packages/core/src/plan/transfer-plan.ts';

const maxPermuted = 4;

/**
 * The orders in which transactions are tried: all of a few. Of more, those in which a sender has least before each of them, which is then the
 * last, and those in which the fee payer has: before it come all others that take more than they bring, or all but one.
 */
export function* ordersOf(plans: readonly TransferPlan[]): Generator<readonly TransferPlan[]> {
  if (plans.length <= maxPermuted) {
    yield* permutations(plans);
    return;
  }
  const takers = plans.filter((plan) => takenBy(plan) > 0n);
  for (const last of plans) {
    yield [...plans.filter((plan) => plan !== last), last];
    const others = takers.filter((plan) => plan !== last);
    for (const spared of [undefined, ...others]) {
      const before = others.filter((plan) => plan !== spared);
      yield [...new Set([...before, last, ...others, ...plans])];
    }
  }
}

/** The most that transactions have taken of their fee payer at a moment, in any order that is tried: they may pay it, too. */
export function mostTakenBy(plans: readonly TransferPlan[]): bigint {
  let most = 0n;
  for (const order of ordersOf(plans)) {
    const created = new Set<string>();
    let taken = 0n;
    for (const plan of order) {
      const before = taken + plan.networkFee + plan.priorityFee;
      taken += takenBy(plan, created);
      for (const each of [before, taken]) if (each > most) most = each;
    }
  }
  return most;
}

function takenBy(
  { mint, feePayer, networkFee, priorityFee, payments }: TransferPlan,
  created = new Set<string>(),
): bigint {
  return payments.reduce((taken, { recipient, recipientTokenAccount, amount, rent }) => {
    const due = created.has(recipientTokenAccount) ? 0n : rent;
    created.add(recipientTokenAccount);
    return taken + due - (mint === 'SOL' && recipient === feePayer ? amount : 0n);
  }, networkFee + priorityFee);
}

function* permutations<Each>(all: readonly Each[]): Generator<readonly Each[]> {
  if (all.length === 0) yield [];
  for (const [index, first] of all.entries()) {
    for (const rest of permutations(all.toSpliced(index, 1))) yield [first, ...rest];
  }
}
