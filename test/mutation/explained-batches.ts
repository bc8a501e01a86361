import { type Explanation, explain } from './explanation.ts';

const batch = 'packages/core/src/batch';
const planBatch = `${batch}/plan-batch.ts`;

const sameNumber = 'Either one is the same number where they are equal.';

/** The mutants of the core's batches that no test can or need notice. */
export const explainedInBatches: readonly Explanation[] = [
  ...explain(
    `${batch}/check-batch.ts`,
    'if (tokenAccount?.delegate?.address !== from) return amounts;',
    ['delete statement'],
    'Where nothing is delegated to the owner, only the sum of the amounts counts.',
  ),
  ...explain(
    `${batch}/decide-batch.ts`,
    'const whole = toTransferRequest(request, transfers);',
    'drop call',
    'The checks look at what a batch and a request have in common; the compiler of types refuses it.',
  ),
  ...explain(
    `${batch}/decide-batch.ts`,
    "if (!('transactions' in planned)) throw new Error('a batch without findings has transactions');",
    'delete statement',
    'A batch that cannot be planned has findings, and was refused before.',
  ),
  ...explain(
    `${batch}/decide-batch.ts`,
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
    `${batch}/tell-apart.ts`,
    'if (firsts.size === transfers.length) return transactions.map(() => 0);',
    'delete statement',
    'It saves a comparison: where no two transfers are equal, no two transactions are.',
  ),
  ...explain(`${batch}/check-batch.ts`, 'const [first = 0n] = amounts;', 'change constant', 'A batch has a transfer.'),
];
