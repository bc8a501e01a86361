/** A difference from a node that stays, as the README's table shows it. */
export interface AllowedDifference {
  /** What differs, as the README says it. */
  what: string;
  node: string;
  sandbox: string;
  /** The recorded calls in which it is seen, and the members there; absent where no recorded call shows it. */
  seen?: readonly { call: string; path: string }[];
}

/** The differences that stay. The README's table is equal to this one, and each that a recorded call shows must still be there. */
export const allowedDifferences: readonly AllowedDifference[] = [
  // The first attempt of a newcomer should land.
  {
    what: '`sendTransaction` and `simulateTransaction` without a commitment',
    node: 'run at `finalized`',
    sandbox: 'run at `confirmed`; with `strictPreflight` like a node',
  },
  // No validators vote.
  {
    what: '`processed` and `confirmed`',
    node: '`confirmed` is a slot or two behind',
    sandbox: 'are the same, newest slot; a transaction is confirmed at once',
  },
  // The virtual machine has one state.
  {
    what: 'a simulation at `finalized`',
    node: 'runs on the accounts of the final slot',
    sandbox: 'checks the blockhash there, and runs on the newest accounts',
  },
  // A lost transaction should be seen in a test.
  {
    what: 'a byte after the end of a transaction',
    node: 'accepted by the RPC, then dropped by the leader',
    sandbox: 'refused at once with -32602',
  },
  // It is kept in memory.
  {
    what: 'history',
    node: 'days, or all of it',
    sandbox: 'the newest 10,000 transactions and 20,000 blocks; every slot has a block, without rewards',
  },
  // All lamports can be spent.
  {
    what: '`nonCirculatingAccounts` of `getSupply`',
    node: 'the accounts of a list',
    sandbox: 'none: all lamports come from its faucet',
    seen: [{ call: 'getSupply', path: 'result.value.nonCirculatingAccounts' }],
  },
  // LiteSVM writes them so.
  {
    what: 'lamports of sysvars',
    node: 'the rent of their bytes',
    sandbox: '1',
    seen: [
      { call: 'sysvar C1ock', path: 'result.value.lamports' },
      { call: 'sysvar Rent1', path: 'result.value.lamports' },
    ],
  },
  // LiteSVM carries that one.
  {
    what: 'logs and compute units of the memo program',
    node: '`Signed by ADDRESS` on one line (agave 4.0)',
    sandbox: 'the newer memo program: two lines, and far fewer units',
    seen: [
      'memo, 2022 (jsonParsed)',
      'memo, 2022 (json)',
      'memo with a reference and a price, 2022 (jsonParsed)',
      'durable nonce, 2022 (jsonParsed)',
      'failed: too little, 2022 (jsonParsed)',
      'failed: too little, 2022 (json)',
      'memo, classic (jsonParsed)',
      'memo, classic (json)',
      'memo with a reference and a price, classic (jsonParsed)',
      'durable nonce, classic (jsonParsed)',
      'failed: too little, classic (jsonParsed)',
      'failed: too little, classic (json)',
    ].map((call) => ({ call, path: 'result.meta.logMessages' })),
  },
  // Few tests need them.
  {
    what: '`jsonParsed` of instructions and accounts',
    node: 'also stake, vote, the loaders, confidential transfers, metadata and groups',
    sandbox: 'those instructions as accounts and bytes, stake, vote and config accounts as base64',
  },
  // There is no competition for a slot.
  {
    what: '`getRecentPrioritizationFees`',
    node: 'the least price paid in each slot',
    sandbox: 'always 0',
  },
  // They are about a cluster.
  {
    what: '`getBlockProduction`, `getBlockCommitment`, `getMaxRetransmitSlot`, `getMaxShredInsertSlot`, `slotsUpdatesSubscribe`',
    node: 'answered',
    sandbox: '"Method not found"',
  },
];

/** Writes the table of the README. */
export function differencesTable(): string {
  const rows = allowedDifferences.map(({ what, node, sandbox }) => `| ${what} | ${node} | ${sandbox} |`);
  return ['| what | a node | the sandbox |', '|---|---|---|', ...rows].join('\n');
}
