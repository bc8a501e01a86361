import { type Explanation, explain } from './explanation.ts';

const payments = 'packages/server/src/links';
const makeLink = `${payments}/make-link.ts`;
const watch = `${payments}/check/link-watch.ts`;

const isTimeOfDate = 'A date is compared and subtracted as the time that it says.';

/** The mutants of payment links that no test can or need notice. */
export const explainedInPayments: readonly Explanation[] = [
  ...explain(
    `${payments}/link-view.ts`,
    "return settledAt !== null || now >= expiresAt.getTime() ? 'expired' : 'open';",
    'drop call',
    isTimeOfDate,
  ),
  ...explain(
    watch,
    'const age = link.checkedAt ? this.#options.now() - link.checkedAt.getTime() : Number.POSITIVE_INFINITY;',
    'drop call',
    isTimeOfDate,
    'link.checkedAt.getTime()',
  ),
  ...explain(
    watch,
    'const maxWatchedLinks = 10_000;',
    'change constant',
    'It bounds a cache: a link that is forgotten is checked once more.',
  ),
  ...explain(
    watch,
    'while (watched.checkedAt < askedAt && !this.#isFresh(current, watched, maxAgeMs)) {',
    'shift boundary',
    'A check that began at this very moment is fresh for everyone.',
  ),
  ...explain(
    makeLink,
    '{ readAccounts, readRecentPrices: (...asked) => reader.readRecentPrices(...asked) },',
    'drop call',
    'A payment whose payer is not known has no priority fee, and no prices are read for it.',
  ),
  ...explain(
    makeLink,
    'return { ...decision, slot: slot ?? 0n };',
    'change constant',
    'The slot is that of the first read, and the mint is always read.',
  ),
];
