import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCloseAccountInstruction, createSyncNativeInstruction } from '@solana/spl-token';
import { Keypair, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { token2022Program } from '../../../core/src/addresses/programs.ts';
import { encodeBase58, findAssociatedTokenAddress, parseMemo, toAddress } from '../../../core/src/index.ts';
import { toMessage } from '../../../core/src/plan/plan-message.ts';
import type { TransferPlan } from '../../../core/src/plan/transfer-plan.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { type PlanParts, planWith } from '../../../core/test/fixtures.ts';
import { thawOf } from '../../../core/test/thaw.ts';
import { runCaptured } from './run-captured.ts';

const alice = toAddress('FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn');
const bob = toAddress('7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu');
const mint = toAddress('2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD');
const blockhash = 'H4VxZtDLTAsUA7dheoThThPrQuskbv2JQLRhXxFGyrte';

function tokenAccountOf(owner: typeof alice) {
  return findAssociatedTokenAddress({ owner, tokenProgram: token2022Program, mint });
}

function sampleTransaction(parts: PlanParts = {}): Uint8Array {
  const memo = parseMemo('for the "books"\n');
  assert.ok('memo' in memo);
  const plan = planWith({
    sender: alice,
    recipient: bob,
    mint,
    tokenProgram: token2022Program,
    createsRecipientTokenAccount: true,
    memo: memo.memo,
    computeUnitLimit: 450_000,
    ...parts,
  });
  return encodeTransaction(toMessage(plan, blockhash));
}

function inspect(input: string, argument = true, options: readonly string[] = []) {
  const args = argument ? [...options, input] : options;
  return runCaptured(['inspect', ...args], { input: { isTerminal: false, read: async () => input } });
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
      `   to         ${tokenAccountOf(bob).address}`,
    ]) {
      assert.ok(stdout.includes(`${expected}\n`), `${expected}\n\n${stdout}`);
    }
    assert.match(stdout, new RegExp(`^0  +${alice} +signs +writable +fee payer, sender$`, 'm'));
    assert.match(stdout, new RegExp(`^\\d+  +${bob} +recipient's wallet$`, 'm'));
    assert.match(stdout, new RegExp(`^\\d+  +${token2022Program} +Token-2022$`, 'm'));
  });

  it('describes a thaw, its gate program and what that reads', async () => {
    const thaw = thawOf(1);
    const { stdout } = await inspect(Buffer.from(sampleTransaction({ thaw })).toString('base64'));
    const [list, extra] = thaw.gateAccounts;
    const expected = [
      '3. thaw a token account if it is frozen and the gate program agrees',
      `   account    ${tokenAccountOf(bob).address}`,
      `   owner      ${bob}`,
      `   mint       ${mint}`,
      `   asked by   ${alice}`,
      `   gate       ${thaw.gateProgram}`,
      `   gate reads ${list}`,
      `   gate reads ${extra}`,
    ];
    assert.ok(stdout.includes(`${expected.join('\n')}\n`), stdout);
    assert.match(stdout, new RegExp(`^\\d+  +${thaw.gateProgram} +gate program$`, 'm'));
  });

  it('names every byte on request, in terms of what it says before', async () => {
    const output = await inspect(encodings.base64, true, ['--bytes']);
    assert.equal(output.status, 0);
    const plain = (await inspect(encodings.base64)).stdout;
    assert.ok(output.stdout.startsWith(plain));
    const [heading, ...rows] = output.stdout.slice(plain.length).trim().split('\n');
    assert.match(heading ?? '', /^bytes +part +what it is$/);
    for (const expected of [
      `^1-64 +signatures +signature of ${alice}: not signed yet$`,
      `^69-100 +accounts +account 0: ${alice}, signs, writable, fee payer, sender$`,
      `^\\d+-\\d+ +lifetime +blockhash: ${blockhash}$`,
      `^\\d+ +instruction 4 +program: account \\d+, ${token2022Program} \\(Token-2022\\)$`,
      `^\\d+ +instruction 4 +to: account \\d+, ${tokenAccountOf(bob).address}$`,
      `^\\d+-\\d+ +instruction 4 +amount: 1500000 base units$`,
      `^${bytes.length - 1} +instruction 4 +decimals: 6$`,
      '^\\d+-\\d+ +instruction 1 +limit: 450000 compute units$',
      '^\\d+-\\d+ +instruction 3 +memo "for the \\\\"books\\\\"\\\\n"$',
    ]) {
      assert.ok(
        rows.some((row) => new RegExp(expected).test(row)),
        `${expected}\n${rows.join('\n')}`,
      );
    }
  });

  it('says what the options added: another payer, the nonce, the price, and the limits of version 1', async () => {
    const nonceAccount = toAddress('gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU');
    const parts = {
      feePayer: bob,
      nonce: { account: nonceAccount, authority: alice, nonce: blockhash },
      computeUnitPrice: 25_000n,
      priorityFee: 11_250n,
    };
    const base64 = (version: TransferPlan['version']): string =>
      Buffer.from(sampleTransaction({ ...parts, version })).toString('base64');
    const { stdout } = await inspect(base64(0));
    for (const expected of [
      `fee payer  ${bob}`,
      `signer     ${alice}`,
      `nonce      ${blockhash}`,
      `1. advance the nonce account ${nonceAccount}`,
      `   authority  ${alice}`,
      '2. set the compute unit limit to 450000',
      '3. set the compute unit price to 25000 micro-lamports',
    ]) {
      assert.ok(stdout.includes(`${expected}\n`), `${expected}\n\n${stdout}`);
    }
    assert.match(stdout, /^version 0 message, \d+ of 1232 bytes, 0 of 2 signed\n/);

    const { stdout: version1 } = await inspect(base64(1));
    assert.match(version1, /^version 1 message, \d+ of 4096 bytes, 0 of 2 signed\n/);
    assert.ok(
      version1.includes('limits     450000 compute units, 67108864 bytes of accounts\npriority   11250 lamports\n'),
    );
    assert.doesNotMatch(version1, /set the compute unit/);
  });

  it('warns of what the bytes alone show, and of nothing else', async () => {
    const plain = parseMemo('order 7');
    const strange = parseMemo('order\u202e7\u200b\u001b[2J\u007f');
    assert.ok('memo' in plain && 'memo' in strange);
    const nonce = { account: mint, authority: alice, nonce: blockhash };
    const inspected = async (parts: PlanParts): Promise<string> =>
      (await inspect(Buffer.from(sampleTransaction(parts)).toString('base64'))).stdout;
    assert.doesNotMatch(await inspected({ memo: plain.memo }), /warning/);
    const text = await inspected({ memo: strange.memo, nonce });
    assert.match(text, /^warning {4}The transaction can land until the nonce account/m);
    assert.match(text, /^warning {4}The memo has control characters \(U\+001B, U\+007F\)/m);
    assert.match(text, /^warning {4}The memo has characters that change the direction of text \(U\+202E\)/m);
    assert.match(text, /^warning {4}The memo has characters that are not shown \(U\+200B\)/m);
    assert.ok(text.includes('memo "order\\u{202E}7\\u{200B}\\u001b[2J\\u{7F}"\n'), text);
    for (const character of '\u202e\u200b\u001b\u007f') {
      assert.ok(!text.includes(character), 'a terminal would follow it');
    }
  });

  it('shows the additional accounts of a transfer: references and those of a hook', async () => {
    const extra = Keypair.generate().publicKey.toBase58();
    const hookAccounts = [{ address: toAddress(extra), signer: false, writable: true }];
    const bytes = sampleTransaction({ references: [mint], hookAccounts });
    const { stdout } = await inspect(Buffer.from(bytes).toString('base64'));
    assert.ok(stdout.includes(`   also gets  ${mint}\n   also gets  ${extra}, writable\n`), stdout);
  });

  it('reads the longest transaction that there is, in every encoding', async () => {
    const memo = parseMemo('m'.repeat(3500));
    assert.ok('memo' in memo);
    const longest = sampleTransaction({ version: 1, memo: memo.memo });
    for (const text of [
      JSON.stringify([...longest]),
      Buffer.from(longest).toString('base64'),
      encodeBase58(longest),
      Buffer.from(longest).toString('hex'),
    ]) {
      const { status, stdout } = await inspect(text);
      assert.equal(status, 0);
      assert.ok(stdout.startsWith(`version 1 message, ${longest.length} of 4096 bytes`));
    }
  });

  it('shows instructions of programs that it does not know, with their accounts and data', async () => {
    const payer = Keypair.generate();
    const program = Keypair.generate().publicKey;
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(
      SystemProgram.allocate({ accountPubkey: payer.publicKey, space: 5 }),
      new TransactionInstruction({ programId: program, keys: [], data: Buffer.from([0xca, 0xfe]) }),
    );
    transaction.sign(payer);
    const { stdout } = await inspect(transaction.serialize().toString('base64'));
    assert.match(stdout, /1 of 1 signed/);
    assert.match(stdout, /1\. an instruction of the program 1{32} \(System program\), not known here/);
    assert.ok(stdout.includes(`2. an instruction of the program ${program}, not known here\n   data       cafe`));
    assert.match(stdout, new RegExp(`account    ${payer.publicKey}, .*writable`));
  });

  it('shows how wrapped SOL is counted, and given back', async () => {
    const [owner, account] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
    const transaction = new Transaction({ feePayer: owner, recentBlockhash: blockhash }).add(
      createSyncNativeInstruction(account),
      createCloseAccountInstruction(account, owner, owner),
    );
    const { stdout } = await inspect(transaction.serialize({ requireAllSignatures: false }).toString('base64'));
    const counted = `1. count the SOL of a token account of SPL Token as its tokens\n   account    ${account}\n`;
    const closed = `2. close a token account of SPL Token\n   account    ${account}\n   SOL to     ${owner}\n   owner      ${owner}\n`;
    assert.ok(stdout.includes(counted + closed), stdout);
  });

  it('says what is wrong with anything else, and exits with 1', async () => {
    assert.match(
      (await inspect(Buffer.from(bytes).toString('base64').slice(0, -8))).stderr,
      /the bytes end at \d+, too early/,
    );
    assert.match((await inspect(`${Buffer.from(bytes).toString('hex')}00`)).stderr, /1 bytes follow the end/);
    const signature = await inspect(encodeBase58(new Uint8Array(64).fill(7)));
    assert.match(
      signature.stderr,
      /these 64 bytes are not a transaction: as many as a signature or a secret key has\n$/,
    );
    for (const text of ['', '{}', '[1,2,300]', '[1,2', 'not a transaction!', 'é']) {
      const { status, stdout, stderr } = await inspect(text, text !== '');
      assert.equal(status, 1, text);
      assert.equal(stdout, '');
      assert.match(stderr, /^splwright inspect: /);
    }
  });

  it('prints one line of JSON with --json: what the text says, by names like those of the API', async () => {
    const base64 = Buffer.from(sampleTransaction()).toString('base64');
    const { status, stdout, stderr } = await inspect(base64, true, ['--json']);
    assert.deepEqual([status, stderr, stdout.split('\n').length], [0, '', 2]);
    const { fee_payer: feePayer, instructions, accounts, warnings, bytes: named } = JSON.parse(stdout);
    assert.deepEqual([feePayer, named], [alice, undefined]);
    const transfer = instructions.find(({ kind }: { kind: string }) => kind === 'transfer_checked');
    assert.deepEqual([transfer.mint, typeof transfer.amount], [mint, 'string']);
    assert.deepEqual(accounts[0], { address: alice, signer: true, writable: true });
    assert.deepEqual(
      warnings.map(({ code }: { code: string }) => code),
      ['memo_control_characters'],
    );
    const withBytes = await inspect(base64, true, ['--json', '--bytes']);
    assert.deepEqual(JSON.parse(withBytes.stdout).bytes[0].offset, 0);
    const refused = await inspect('AAAA', true, ['--json']);
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
  });
});
