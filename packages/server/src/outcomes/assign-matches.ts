import type { Work } from '../app/work.ts';
import { hasPaid, isCertain, type Match, type NodeAnswer, oldestFirst } from './node-answer.ts';
import type { OutcomeItem } from './verdict.ts';

/** Whether a message is known to belong to another payment. */
export type IsAnother = (message: Uint8Array) => Promise<boolean>;

/** The matches of one of several transactions that are asked for together. */
export interface Assignment {
  landed: { signature: string; ambiguous: readonly string[] | undefined } | undefined;
  /** The transactions that are others, by signature, although they pay the same. */
  others: ReadonlySet<string>;
}

/** A transaction that is asked for, and what nodes say of it. */
export interface AskedItem {
  item: OutcomeItem;
  answers: readonly (NodeAnswer | Error)[];
}

/**
 * Returns which landed transaction each item is.
 *
 * A certain match goes to its item, and to no other. The equal payments that are left are shared out: one for each item, to as
 * many items as possible. An item that also equals a payment that is left over is ambiguous.
 */
export async function assignMatches(
  asked: readonly AskedItem[],
  isAnother: IsAnother,
  work: Work,
): Promise<readonly Assignment[]> {
  const keyOf = rememberKeys();
  const keys = asked.map(({ item }) => keyOf(item.intent.message));
  const askedKeys = new Set(keys);
  const known = new Map<string, Promise<boolean>>();
  const isOther = ({ by, landed }: Match): boolean | Promise<boolean> => {
    const message = by === 'content' || by === 'similar' ? landed.content?.message : undefined;
    if (!message) return false;
    const key = keyOf(message);
    if (askedKeys.has(key)) return true;
    const answer = known.get(key) ?? isAnother(message);
    known.set(key, answer);
    return answer;
  };

  const items = await Promise.all(
    asked.map(async ({ answers }) => {
      const matches = answers.flatMap((answer) => ('stance' in answer ? answer.matches : []));
      const areOthers = await Promise.all(await work.step(() => matches.map(isOther)));
      const others = new Set(matches.filter((_, index) => areOthers[index]).map(({ signature }) => signature));
      const paid = oldestFirst(
        matches.filter(({ signature, landed }) => !others.has(signature) && hasPaid({ landed })),
      );
      const own = paid.find(isCertain)?.signature;
      const equal = paid.filter(({ by }) => by === 'content').map(({ signature }) => signature);
      return { others, own, options: own === undefined ? [...new Set(equal)] : [] };
    }),
  );
  const shares = shareAmongMessages(
    keys,
    items.map(({ options }) => options),
  );
  return items.map(({ others, own, options }, index) => {
    if (own !== undefined) return { others, landed: { signature: own, ambiguous: undefined } };
    const signature = shares.given.get(keys[index] ?? '');
    if (signature === undefined) return { others, landed: undefined };
    const isAmbiguous = options.some((option) => !shares.taken.has(option));
    return { others, landed: { signature, ambiguous: isAmbiguous ? options : undefined } };
  });
}

// Items with the same message are one transaction, asked for twice.
function shareAmongMessages(
  keys: readonly string[],
  optionsOf: readonly (readonly string[])[],
): { given: ReadonlyMap<string, string>; taken: ReadonlySet<string> } {
  const signatures = [...new Set(optionsOf.flat())];
  const claims = new Map<string, Claim>();
  keys.forEach((key, index) => {
    const options = (optionsOf[index] ?? []).map((signature) => signatures.indexOf(signature));
    const known = claims.get(key)?.options ?? [];
    claims.set(key, { options: [...new Set([...known, ...options])] });
  });
  const given = new Map<string, string>();
  const shares = shareOut([...claims.values()]);
  [...claims.keys()].forEach((key, index) => {
    const signature = signatures[shares[index] ?? -1];
    if (signature !== undefined) given.set(key, signature);
  });
  return { given, taken: new Set(given.values()) };
}

/** Returns a function that gives the text of a message, made once for each: many items can have the same match. */
function rememberKeys(): (message: Uint8Array) => string {
  const known = new Map<Uint8Array, string>();
  return (message) => {
    const key = known.get(message) ?? Buffer.from(message).toString('base64');
    known.set(message, key);
    return key;
  };
}

/** The landed transactions that a request may be. Each is assigned to one request at most. */
export interface Claim {
  /** The landed ones that it can be, as indices, the oldest first. */
  options: readonly number[];
}

/**
 * Gives each claim at most one of its options, no option to two claims, and as many claims as possible one.
 *
 * Earlier claims get older options where that is possible. Returns the option of each claim, undefined for none.
 */
export function shareOut(claims: readonly Claim[]): readonly (number | undefined)[] {
  const ownerOf = new Map<number, number>();
  // Kuhn's algorithm: a claim takes the first free option, or else one whose owner finds another one.
  const tryToOwn = (claim: number, tried: Set<number>): boolean => {
    const options = claims[claim]?.options ?? [];
    const free = options.find((option) => !ownerOf.has(option));
    const taken = free ?? options.find((option) => !tried.has(option) && canBeLeft(option, tried));
    if (taken === undefined) return false;
    ownerOf.set(taken, claim);
    return true;
  };
  const canBeLeft = (option: number, tried: Set<number>): boolean => {
    const owner = ownerOf.get(option);
    return owner !== undefined && tryToOwn(owner, tried.add(option));
  };
  for (const claim of claims.keys()) tryToOwn(claim, new Set());
  const given: (number | undefined)[] = claims.map(() => undefined);
  for (const [option, owner] of ownerOf) given[owner] = option;
  return given;
}
