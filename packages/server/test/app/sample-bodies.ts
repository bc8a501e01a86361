import { paths } from '../../src/transfers/transfer-schema.ts';

export { linksPath } from '../../src/links/link-route-schemas.ts';

/** The wallet `alice` of the sandbox, which has tokens of every mint. */
export const alice = 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn';
/** The wallet `bob` of the sandbox, which has token accounts. */
export const bob = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
/** The mint `USDC` of the sandbox. */
export const usdc = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';

/** The path of operations 1 and 2. */
export const memoPath = paths.memoTransfer;
/** The path of operation 3. */
export const createPath = paths.createTransfer;

/** A body that operation 3 takes. */
export const createBody = { from_address: alice, to_address: bob, token_mint_address: usdc, amount: '1500000' };
/** A body that operation 1 takes. */
export const memoBody = { ...createBody, memo: 'invoice 1001' };
/** A body that operation 2 takes. */
export const yidBody = { ...createBody, yid: 'yid-1001' };

/** A body that makes a payment link. */
export const linkBody = { to_address: bob, token_mint_address: usdc, amount: '1500000', label: 'Tea house' };

/** A body that the operation for many recipients takes. */
export const batchBody = {
  from_address: alice,
  token_mint_address: usdc,
  transfers: [
    { to_address: bob, amount: '1500000' },
    { to_address: bob, amount_decimal: '2.5', memo: 'salary 11/2026', references: [usdc] },
  ],
};
