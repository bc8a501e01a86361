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
  // LiteSVM writes them so.
  {
    what: 'lamports of sysvars',
    node: 'the rent of their bytes',
    sandbox: '1',
    seen: [{ call: 'sysvar C1ock', path: 'result.value.lamports' }],
  },
  // LiteSVM carries that one.
  {
    what: 'logs and compute units of the memo program',
    node: '`Signed by ADDRESS` on one line (agave 4.0)',
    sandbox: 'the newer memo program: two lines, and far fewer units',
    seen: [{ call: 'failed: too little, classic (json)', path: 'result.meta.logMessages' }],
  },
  // A transfer has no others.
  {
    what: '`jsonParsed` of instructions',
    node: 'those of all its programs',
    sandbox: 'memos, transfers of SOL and of tokens, and what makes a token account; others as accounts and bytes',
  },
  // Wallets and the token clients read these.
  {
    what: '`jsonParsed` of accounts',
    node: 'also multisigs, nonce accounts, all sysvars, lookup tables, programs, stake and votes',
    sandbox: 'mints, token accounts and the clock; others as base64',
  },
  {
    what: '`extensions` in `jsonParsed`',
    node: 'all of them',
    sandbox:
      'transfer fees, close authority, immutable owner, permanent delegate and metadata; others as `unparseableExtension`',
  },
  // Nothing here asks for more.
  {
    what: '`getBlock`',
    node: 'has the transactions by default',
    sandbox: 'answers only with `transactionDetails` `signatures` or `none`',
  },
  {
    what: '`costUnits` of a transaction',
    node: 'what it took of the limit of a block',
    sandbox: 'absent',
  },
  // There is no competition for a slot.
  {
    what: '`getRecentPrioritizationFees`',
    node: 'the least price paid in each slot',
    sandbox: 'always 0',
  },
  // No wallet and no client of a transfer calls them.
  {
    what: 'every method and subscription that is not listed above: those of validators, stake, supply, several blocks and whole programs',
    node: 'answered',
    sandbox: '-32601 "Method not found"',
  },
];

/** Writes the table of the README. */
export function differencesTable(): string {
  const rows = allowedDifferences.map(({ what, node, sandbox }) => `| ${what} | ${node} | ${sandbox} |`);
  return ['| what | a node | the sandbox |', '|---|---|---|', ...rows].join('\n');
}
