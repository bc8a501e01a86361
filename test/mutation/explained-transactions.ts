import { type Explanation, explain } from './explanation.ts';

const transaction = 'packages/core/src/transaction';
const messageReading = `${transaction}/message-reading.ts`;

const savesEncoder = 'It saves the encoder, which comes to the same.';

/** The mutants of the core's transactions that no test can or need notice. */
export const explainedInTransactions: readonly Explanation[] = [
  ...[
    'const role = roles[account] ?? 0;',
    'const index = nextOfRole[role] ?? 0;',
    'roles[known] = (roles[known] ?? 0) | role;',
    'for (let index = 0; index < merged.length; index++) merged[index] = indices[merged[index] ?? 0] ?? 0;',
  ].flatMap((line) =>
    explain(
      `${transaction}/encode-transaction.ts`,
      line,
      'change constant',
      'Every address has one of the four roles, and every account an address, so that no default is used.',
      '0',
    ),
  ),
  ...[
    'for (let at = 0; at < roles.length; at++) if (roles[at] === wanted) count++;',
    'for (let index = 0; index < merged.length; index++) merged[index] = indices[merged[index] ?? 0] ?? 0;',
  ].flatMap((line) =>
    explain(
      `${transaction}/encode-transaction.ts`,
      line,
      'shift boundary',
      'Nothing stands after the last: there is no role to count, and bytes have no room for it.',
    ),
  ),
  ...[
    'if (!payer || !tokenAccount || !owner || !mint || !tokenProgram) return undefined;',
    'if (!source || !mint || !destination || !authority) return undefined;',
  ].flatMap((line) =>
    explain(
      `${transaction}/summarize-transaction.ts`,
      line,
      ['swap logic', 'delete statement'],
      'So many accounts were counted before that all of these are there.',
    ),
  ),
  ...explain(
    messageReading,
    'function isAsciiAt(bytes: Uint8Array, offset: number, text: string): boolean {',
    'return early',
    savesEncoder,
  ),
  ...explain(messageReading, 'for (; index < text.length; index++) {', 'shift boundary', savesEncoder),
  ...explain(messageReading, 'const code = text.charCodeAt(index);', 'drop call', savesEncoder),
  ...explain(
    messageReading,
    'if (code > 0x7f || bytes[offset + index] !== code) break;',
    ['shift boundary', 'swap arithmetic'],
    savesEncoder,
  ),
  ...explain(
    `${transaction}/decode-transaction.ts`,
    "if (feePayer === undefined) throw new TransactionDecodeError('nobody signs');",
    'delete statement',
    'The layout is refused before that.',
  ),
  ...explain(
    `${transaction}/decode-transaction.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (account === undefined) throw new TransactionDecodeError(`account ${index} of ${accounts.length} is used`);',
    'delete statement',
    'The layout is refused before that.',
  ),
  ...explain(
    `${transaction}/read-transaction-layout.ts`,
    'assertAccountExists(bytes[at] ?? 0, accountCount);',
    'change constant',
    'The accounts were read over before, so that each of them is there.',
  ),
  ...explain(
    `${transaction}/byte-parts.ts`,
    'const mask = bytes[4] ?? 0;',
    'change constant',
    'The mask was read before, so that it is there.',
  ),
  ...explain(
    `${transaction}/summarize-transaction.ts`,
    'return undefined;',
    'delete statement',
    'It is the last statement of its function, which returns undefined without it, too.',
  ),
  ...explain(
    `${transaction}/summarize-transaction.ts`,
    'decimals: data[9] ?? 0,',
    'change constant',
    'So many bytes were counted before that this one is there.',
    '0',
  ),
  ...explain(
    messageReading,
    'if (this.#found[index] === address) return true;',
    'delete statement',
    'It saves to compare the bytes of the address again.',
  ),
  ...explain(
    messageReading,
    'this.#found[index] = address;',
    'delete statement',
    'It saves to compare the bytes of the address again.',
  ),
  ...explain(
    messageReading,
    'if (length === text.length && isAsciiAt(this.bytes, offset, text)) return;',
    'delete statement',
    savesEncoder,
  ),
  ...explain(
    messageReading,
    'if (number <= Number.MAX_SAFE_INTEGER && BigInt(number) === expected) return;',
    ['delete statement', 'shift boundary', 'drop call'],
    'It saves the comparison byte by byte, which comes to the same.',
  ),
  ...explain(messageReading, 'return index === text.length;', 'delete statement', savesEncoder),
  ...explain(
    messageReading,
    'number = number * 256 + (this.bytes[at] ?? Number.NaN);',
    'swap arithmetic',
    'Below zero it is equal to nothing, and the bytes are compared one by one.',
    '+',
  ),
];
