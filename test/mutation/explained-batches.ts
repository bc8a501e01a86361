import { type Explanation, explain } from './explanation.ts';

const batch = 'packages/core/src/batch';
const packing = 'packages/core/src/packing';
const needs = `${packing}/weights/needs.ts`;
const weighBatch = `${packing}/weights/weigh-batch.ts`;
const summary = `${batch}/batch-summary.ts`;
const load = `${packing}/weights/transaction-load.ts`;
const payments = `${batch}/batch-facts.ts`;
const planBatch = `${batch}/plan-batch.ts`;
const parcelOf = `${batch}/parcel-of.ts`;
const packApart = `${batch}/pack-apart.ts`;

const everyPartIsThere = 'Every shared part is in the batch, and has a count, so that no default is used.';
const everyNeedIsThere = 'Every need and every parcel has its entry, so that no default is used.';
const savesList = 'It saves a list: an equal one is made again.';
const sameNumber = 'Either one is the same number where they are equal.';

/** The mutants of the core's batches that no test can or need notice. */
export const explainedInBatches: readonly Explanation[] = [
  ...explain(
    `${batch}/check-batch.ts`,
    'if (state?.delegate?.address !== sender) return amounts;',
    ['delete statement'],
    'Where nothing is delegated to the owner, only the sum of the amounts counts.',
  ),
  ...explain(
    `${batch}/decide-batch.ts`,
    "if (!('transactions' in planned)) throw new Error('a batch without findings has transactions');",
    'delete statement',
    'A batch that cannot be planned has findings, and was refused before.',
  ),
  ...explain(
    `${batch}/check-batch.ts`,
    'const highest = plans.reduce((most, { priorityFee }) => (priorityFee > most ? priorityFee : most), 0n);',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    planBatch,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (!payment) throw new Error(`nothing is known of transfer ${index}`);',
    'delete statement',
    'Transactions are packed from the transfers that are known: this is for a fault of the packing.',
  ),
  ...explain(
    planBatch,
    'const finding = checkCost(plan) ?? checkPlanSize(plan) ?? checkPlanSize(makeDistinct(plan, 1), true);',
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
    'transactions.push({ plan: makeDistinct(plan, duplicateIndices[index] ?? 0), transfers: indices });',
    'change constant',
    'Every transaction has its number, so that no default is used.',
  ),
  ...explain(
    packApart,
    'if (firsts.size === transfers.length) return transactions.map(() => 0);',
    'delete statement',
    'It saves a comparison: where no two transfers are equal, no two transactions are.',
  ),
  ...explain(`${batch}/check-batch.ts`, 'const [first = 0n] = amounts;', 'change constant', 'A batch has a transfer.'),
  ...['const needed = (this.#needed[part] ?? 0) - 1;', 'const needed = this.#needed[part] ?? 0;'].flatMap((line) =>
    explain(load, line, 'change constant', everyPartIsThere, '0'),
  ),
  ...explain(
    load,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (!part) throw new RangeError(`there is no shared part ${index}`);',
    'delete statement',
    everyPartIsThere,
  ),
  ...explain(
    load,
    'if (this.#taken.bytes + transfer.bytes > this.#limits.bytes) return false;',
    ['delete statement', 'swap arithmetic'],
    'It saves to put a transfer in that is taken out again.',
  ),
  ...explain(load, 'return false;', 'delete statement', 'A function that returns nothing says no, too.'),
  ...explain(
    payments,
    "if (typeof amount === 'bigint') return { to, amount, memo, references, field };",
    'delete statement',
    'It saves an object: base units are resolved to themselves.',
  ),
  ...explain(
    load,
    'taken.accounts + limitAccounts <= accounts &&',
    'swap arithmetic',
    'Where a limit is an instruction, all bytes are taken by fewer accounts.',
  ),
  ...explain(
    packApart,
    'if (new Set(transfers.map(({ to }) => to)).size === transfers.length) return transactions.map(() => 0);',
    'delete statement',
    'It saves a comparison: where no recipient is paid twice, no two transactions are equal.',
  ),
  ...explain(weighBatch, 'parts[partCount++] = indices[need] ?? 0;', 'change constant', everyPartIsThere),
  ...explain(
    weighBatch,
    'function areFirst(some: readonly number[], others: readonly number[]): boolean {',
    'return early',
    savesList,
  ),
  ...explain(
    weighBatch,
    'for (let index = 0; index < others.length; index++) if (some[index] !== others[index]) return false;',
    'shift boundary',
    savesList,
  ),
  ...explain(weighBatch, 'return true;', ['delete statement', 'change constant'], savesList),
  ...explain(needs, 'const noNeed = -1;', 'change constant', 'Any number below zero will do.'),
  ...[
    ['return this.#ends[parcelIndex] ?? 0;'],
    ['return (this.#useCounts[need] ?? 0) > 1 || need === this.#limitProgram;', '0'],
    ['this.#useCounts[need] = (this.#useCounts[need] ?? 0) + 1;', '0'],
  ].flatMap(([line = '', original]) => explain(needs, line, 'change constant', everyNeedIsThere, original)),
  ...explain(needs, 'const maxUnnamedNeeds = 6;', 'change constant', 'Room for more needs is not used.'),
  ...explain(
    needs,
    'const maxCount = frameAccounts.length + programCount + maxNeeds;',
    'swap arithmetic',
    'Room for more needs is not used, and few transfers have as many as there is room for.',
  ),
  ...explain(
    payments,
    '(nonceAccount === undefined || isRead(nonceAccount));',
    'swap logic',
    'It saves a list, which is empty where all is read.',
  ),
  ...explain(
    parcelOf,
    'hookAccounts.length === 0',
    'change constant',
    'It saves a list: an equal one is made again. A hook has two accounts at least.',
  ),
  ...explain(
    packApart,
    'return transactions.sort(([a = 0], [b = 0]) => a - b);',
    'change constant',
    'Every transaction has a transfer, so that no default is used.',
  ),
  ...explain(
    packApart,
    "if ('tooLarge' in packed) throw new Error('what is too large was taken out');",
    'delete statement',
    'It never happens: it is for the types.',
  ),
  ...explain(
    summary,
    "if (memo !== '' && warnOfMemo(memo).length > 0) memos.add(memo);",
    ['swap logic', 'drop call', 'shift boundary'],
    'It saves to join memos of which there is nothing to tell.',
  ),
  ...explain(
    summary,
    'if (new Set(recipients).size === recipients.length) return [];',
    'delete statement',
    'It saves a list of each recipient, of which none is there twice.',
  ),
];
