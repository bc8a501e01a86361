import { type Explanation, explain } from './explanation.ts';

const store = 'packages/server/src/keys/store';
const keyedRows = `${store}/idempotency/idempotency-rows.ts`;
const linkRows = `${store}/payment-links/payment-link-rows.ts`;

const narrowsType = 'It narrows a type: a member that is missing is refused where it is read.';
const isNoForm = 'What is no JSON is then read as `undefined`, which is refused as every other form is.';

/** The mutants of the key store that no test can or need notice. */
export const explainedInKeys: readonly Explanation[] = [
  ...[
    "if (!('transaction' in value && 'last_valid_block_height' in value)) throw unreadable();",
    "if (!('transfers' in value && 'signature' in value && 'slot' in value)) throw unreadable();",
    "if (!('block_time' in value && 'message_hash' in value)) throw unreadable();",
  ].flatMap((line) => explain(keyedRows, line, ['delete statement', 'swap logic'], narrowsType)),
  ...[keyedRows, linkRows].flatMap((path) => explain(path, 'throw unreadable();', 'delete statement', isNoForm)),
];
