import type { LandedTransaction } from '../../src/chain/chain-history.ts';

/** By how much each token account of a landed transaction holds more, by its address; none where the node kept no balances. */
export function changesIn(landed: Pick<LandedTransaction, 'balances'> | null | undefined): ReadonlyMap<string, bigint> {
  return new Map([...(landed?.balances ?? [])].map(([account, { before, after }]) => [account, after - before]));
}

/** The owners of its token accounts, as far as the node names them. */
export function ownersIn(landed: Pick<LandedTransaction, 'balances'> | null | undefined): ReadonlyMap<string, string> {
  return new Map([...(landed?.balances ?? [])].flatMap(([account, { owner }]) => (owner ? [[account, owner]] : [])));
}
