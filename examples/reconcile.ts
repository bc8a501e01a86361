import { readFileSync } from 'node:fs';
import { fromBase64, SplwrightClient } from 'splwright-client';
import { readWorld, service } from './sandbox.ts';

/** A line of your own records: what was built for which order. */
interface OpenPayment {
  order: string;
  /** As it was built or, better, as it was signed: base64. */
  transaction: string;
  last_valid_block_height: string;
}

// The sandbox names an API key; on a real network it comes from your configuration.
const world = await readWorld();
const client = new SplwrightClient({ url: service, apiKey: world.api_key });
const maxQuestions = 100;

// One JSON object a line: what your database has as not yet decided.
const [, , file = 'open-payments.jsonl'] = process.argv;
const open = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line): OpenPayment => JSON.parse(line));

console.log('order,outcome,is_final,signature,received');
for (let start = 0; start < open.length; start += maxQuestions) {
  const asked = open.slice(start, start + maxQuestions);
  const outcomes = await client.findOutcomes(
    asked.map((each) => ({ ...each, transaction: fromBase64(each.transaction) })),
  );
  for (const [index, { order }] of asked.entries()) {
    const { outcome, is_final: isFinal, signature = '', payments = [] } = outcomes[index] ?? {};
    // The last payment is the main one; those before it are splits.
    const received = payments.at(-1)?.received_amount ?? '';
    console.log([order, outcome, isFinal, signature, received].join(','));
  }
}
