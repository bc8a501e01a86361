import { exampleBlockhash, exampleLastValidBlockHeight, exampleTransactions } from '../app/schema-parts.ts';
import type { TransferOperation } from '../operation.ts';
import { type BatchData, statusTexts } from './reply-schema.ts';
import type { SummaryJson } from './transaction-replies.ts';

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
        transactions: [
          { transaction, message_hash: exampleHash, transfers: [0, 1], signers: exampleBatchSummary.signers },
        ],
        transaction_version: 'legacy',
        lifetime: { blockhash: exampleBlockhash, last_valid_block_height: exampleLastValidBlockHeight },
        summary: exampleBatchSummary.summary,
      };
    default:
      return transaction;
  }
}

const exampleHash = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';

const exampleBatchSummary: { signers: string[]; summary: BatchData['summary'] } = {
  signers: ['FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn'],
  summary: {
    transaction_count: 1,
    fewest_transactions: 1,
    transfer_count: 2,
    fee_payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    sender: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    tokens: [
      {
        token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
        token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
        decimals: 6,
        sender_token_account: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
        amount: { base_units: '4000000', decimal: '4' },
        transfer_fee: { base_units: '0', decimal: '0' },
        received_amount: { base_units: '4000000', decimal: '4' },
      },
    ],
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
  message_hash: exampleHash,
  size: 279,
  size_limit: 1232,
  signers: ['FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn'],
  fee_payer: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token_symbol: 'USDC',
  token_name: 'USD Coin',
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
  tip: null,
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
