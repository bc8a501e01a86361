/** The format of the transaction's message. */
export type TransactionVersion = 'legacy' | 0 | 1;
