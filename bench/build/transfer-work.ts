/** What every builder starts from: texts, as they stand in a request. */
export interface TransferWork {
  sender: string;
  recipient: string;
  mint: string;
  blockhash: string;
  /** Base units. */
  amount: string;
  /** With a memo that the sender signs; without one the transfer creates the recipient's token account instead. */
  memo: string | undefined;
}

/** What a builder is told of the mint: every caller of these libraries has to know it. */
export const decimals = 6;

/** The Memo program that all of them are told to use. */
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** One way to build a transfer: from texts to the bytes of an unsigned transaction. */
export interface Builder {
  id: 'splwright' | 'kit' | 'web3js' | 'gill' | 'bitgo' | 'micro';
  name: string;
  build(work: TransferWork): Uint8Array | Promise<Uint8Array>;
}
