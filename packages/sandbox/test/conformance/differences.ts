/** A difference from a node that stays, as the README's table shows it. */
export interface AllowedDifference {
  /** What differs, as the README says it. */
  what: string;
  node: string;
  sandbox: string;
  why: string;
  /** The recorded calls in which it is seen, and the members there; absent where no recorded call shows it. */
  seen?: readonly { call: string; path: string }[];
}

/** The differences that stay. The README's table is equal to this one, and each that a recorded call shows must still be there. */
export const allowedDifferences: readonly AllowedDifference[] = [
  {
    what: '`sendTransaction` and `simulateTransaction` without a commitment',
    node: 'run at `finalized`: a blockhash of the last seconds is "Blockhash not found"',
    sandbox: 'run at `confirmed`; with `strictPreflight` like a node',
    why: 'the first attempt of a newcomer should land',
  },
  {
    what: '`processed` and `confirmed`',
    node: '`confirmed` is a slot or two behind',
    sandbox: 'are the same, newest slot; a transaction is confirmed at once',
    why: 'no validators vote',
  },
  {
    what: 'a simulation at `finalized`',
    node: 'runs on the accounts of the final slot',
    sandbox: 'checks the blockhash there, and runs on the newest accounts',
    why: 'the virtual machine has one state',
  },
  {
    what: 'a byte after the end of a transaction',
    node: 'accepted by the RPC, then dropped by the leader',
    sandbox: 'refused at once with -32602',
    why: 'a lost transaction should be seen in a test',
  },
  {
    what: 'history',
    node: 'days, or all of it',
    sandbox: 'the newest 10,000 transactions and 20,000 blocks; every slot has a block, without rewards',
    why: 'it is kept in memory',
  },
  {
    what: '`nonCirculatingAccounts` of `getSupply`',
    node: 'the accounts of a list',
    sandbox: 'none: all lamports come from its faucet',
    why: 'all lamports can be spent',
    seen: [{ call: 'getSupply', path: 'result.value.nonCirculatingAccounts' }],
  },
  {
    what: 'lamports of sysvars',
    node: 'the rent of their bytes',
    sandbox: '1',
    why: 'LiteSVM writes them so',
    seen: [
      { call: 'sysvar C1ock', path: 'result.value.lamports' },
      { call: 'sysvar Rent1', path: 'result.value.lamports' },
    ],
  },
  {
    what: 'logs and compute units of the memo program',
    node: '`Signed by ADDRESS` on one line (agave 4.0)',
    sandbox: 'the newer memo program: two lines, and far fewer units',
    why: 'LiteSVM carries that one',
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
  {
    what: '`jsonParsed` of instructions and accounts',
    node: 'also stake, vote, the loaders, confidential transfers, metadata and groups',
    sandbox: 'those instructions as accounts and bytes, stake, vote and config accounts as base64',
    why: 'few tests need them',
  },
  {
    what: '`getRecentPrioritizationFees`',
    node: 'the least price paid in each slot',
    sandbox: 'always 0',
    why: 'there is no competition for a slot',
  },
  {
    what: '`getBlockProduction`, `getBlockCommitment`, `getMaxRetransmitSlot`, `getMaxShredInsertSlot`, `slotsUpdatesSubscribe`',
    node: 'answered',
    sandbox: '"Method not found"',
    why: 'they are about a cluster',
  },
];

/** Writes the table of the README. */
export function differencesTable(): string {
  const rows = allowedDifferences.map(({ what, node, sandbox, why }) => `| ${what} | ${node} | ${sandbox} | ${why} |`);
  return ['| what | a node | the sandbox | why |', '|---|---|---|---|', ...rows].join('\n');
}
