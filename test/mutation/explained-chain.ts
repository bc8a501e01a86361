import { type Explanation, explain } from './explanation.ts';

const chain = 'packages/server/src/chain';
const landed = `${chain}/history/landed-transaction.ts`;
const quorum = `${chain}/upstreams/quorum-call.ts`;
const requests = `${chain}/history/history-requests.ts`;
const nodeHistory = `${chain}/history/rpc-node-history.ts`;
const failover = `${chain}/upstreams/failover-call.ts`;

const isRefusedNext = 'Whatever is no object lacks the member that is read next, and is refused for that.';

/** More mutants of the server's chain that no test can or need notice: histories, and calls to several upstreams. */
export const explainedInChain: readonly Explanation[] = [
  ...explain(
    landed,
    "if (!isRecord(value)) throw malformed('the loaded addresses of its transaction are malformed');",
    ['delete statement', 'drop call'],
    isRefusedNext,
  ),
  ...['isRecord(value)', 'isRecord(value.uiTokenAmount)'].flatMap((original) =>
    explain(
      landed,
      "if (!isRecord(value) || !isRecord(value.uiTokenAmount)) throw malformed('a token balance is malformed');",
      'drop call',
      isRefusedNext,
      original,
    ),
  ),
  ...explain(landed, 'throw error;', 'delete statement', 'Bytes are decoded, or refused with this error.'),
  ...explain(
    landed,
    "const account = accounts[Number(readU64(value.accountIndex, 'accountIndex'))];",
    'drop call',
    'A list has the same entry at a number and at a bigint.',
    "Number(readU64(value.accountIndex, 'accountIndex'))",
  ),
  ...explain(
    landed,
    "const amount = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : -1n;",
    'change constant',
    'Every amount below zero is refused.',
    '1n',
  ),
  ...explain(
    failover,
    'if (pauseMs > 0) this.#advanceIn(pauseMs);',
    'change constant',
    'An upstream may be asked again a millisecond early.',
  ),
  ...explain(
    failover,
    'this.#advanceIn((presumedLostAt > now() ? Math.min(presumedLostAt, waitUntil) : waitUntil) - now());',
    'shift boundary',
    'At that very moment it looks once more, a millisecond later, and waits then.',
  ),
  ...explain(
    nodeHistory,
    'const maxFinalizedHeights = 10_000;',
    'change constant',
    'It bounds a cache, which no answer shows.',
  ),
  ...explain(
    nodeHistory,
    'slot: slots.reduce((lowest, slot) => (slot < lowest ? slot : lowest), slots[0] ?? 0n),',
    'shift boundary',
    'Either one is the same slot where they are equal.',
  ),
  ...explain(
    nodeHistory,
    'slot: slots.reduce((lowest, slot) => (slot < lowest ? slot : lowest), slots[0] ?? 0n),',
    'change constant',
    'Nobody asks for the statuses of no signature.',
    '0n',
  ),
  ...(
    [
      ['const revivalPauseMs = 10;', 'It only says how often a call looks.'],
      ['if (usable.length >= quorum || leftMs <= 0) return usable;', 'A call may give up a millisecond early.'],
      ['if (!upstream || isOver || remainingMs <= 0) return;', 'A call may give up a millisecond early.'],
      [
        'await Promise.race([...revivals, sleep(leftMs, undefined, { ref: false })]);',
        'It holds up the end of a process for a second at most.',
      ],
    ] as const
  ).flatMap(([line, why]) => explain(quorum, line, 'change constant', why)),
  ...explain(
    nodeHistory,
    'return this.#blockHeights.read(String(slot), deadline, async (until) => {',
    'drop call',
    'A bigint is a key as good as its text.',
    'String(slot)',
  ),
  ...explain(
    nodeHistory,
    'const finalized = slot > finalizedSlackSlots ? slot - finalizedSlackSlots : 0n;',
    'shift boundary',
    'Either one is zero where they are equal.',
  ),
  ...explain(
    nodeHistory,
    'const newest = BigInt(this.#head.minContextSlot.minContextSlot ?? 0);',
    'drop call',
    'A number is compared with bigints as the slot that it is.',
  ),
  ...explain(
    nodeHistory,
    "this.#node.call(blockhashAliveRequest(blockhash, 'processed', slot > newest ? slot : newest), until),",
    'shift boundary',
    'Either one is the same slot where they are equal.',
  ),
  ...[
    'const smallAnswerBytes = 4_096;',
    'const statusBytes = 1_024;',
    'const maxPageBytes = 4 * 1024 * 1024;',
    'const maxTransactionBytes = 2 * 1024 * 1024;',
  ].flatMap((line) =>
    explain(requests, line, 'change constant', 'A bound with room to spare: a little more of it changes nothing.'),
  ),
];
