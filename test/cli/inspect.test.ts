import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { runInspect } from '../../src/cli/inspect.ts';
import { encodeTransaction } from '../../src/core/encode-transaction.ts';
import { encodeBase58, findAssociatedTokenAddress, parseMemo, toAddress } from '../../src/core/index.ts';
import { planInstructions } from '../../src/core/plan-instructions.ts';
import { token2022Program } from '../../src/core/programs.ts';

const alice = toAddress('FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn');
const bob = toAddress('7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu');
const mint = toAddress('2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD');
const blockhash = 'H4VxZtDLTAsUA7dheoThThPrQuskbv2JQLRhXxFGyrte';

function tokenAccountOf(owner: typeof alice) {
  return findAssociatedTokenAddress({ owner, tokenProgram: token2022Program, mint }).address;
}

function sampleTransaction(): Uint8Array {
  const memo = parseMemo('for the "books"\n');
  assert.ok('memo' in memo);
  const instructions = planInstructions({
    version: 'legacy',
    computeUnitPrice: 0n,
    nonce: undefined,
    references: [],
    priorityFee: 0n,
    feePayer: alice,
    sender: alice,
    recipient: bob,
    mint,
    tokenProgram: token2022Program,
    decimals: 6,
    amount: 1_500_000n,
    senderTokenAccount: tokenAccountOf(alice),
    recipientTokenAccount: tokenAccountOf(bob),
    createsRecipientTokenAccount: true,
    memo: memo.memo,
    computeUnitLimit: 450_000,
    hookAccounts: [],
    transferFee: 0n,
    networkFee: 5000n,
    rent: 0n,
  });
  return encodeTransaction({
    version: 'legacy',
    feePayer: alice,
    instructions,
    lifetimeToken: blockhash,
    config: undefined,
  });
}

async function inspect(input: string, argument = true) {
  const output = { stdout: '', stderr: '' };
  const status = await runInspect({
    arguments: argument ? [input] : [],
    readInput: async () => input,
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
  });
  return { status, ...output };
}

describe('splwright inspect', () => {
  const bytes = sampleTransaction();
  const encodings = {
    'a JSON array': JSON.stringify([...bytes]),
    'a whole reply': JSON.stringify({ data: [...bytes], status: 'x' }),
    'a whole reply with a memo': JSON.stringify({ data: { transaction: [...bytes], latestBlockhash: blockhash } }),
    base64: Buffer.from(bytes).toString('base64'),
    base58: encodeBase58(bytes),
    hex: Buffer.from(bytes).toString('hex'),
  };

  for (const [name, text] of Object.entries(encodings)) {
    it(`reads ${name}, as an argument and from standard input`, async () => {
      const fromArgument = await inspect(text);
      assert.equal(fromArgument.status, 0, fromArgument.stderr);
      assert.deepEqual(await inspect(`${text}\n`, false), fromArgument);
      assert.match(fromArgument.stdout, /^legacy message, \d+ of 1232 bytes, 0 of 1 signed\n/);
    });
  }

  it('says everything the transaction does, in words and as a table', async () => {
    const { stdout } = await inspect(encodings.base64);
    for (const expected of [
      `fee payer  ${alice}`,
      `blockhash  ${blockhash}`,
      '1. set the compute unit limit to 450000',
      '2. create a token account of Token-2022, unless it exists',
      '3. memo "for the \\"books\\"\\n"',
      '4. transfer 1.5 tokens (1500000 base units, 6 decimals) of Token-2022',
      `   to         ${tokenAccountOf(bob)}`,
    ]) {
      assert.ok(stdout.includes(`${expected}\n`), `${expected}\n\n${stdout}`);
    }
    assert.match(stdout, new RegExp(`^0  +${alice} +signs +writable +fee payer, sender$`, 'm'));
    assert.match(stdout, new RegExp(`^\\d+  +${bob} +recipient's wallet$`, 'm'));
    assert.match(stdout, new RegExp(`^\\d+  +${token2022Program} +Token-2022$`, 'm'));
  });

  it('shows instructions of programs that it does not know, with their accounts and data', async () => {
    const payer = Keypair.generate();
    const program = Keypair.generate().publicKey;
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: new PublicKey(bob), lamports: 5 }),
      new TransactionInstruction({ programId: program, keys: [], data: Buffer.from([0xca, 0xfe]) }),
    );
    transaction.sign(payer);
    const { stdout } = await inspect(transaction.serialize().toString('base64'));
    assert.match(stdout, /1 of 1 signed/);
    assert.match(stdout, /1\. an instruction of the program 1{32} \(System program\), not known here/);
    assert.ok(stdout.includes(`2. an instruction of the program ${program}, not known here\n   data       cafe`));
    assert.ok(stdout.includes(`account    ${bob}, writable`));
  });

  it('says what is wrong with anything else, and exits with 1', async () => {
    assert.match(
      (await inspect(Buffer.from(bytes).toString('base64').slice(0, -8))).stderr,
      /the bytes end at \d+, too early/,
    );
    assert.match((await inspect(`${Buffer.from(bytes).toString('hex')}00`)).stderr, /1 bytes follow the end/);
    for (const text of ['', '{}', '[1,2,300]', '[1,2', 'not a transaction!', 'é']) {
      const { status, stdout, stderr } = await inspect(text, text !== '');
      assert.equal(status, 1, text);
      assert.equal(stdout, '');
      assert.match(stderr, /^splwright inspect: /);
    }
  });

  it('explains itself with --help, and exits with 2 for wrong usage', async () => {
    assert.match((await inspect('--help')).stdout, /usage: splwright inspect/);
    assert.equal((await inspect('--what')).status, 2);
  });
});
