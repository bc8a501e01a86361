import type { TransferOperation } from '../../operation.ts';
import type { BatchData } from '../../transfers/batch-schema.ts';
import type { SummaryJson } from '../../transfers/success-text.ts';
import { statusTexts } from '../replies.ts';

/** The blockhash in the transactions below. */
export const exampleBlockhash = '4TF3UwZFddjQhcDCbPfe2J8HhUxLunQt2ENgJ7Y2rAzn';

/** The last block height at which they could land. */
export const exampleLastValidBlockHeight = '419208222';

/** What the sandbox built for the example of each operation, in base64. A test builds them again. */
export const exampleTransactions = {
  memo_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEADGludm9pY2UgMTAwMQUEAQMCAAoMYOMWAAAAAAAG',
  yid_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEACHlpZC0xMDAxBQQBAwIACgxg4xYAAAAAAAY=',
  create_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAUI2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5semt6iSEbnYQFpt3SmthryNU/Lrkl/l0tzvxJbNyUAGrVHXxIG+X1dMhMdIPTLSewgTgSv2qBIc5/O/zuNc3WtRFXwhXc/Ddq0kLt2IfAgYX90TRo/zMS1jr2f687kd+ZJzrc4nZoFHw8BleDF3AyJ+wsqNrSi/K5HkIGDkhd/KzfAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKmMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WTNMCkB+1BC3NUa+XOss//gDLO1Vkib+BT5qN/aTJ51zAgcGAAEDBAUGAQEGBAIEAQAKDGDjFgAAAAAABg==',
  transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAIF2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqTNMCkB+1BC3NUa+XOss//gDLO1Vkib+BT5qN/aTJ51zAQQEAQMCAAoMYOMWAAAAAAAG',
  batch:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAYK2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatUx1nfGYT7Posre9071VWw/mZ/nMAcfO49edNwD3U5qhLrc4nZoFHw8BleDF3AyJ+wsqNrSi/K5HkIGDkhd/KzfBHGJKa5S8/JtMWfj/qajiS8iTqKbmXeLHFuYzreAd+xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqQVKU1qZKSEGTSTocWDaOHx8NbXdvJK7geQfqEBBBUSNjJclj04kifG7PRApFI4NgwtaE5na/xCEBI572Nvp+FkzTApAftQQtzVGvlzrLP/4AyztVZIm/gU+ajf2kyedcwQIAQAOc2FsYXJ5IDExLzIwMjYHBAEEAgAKDGDjFgAAAAAABgkGAAMFBAYHAQEHBAEEAwAKDKAlJgAAAAAABg==',
} as const satisfies Readonly<Record<TransferOperation, string>>;

/** The reply to the example of an operation, with `encoding` base64. */
export function replyExample(operation: TransferOperation): object {
  const transaction = exampleTransactions[operation];
  return { data: dataOf(operation, transaction), status: statusTexts[operation] };
}

function dataOf(operation: TransferOperation, transaction: string): unknown {
  switch (operation) {
    case 'memo_transfer':
      return { transaction, latestBlockhash: exampleBlockhash };
    case 'transfer':
      return {
        transaction,
        transaction_version: 'legacy',
        lifetime: { blockhash: exampleBlockhash, last_valid_block_height: exampleLastValidBlockHeight },
        signers: exampleSummary.signers,
        summary: exampleSummary,
      };
    case 'batch':
      return {
        transactions: [{ transaction, transfers: [0, 1], signers: exampleBatchSummary.signers }],
        transaction_version: 'legacy',
        lifetime: { blockhash: exampleBlockhash, last_valid_block_height: exampleLastValidBlockHeight },
        summary: exampleBatchSummary.summary,
      };
    default:
      return transaction;
  }
}

const exampleBatchSummary: { signers: string[]; summary: BatchData['summary'] } = {
  signers: ['FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn'],
  summary: {
    transaction_count: 1,
    fewest_transactions: 1,
    transfer_count: 2,
    fee_payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    decimals: 6,
    sender: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    sender_token_account: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
    amount: { base_units: '4000000', decimal: '4' },
    transfer_fee: { base_units: '0', decimal: '0' },
    received_amount: { base_units: '4000000', decimal: '4' },
    network_fee: '5000',
    priority_fee: '0',
    rent: '1488440',
    created_token_accounts: 1,
    warnings: [
      {
        code: 'freeze_authority',
        level: 'note',
        detail: 'The issuer can freeze any account of the mint Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1.',
      },
    ],
  },
};

const noTokens = { base_units: '0', decimal: '0' };
const exampleSummary: SummaryJson = {
  transaction_version: 'legacy',
  size: 279,
  size_limit: 1232,
  signers: ['FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn'],
  fee_payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  decimals: 6,
  sender: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  sender_token_account: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
  recipient: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  recipient_token_account: 'ChtcJX16gfLZ2qELbysj5isAaEpBcFpf4bKTsnLmiK3H',
  amount: {
    base_units: '1500000',
    decimal: '1.5',
  },
  transfer_fee: noTokens,
  received_amount: {
    base_units: '1500000',
    decimal: '1.5',
  },
  network_fee: '5000',
  priority_fee: '0',
  rent: '0',
  creates_token_account: false,
  thaws_token_account: false,
  splits: [],
  compute_unit_limit: null,
  compute_units_consumed: null,
  blockhash: exampleBlockhash,
  last_valid_block_height: exampleLastValidBlockHeight,
  nonce: null,
  recipient_requires_memo: false,
  memo: null,
  references: [],
  transfer_hook: null,
  sender_token_account_delegate: null,
  sender_token_account_close_authority: null,
  recipient_token_account_delegate: null,
  recipient_token_account_close_authority: null,
  warnings: [
    {
      code: 'freeze_authority',
      level: 'note',
      detail: 'The issuer can freeze any account of the mint Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1.',
    },
  ],
};
