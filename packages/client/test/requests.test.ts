import assert from 'node:assert/strict';
import { it } from 'node:test';
import type {
  BatchTransfer,
  CreatePaymentLinkRequest,
  TokenTransferRequest,
  TransferRequest,
} from '../src/requests.ts';

const parties = { from_address: 'a', to_address: 'b', token_mint_address: 'c' };
const link = { to_address: 'b', token_mint_address: 'c', label: 'd' };

// The compiler is what fails here, in `npm run check`.
it('the types of requests demand exactly one of what excludes each other, and know the words of a priority', () => {
  const transfers: TransferRequest[] = [
    { ...parties, amount: 1n, priority_fee: 'high' },
    { ...parties, amount_decimal: '1.5', priority_fee: '1000' },
    // @ts-expect-error no amount
    { ...parties },
    // @ts-expect-error two amounts
    { ...parties, amount: 1n, amount_decimal: '1.5' },
    // @ts-expect-error a word that there is not
    { ...parties, amount: 1n, priority_fee: 'fast' },
  ];
  const tokenTransfers: TokenTransferRequest[] = [
    { ...parties, amount: '1', memo: 'x' },
    { ...parties, amount: '1', yid: 'x' },
    // @ts-expect-error neither memo nor yid
    { ...parties, amount: '1' },
    // @ts-expect-error both
    { ...parties, amount: '1', memo: 'x', yid: 'x' },
  ];
  const batch: BatchTransfer[] = [
    { to_address: 'b', amount_decimal: '1' },
    // @ts-expect-error no amount
    { to_address: 'b' },
  ];
  const links: CreatePaymentLinkRequest[] = [
    { ...link, amount: '1' },
    { ...link, amount_decimal: '1.5' },
    { ...link, amount_min: '1', amount_max: '2' },
    // @ts-expect-error two amounts
    { ...link, amount: '1', amount_decimal: '1' },
    // @ts-expect-error an amount and its bounds
    { ...link, amount_decimal: '1', amount_min: '1', amount_max: '2' },
    // @ts-expect-error only the least
    { ...link, amount_min: '1' },
    // @ts-expect-error no amount
    { ...link },
  ];
  assert.deepEqual([transfers.length, tokenTransfers.length, batch.length, links.length], [5, 4, 2, 7]);
});
