// Writes the golden vectors anew: `node packages/core/test/vectors/make.ts`. Only for a change of the bytes that is meant: the
// difference shows in the history.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { addressFromBytes } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { planOf, type Vector, type VectorPlan, vectorsFolder } from '../vector.ts';

const named = (name: string) => addressFromBytes(createHash('sha256').update(`splwright vector ${name}`).digest());

const cases: [name: string, parts: Partial<VectorPlan>][] = [
  ['01-token-memo-ascii', { memo: 'Invoice 4711' }],
  ['03-token-memo-unicode', { memo: 'Grüße, 漢字, 👩‍👩‍👧, \u0000, \ufeff, "\\"', decimals: 9 }],
  ['05-token-memo-128-bytes', { memo: 'x'.repeat(128), amount: '18446744073709551615', decimals: 255 }],
  ['06-token-2022-memo-916-bytes', { token_program: token2022Program, memo: 'y'.repeat(916) }],
  ['07-token-memo-compute-limit', { memo: '漢'.repeat(100), compute_unit_limit: 1_250_000 }],
  ['08-token-create', { creates_recipient_token_account: true }],
  ['09-token-2022-create', { token_program: token2022Program, creates_recipient_token_account: true }],
];

for (const [name, parts] of cases) {
  const seeds = { tokenProgram: parts.token_program === token2022Program ? token2022Program : tokenProgram };
  const mint = named('mint');
  const plan: VectorPlan = {
    sender: named('sender'),
    recipient: named('recipient'),
    mint,
    token_program: seeds.tokenProgram,
    decimals: 6,
    amount: '1500000',
    sender_token_account: findAssociatedTokenAddress({ ...seeds, mint, owner: named('sender') }).address,
    recipient_token_account: findAssociatedTokenAddress({ ...seeds, mint, owner: named('recipient') }).address,
    creates_recipient_token_account: false,
    memo: null,
    compute_unit_limit: null,
    ...parts,
  };
  const vector: Vector = { name, plan, blockhash: named(`blockhash ${name}`), transaction: '' };
  vector.transaction = Buffer.from(buildTransaction(planOf(vector), vector.blockhash)).toString('hex');
  writeFileSync(new URL(`${name}.json`, vectorsFolder), `${JSON.stringify(vector, null, 2)}\n`);
}
