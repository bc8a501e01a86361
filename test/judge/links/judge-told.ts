import type { LinkView } from '../../../packages/server/src/links/link-view.ts';
import type { KnownLink, TruePayment } from './ledger-says.ts';
import type { ToldEvent } from './link-stage.ts';

/** What is told of a transaction. */
interface Told {
  counts: boolean;
  isFinal: boolean;
}

/** What the judge knows of a link: what was executed for it, and which of that a fork has dropped. */
interface Known {
  truth: readonly TruePayment[];
  past: readonly TruePayment[];
  isHonest: boolean;
}

/**
 * Judges the events of a link, in their sequence: each payment is told once as it begins to count and once as it is final, and dropped
 * when it was; the end is told once, when it ends unpaid. The last one tells what is known now.
 */
export function judgeTold(
  events: readonly ToldEvent[],
  { link, payments }: LinkView,
  { truth, past, isHonest }: Known,
  { isSingleUse, cancelledAt, expiresAt }: KnownLink,
  fault: (text: string) => void,
): void {
  let before: ReadonlyMap<string, Told> = new Map();
  // One check tells all that it found with the same data.
  for (const [text, some] of Map.groupBy(events, ({ data }) => JSON.stringify(data))) {
    const after = toldIn(JSON.parse(text).payments);
    const began = [...after].filter(([signature, told]) => told.counts && !before.get(signature)?.counts);
    const ended = [...before].filter(([signature, told]) => {
      const now = after.get(signature);
      return now === undefined || (told.counts && !now.counts);
    });
    const expected = {
      paid: began.length,
      final: [...after].filter(([signature, told]) => told.counts && told.isFinal && !isFinalIn(before, signature))
        .length,
      flawed_payment: [...after].filter(([signature, told]) => !told.counts && before.get(signature)?.counts !== false)
        .length,
      payment_dropped: ended.length,
    };
    for (const [type, count] of Object.entries(expected)) {
      const told = some.filter((event) => event.type === `payment_link.${type}`).length;
      if (told !== count) fault(`${type} is told ${told} times, not ${count}`);
    }
    const known = [...truth, ...past];
    for (const [signature] of began) {
      if (!known.some((each) => each.signature === signature && each.counts)) fault(`${signature} is told as paid`);
    }
    for (const [signature] of isHonest ? ended : []) {
      if (!past.some((each) => each.signature === signature)) fault(`${signature} is told as dropped`);
    }
    before = after;
  }
  const now = toldIn(
    payments.map(({ signature, flaw, commitment }) => ({ signature, flaw, counts: flaw === undefined, commitment })),
  );
  if (JSON.stringify([...before].sort()) !== JSON.stringify([...now].sort())) fault('what is known was not told');
  const isPaid = isSingleUse && payments.some(({ flaw }) => flaw === undefined);
  const isCancelled = cancelledAt !== undefined && cancelledAt < expiresAt;
  const ends = link.settledAt !== null && !isPaid && !isCancelled ? 1 : 0;
  const told = events.filter(({ type }) => type === 'payment_link.expired').length;
  if (told !== ends) fault(`its end is told ${told} times, not ${ends}`);
  if (new Set(events.map(({ sequence }) => sequence)).size !== events.length) fault('two events have one sequence');
}

function isFinalIn(told: ReadonlyMap<string, Told>, signature: string): boolean {
  const known = told.get(signature);
  return known?.counts === true && known.isFinal;
}

// What no node has shown whole is not told.
function toldIn(
  payments: readonly { signature: string; counts: boolean; flaw?: string | undefined; commitment: string }[],
): ReadonlyMap<string, Told> {
  return new Map(
    payments
      .filter(({ flaw }) => flaw !== 'not_shown')
      .map(({ signature, counts, commitment }) => [
        signature,
        { counts, isFinal: counts && commitment === 'finalized' },
      ]),
  );
}
