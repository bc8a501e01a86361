import { type Explanation, explain } from './explanation.ts';

const core = 'packages/core/src';
const tokenState = `${core}/accounts/token-state.ts`;

const malformedEitherWay =
  'A fourth byte makes the number too large, or is a zero at its end: the length is malformed either way.';
const sameNumber = 'Either one is the same number where they are equal.';

/** The mutants of the core, but for its addresses, plans, batches and transactions, that no test can or need notice. */
export const explainedInCore: readonly Explanation[] = [
  ...explain(
    `${core}/plan/resolve-hook-accounts.ts`,
    'const [kind, first = 0, second = 0, third = 0] = config.subarray(offset);',
    'change constant',
    'A seed that lacks an argument ends behind its 32 bytes, and is refused for that whatever the argument is.',
  ),
  ...explain(
    `${core}/accounts/sysvars.ts`,
    "export const rentSysvar = toAddress('SysvarRent111111111111111111111111111111111');",
    'drop call',
    'The check of an address returns it as it is.',
  ),
  ...explain(
    `${core}/accounts/sysvars.ts`,
    "export const clockSysvar = toAddress('SysvarC1ock11111111111111111111111111111111');",
    'drop call',
    'The check of an address returns it as it is.',
  ),
  ...explain(
    tokenState,
    'transferHookProgram: hook && readOptionalAddress(hook.subarray(32, 64)),',
    'change constant',
    'The extension ends after 64 bytes.',
    '64',
  ),
  ...explain(
    tokenState,
    'owner: isAddressInData(data, 32, likelyOwner) ? likelyOwner : ownerIn(data),',
    'change constant',
    'An owner that is not taken for the likely one is encoded again, to the same text.',
  ),
  ...explain(
    `${core}/accounts/transfer-fee.ts`,
    'return fee < maximumFee ? fee : maximumFee;',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    `${core}/bytes/byte-reader.ts`,
    'if ((byte === 0 && shift > 0) || value > 0xffff) break;',
    'change constant',
    'Shifts are multiples of seven.',
    '0',
  ),
  ...explain(
    `${core}/bytes/little-endian.ts`,
    'const view = new DataView(new ArrayBuffer(8));',
    'change constant',
    'Of a longer view the first eight bytes are used.',
  ),
  ...explain(
    `${core}/bytes/byte-reader.ts`,
    'for (let shift = 0; shift < 21; shift += 7) {',
    'shift boundary',
    malformedEitherWay,
  ),
  ...explain(
    `${core}/bytes/byte-reader.ts`,
    'for (let shift = 0; shift < 21; shift += 7) {',
    'change constant',
    malformedEitherWay,
    '21',
  ),
  ...explain(
    `${core}/outcome/read-transaction.ts`,
    'throw error;',
    'delete statement',
    'The decoder throws nothing else: this is for a fault of its own.',
  ),
  ...explain(
    tokenState,
    'if (account.owner === token2022Program && length > accountTypeOffset) {',
    'shift boundary',
    'An account of just that length was said to be a token account before.',
  ),
  ...explain(tokenState, 'decimals: account.data[44] ?? 0,', 'change constant', 'Every mint is longer than that.', '0'),
  ...explain(
    `${core}/accounts/transfer-fee.ts`,
    'return Math.max(older.basisPoints, newer.basisPoints) <= Number(oneInBasisPoints);',
    'drop call',
    'A number is compared with a bigint by its value, too.',
    'Number(oneInBasisPoints)',
  ),
  ...[
    'const source = decodeSource(data[start] ?? 0, data.subarray(start + 1, start + 33));',
    'const [kind, first = 0, second = 0] = config;',
  ].flatMap((line) =>
    explain(
      `${core}/plan/resolve-hook-accounts.ts`,
      line,
      'change constant',
      'Every entry was counted among the bytes before, so that no default is used.',
      '0',
    ),
  ),
];
