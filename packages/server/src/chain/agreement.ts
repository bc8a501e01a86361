import { type Account, type Address, clockSysvar, decodeClock } from 'splwright-core';
import type { SlicedAccounts } from './account-batcher.ts';
import { isPossibleGrowth, type ReceivedBlockhash } from './blockhash-source.ts';
import type { BlockhashAtSlot, Simulation } from './chain-reader.ts';

/** One answer of an upstream, which may have answered several times. */
export interface Answer<T> {
  /** The name of the upstream. */
  upstream: string;
  value: T;
}

interface SimulationAtSlot {
  slot: bigint;
  simulation: Simulation;
}

/** Decides what enough upstreams agree on, from their answers, the oldest first. */
export interface Agreement<T> {
  /** Returns the answer that at least `quorum` upstreams gave, otherwise undefined. */
  agree(answers: readonly Answer<T>[], quorum: number): T | undefined;
  /** Returns the best answer with what is disputed in it marked, for a caller that reads the rest again. */
  mark?(answers: readonly Answer<T>[], quorum: number): T;
}

function upstreamsWith<T>(answers: readonly Answer<T>[], isEqual: (value: T) => boolean): number {
  return new Set(answers.filter(({ value }) => isEqual(value)).map(({ upstream }) => upstream)).size;
}

function agreementOn<T>(textOf: (value: T) => string): Agreement<T> {
  return {
    agree: (answers, quorum) =>
      answers.find(({ value }) => upstreamsWith(answers, (other) => textOf(other) === textOf(value)) >= quorum)?.value,
  };
}

/** The agreement on which ledger it is. */
export const agreementOnGenesis = agreementOn<string>((hash) => hash);

/**
 * The agreement on accounts: owner, lamports, data and whether it is a program, and of the clock no more than the epoch.
 *
 * An answer is used as a whole, so that all of it is from one slot. Nodes are at different slots, so each of its accounts may
 * have been confirmed by this or an earlier answer of the other upstreams.
 */
export function agreementOnAccounts(addresses: readonly Address[], marksDisputed: boolean): Agreement<SlicedAccounts> {
  const disputedIn = (answers: readonly Answer<SlicedAccounts>[], quorum: number, { accounts }: SlicedAccounts) =>
    accounts
      .map((account, index) => {
        const isSame = (other: SlicedAccounts): boolean =>
          isSameFact(addresses[index], account, other.accounts[index] ?? null);
        return upstreamsWith(answers, isSame) >= quorum ? -1 : index;
      })
      .filter((index) => index !== -1);
  return {
    agree: (answers, quorum) => answers.findLast(({ value }) => disputedIn(answers, quorum, value).length === 0)?.value,
    ...(marksDisputed && {
      mark: (answers, quorum) => {
        const candidates = answers.map(({ value }) => ({ value, disputed: disputedIn(answers, quorum, value) }));
        const best = candidates.reduce((a, b) => (b.disputed.length <= a.disputed.length ? b : a));
        return { ...best.value, cut: new Set([...best.value.cut, ...best.disputed]) };
      },
    }),
  };
}

function isSameFact(address: Address | undefined, one: Account | null, other: Account | null): boolean {
  if (!one || !other) return one === other;
  if (address === clockSysvar) return decodeClock(one.data).epoch === decodeClock(other.data).epoch;
  return (
    one.owner === other.owner &&
    one.lamports === other.lamports &&
    one.executable === other.executable &&
    one.space === other.space &&
    Buffer.compare(one.data, other.data) === 0
  );
}

/**
 * The agreement on how many blocks there are: the oldest blockhash whose height fits those of enough upstreams.
 *
 * Nodes at different slots have different blockhashes; whether the others know this one is asked separately. `onPick` gets the
 * name of its upstream; answers of `distrusted` upstreams do not count.
 */
export function agreementOnHeights(
  distrusted: ReadonlySet<string>,
  onPick: (upstream: string) => void,
): Agreement<ReceivedBlockhash> {
  return {
    agree: (answers, quorum) => {
      const trusted = answers.filter(({ upstream }) => !distrusted.has(upstream));
      const oldestFirst = trusted.sort((a, b) => Number(a.value.slot - b.value.slot));
      const picked = oldestFirst.find(({ value }) => {
        const fits = ({ slot, lastValidBlockHeight }: ReceivedBlockhash): boolean =>
          slot >= value.slot && isPossibleGrowth(slot - value.slot, lastValidBlockHeight - value.lastValidBlockHeight);
        return upstreamsWith(trusted, fits) >= quorum;
      });
      if (picked) onPick(picked.upstream);
      return picked?.value;
    },
  };
}

/** The agreement on prices, which differ from node to node: of enough answers the one with the lowest median. */
export const agreementOnPrices: Agreement<readonly bigint[]> = {
  agree: (answers, quorum) => {
    if (upstreamsWith(answers, () => true) < quorum) return undefined;
    return answers.map(({ value }) => value).reduce((a, b) => (medianOf(b) < medianOf(a) ? b : a));
  },
};

/** No agreement: whatever one upstream says of the pace of the cluster, which decides nothing. */
export const agreementOnSlotTime: Agreement<number | null> = { agree: (answers) => answers[0]?.value };

function medianOf(prices: readonly bigint[]): bigint {
  return [...prices].sort((a, b) => (a < b ? -1 : 1))[Math.floor(prices.length / 2)] ?? 0n;
}

/** The agreement on the token accounts of a wallet: their addresses, programs and data. */
export const agreementOnTokenAccounts = agreementOn<ReadonlyMap<Address, Account>>((accounts) => {
  const texts = [...accounts].map(
    ([address, { owner, data }]) => `${address} ${owner} ${Buffer.from(data).toString('hex')}`,
  );
  return texts.sort().join();
});

/** The agreement on whether enough upstreams know a blockhash, as of the oldest of their slots: false once too few are left that may know it. */
export function agreementOnKnown(upstreamCount: number): Agreement<BlockhashAtSlot> {
  return {
    agree: (answers, quorum) => {
      const [known, unknown] = [true, false].map((isValid) => answers.filter(({ value }) => value.isValid === isValid));
      if (known && upstreamsWith(known, () => true) >= quorum) return oldestOf(known);
      return unknown && upstreamsWith(unknown, () => true) > upstreamCount - quorum ? oldestOf(unknown) : undefined;
    },
  };
}

function oldestOf(answers: readonly Answer<BlockhashAtSlot>[]): BlockhashAtSlot | undefined {
  return answers.map(({ value }) => value).sort((a, b) => Number(a.slot - b.slot))[0];
}

/** The agreement on simulations: the error and the compute units. Logs may differ. */
export const agreementOnSimulations: Agreement<SimulationAtSlot> = agreementOn(
  ({ simulation: { error, unitsConsumed } }) => textOf([error, unitsConsumed]),
);

// A node's integers past 2^53 are `bigint`s here, which JSON does not know.
function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? String(member) : member));
}
