import { type Html, html } from '../app/pages/html.ts';
import type { Operation } from '../operation.ts';

/** What the address of a form names: `/?form=transfer`. */
export type FormId = 'outcome' | 'inspect' | 'usage' | Operation;

/** An example of a reply, in the words in which the page shows one. */
interface ExampleReply {
  sentence: string;
  terms: readonly (readonly [string, string])[];
  /** What can be done with it. */
  next: string;
}

const ofTransfer: ExampleReply = {
  sentence: 'erin pays frank 12.5 USDC.',
  terms: [
    ['Received', '12.5 USDC'],
    ['Network fee', '0.000005 SOL'],
    ['Rent', '0.00148844 SOL'],
    ['Signs', 'erin'],
    ['Memo', 'invoice 7'],
  ],
  next: 'Sign and send it here, and watch it become final.',
};

const examples: Readonly<Record<FormId, ExampleReply>> = {
  transfer: ofTransfer,
  memo_transfer: ofTransfer,
  yid_transfer: ofTransfer,
  create_transfer: ofTransfer,
  batch: {
    sentence: 'erin pays 40 recipients 1800 USDC in 4 transactions.',
    terms: [
      ['Received', '1800 USDC'],
      ['New accounts', '12'],
      ['Network fee', '0.00002 SOL'],
    ],
    next: 'Sign and send them here. A batch goes on where it was when the page is closed in between.',
  },
  payment_link: {
    sentence: 'A QR code, and the address of a checkout page.',
    terms: [
      ['For', 'Tea house'],
      ['Amount', '12.5 USDC'],
      ['Pay until', 'in a week'],
    ],
    next: 'It shows here when the link is paid.',
  },
  outcome: {
    sentence: 'It landed, and is final.',
    terms: [
      ['Paid', '12.5 USDC to frank'],
      ['Signature', '5VERv8NMvz…qGX1yPm7Zf'],
      ['Fee', '0.000005 SOL'],
    ],
    next: 'Or that it failed, is pending, or never landed and never can.',
  },
  usage: {
    sentence: 'app',
    terms: [
      ['Rate', '60 requests per minute: 42 left'],
      ['Today', '18 requests, 12 of them built'],
      ['Amount', '45.5 of 50 USDC left today'],
    ],
    next: 'Type an API key to see its own.',
  },
  inspect: {
    sentence: 'The bytes, each with what it means.',
    terms: [
      ['0 to 64', 'one signature, still empty'],
      ['65 to 67', 'one signer, two accounts that are only read'],
    ],
    next: 'Point at a byte, or move with the arrow keys.',
  },
};

/** What stands in the place of the reply before there is one: an example that says that it is one. */
export function exampleReply(form: FormId): Html {
  const { sentence, terms, next } = examples[form];
  return html`<div class="example"><p class="hint">An example of what comes:</p>
<p class="sentence">${sentence}</p>
<dl class="terms">${terms.map(([term, text]) => html`<div><dt>${term}</dt><dd>${text}</dd></div>`)}</dl>
<p>${next}</p></div>`;
}
