import { type Explanation, explain } from './explanation.ts';

const core = 'packages/core/src';
const planBatch = `${core}/batch/plan-batch.ts`;
const tokenState = `${core}/accounts/token-state.ts`;

const malformedEitherWay =
  'A fourth byte makes the number too large, or is a zero at its end: the length is malformed either way.';
const sameNumber = 'Either one is the same number where they are equal.';

/** The mutants of the core, but for its addresses and plans, that no test can or need notice. */
export const explainedInCore: readonly Explanation[] = [
  ...explain(
    `${core}/accounts/hook-account-list.ts`,
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
    'owner: isAddressAt(data, 32, likelyOwner) ? likelyOwner : ownerIn(data),',
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
    `${core}/transaction/compile-accounts.ts`,
    'const finalIndices = roles.slice();',
    'drop call',
    'Each index is written after the role at its place was read.',
  ),
  ...[
    'const role = roles[index] ?? 0;',
    'const accountIndex = next[role] ?? 0;',
    'for (const role of roles) counts[role] = (counts[role] ?? 0) + 1;',
    'for (let index = 0; index < accounts.length; index++) accounts[index] = finalIndices[accounts[index] ?? 0] ?? 0;',
    'const [readonlyNonSigners = 0, writableNonSigners = 0, readonlySigners = 0, writableSigners = 0] = counts;',
  ].flatMap((line) =>
    explain(
      `${core}/transaction/compile-accounts.ts`,
      line,
      'change constant',
      'Every address has one of the four roles, and every account an address, so that no default is used.',
      '0',
    ),
  ),
  ...[
    'if (!payer || !tokenAccount || !owner || !mint || !tokenProgram) return undefined;',
    'if (!source || !mint || !destination || !authority) return undefined;',
  ].flatMap((line) =>
    explain(
      `${core}/transaction/summarize-transaction.ts`,
      line,
      ['swap logic', 'delete statement'],
      'So many accounts were counted before that all of these are there.',
    ),
  ),
  ...explain(
    `${core}/outcome/checked-transfer.ts`,
    'if (!source || !mint || !destination || !authority) return undefined;',
    ['swap logic', 'delete statement'],
    'So many accounts were counted before that all of these are there.',
  ),
  ...explain(
    `${core}/outcome/checked-transfer.ts`,
    'decimals: data[9] ?? 0,',
    'change constant',
    'So many bytes were counted before that this one is there.',
    '0',
  ),
  ...explain(
    `${core}/outcome/read-transaction.ts`,
    'throw error;',
    'delete statement',
    'The decoder throws nothing else: this is for a fault of its own.',
  ),
  ...explain(
    `${core}/transaction/message-reading.ts`,
    'function isAsciiAt(bytes: Uint8Array, offset: number, text: string): boolean {',
    'return early',
    'It saves the encoder, which comes to the same.',
  ),
  ...explain(
    `${core}/transaction/message-reading.ts`,
    'if (code > 0x7f || bytes[offset + index] !== code) return false;',
    'swap arithmetic',
    'It saves the encoder, which comes to the same.',
  ),
  ...explain(
    `${core}/transaction/decode-transaction.ts`,
    "if (feePayer === undefined) throw new TransactionDecodeError('nobody signs');",
    'delete statement',
    'The layout is refused before that.',
  ),
  ...explain(
    `${core}/transaction/decode-transaction.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (account === undefined) throw new TransactionDecodeError(`account ${index} of ${accounts.length} is used`);',
    'delete statement',
    'The layout is refused before that.',
  ),
  ...explain(
    `${core}/batch/check-batch.ts`,
    'if (tokenAccount?.delegate?.address !== from) return amounts;',
    ['delete statement'],
    'Where nothing is delegated to the owner, only the sum of the amounts counts.',
  ),
  ...explain(
    `${core}/batch/decide-batch.ts`,
    'const whole = toTransferRequest(request, transfers);',
    'drop call',
    'The checks look at what a batch and a request have in common; the compiler of types refuses it.',
  ),
  ...explain(
    `${core}/batch/decide-batch.ts`,
    "if (!('transactions' in planned)) throw new Error('a batch without findings has transactions');",
    'delete statement',
    'A batch that cannot be planned has findings, and was refused before.',
  ),
  ...explain(
    `${core}/batch/decide-batch.ts`,
    'const dearest = transactions.reduce((most, { plan }) => (plan.priorityFee > most ? plan.priorityFee : most), 0n);',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    planBatch,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (!payment || !account) throw new Error(`nothing is known of transfer ${index}`);',
    ['delete statement', 'swap logic'],
    'Transactions are packed from the transfers that are known: this is for a fault of the packing.',
  ),
  ...explain(
    planBatch,
    "if (!last) throw new Error('a transaction has a transfer');",
    'delete statement',
    'No transaction is packed from nothing: this is for a fault of the packing.',
  ),
  ...explain(
    planBatch,
    'const others = chosen.slice(0, -1);',
    'drop call',
    'The plan takes as many of them as its request has splits.',
  ),
  ...explain(
    planBatch,
    'const finding = checkCost(plan) ?? checkPlanSize(plan) ?? checkPlanSize(tellApart(plan, 1));',
    'change constant',
    'One unit less takes as many bytes.',
  ),
  ...explain(
    planBatch,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (!finding) throw new Error(`transfer ${transfer} fits into a transaction and into none`);',
    'delete statement',
    'Whatever does not fit has a finding: this is for a fault of the packing.',
  ),
  ...explain(
    planBatch,
    'parcelOf(payment, addresses.recipients[index]?.bump ?? 255, request, mint),',
    'change constant',
    'Every transfer has a token account, so that no default is used.',
  ),
  ...explain(
    planBatch,
    'transactions.push({ plan: tellApart(plan, twins[index] ?? 0), transfers: indices });',
    'change constant',
    'Every transaction has its number, so that no default is used.',
  ),
  ...explain(
    `${core}/batch/tell-apart.ts`,
    'if (firsts.size === transfers.length) return transactions.map(() => 0);',
    'delete statement',
    'It saves a comparison: where no two transfers are equal, no two transactions are.',
  ),
  ...explain(
    `${core}/batch/check-batch.ts`,
    'const [first = 0n] = amounts;',
    'change constant',
    'A batch has a transfer.',
  ),
  ...explain(
    `${core}/request/memo.ts`,
    'for (let index = 0; index < text.length; index++) {',
    'shift boundary',
    'Behind the end of the text there is no character, and no byte to write.',
  ),
  ...explain(
    `${core}/request/memo.ts`,
    'if (code > 0x7f) return encoder.encode(text);',
    'shift boundary',
    'The encoder makes the same byte of that character.',
  ),
];
