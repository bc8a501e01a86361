import type { Address } from '../../../core/src/addresses/address.ts';
import { type LandedContent, landedContent } from '../../../core/src/outcome/landed-content.ts';
import type { BalanceChange } from '../../../core/src/outcome/token-balances.ts';
import { readTransferIntent, type TransferIntent } from '../../../core/src/outcome/transfer-intent.ts';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import type { LandedTransaction } from '../../src/chain/chain-history.ts';
import type { Match } from '../../src/outcomes/node-answer.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

/** A transfer as the service builds it, of which nothing is signed. */
export const { bytes } = await builderOf(new FakeChain()).build(sampleRequest, Number.POSITIVE_INFINITY);

/** What it is meant to pay. */
export const intent: TransferIntent = intentOf(bytes);

/** The same, as it is known once somebody has signed it. */
export const signedIntent: TransferIntent = { ...intent, isSigned: true, signature: 'own' };

/** The transfer as it has landed. */
export function landedTransaction(changes: Partial<LandedTransaction> = {}): LandedTransaction {
  return {
    slot: 100n,
    blockTime: 1_700_000_000n,
    bytes,
    loadedAddresses: { writable: [], readonly: [] },
    error: null,
    fee: 5_000n,
    content: 'content' in changes ? changes.content : contentOf(changes.bytes ?? bytes),
    balances: undefined,
    ...changes,
  };
}

/** A token account of the mint that holds so much more after a transaction. */
export function holdsMore(change: bigint, owner?: Address): BalanceChange {
  const before = 2n ** 70n;
  return { mint: intent.mint, before, after: before + change, owner };
}

/** The transfer as a node shows it. */
export function matchOf(
  signature: string,
  { by = 'content', commitment = 'finalized', ...landed }: Partial<Match> & Partial<LandedTransaction> = {},
): Match {
  return { signature, by, commitment, landed: landedTransaction(landed) };
}

function intentOf(transaction: Uint8Array): TransferIntent {
  const read = readTransferIntent(transaction);
  if ('fault' in read) throw new Error(read.fault.kind);
  return read.intent;
}

function contentOf(transaction: Uint8Array): LandedContent {
  return landedContent(decodeTransaction(transaction), new Map());
}
