import type { RecordLedger } from '../../src/store/ledger-store.ts';

/** The ledger of tests that need one alone: the first network of their database. */
export const onlyLedger: RecordLedger = {
  genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  ownsUnnamed: true,
};

/** A sandbox. */
export const sandboxLedger: RecordLedger = {
  genesisHash: '8fSsw1Sx9YRmbHwdTGkJTFPCGDtaEaVUSVmnZqmzKCWd',
  ownsUnnamed: false,
};
