import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allRules, openCourt } from '../../../../test/judge/court.ts';
import { plainTransfer, plainWorld, token2022, type World } from '../../../../test/judge/world.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { VerificationError, type VerifyOptions, verifyLink, verifyTransfer } from '../../src/verify/index.ts';
import { thief } from './mutations.ts';
import { type Parts, putTogether, takeApart } from './parts.ts';
import { type AnsweredWorld, answerWorld, replyWith } from './worlds.ts';

const [rules] = allRules;
if (!rules) throw new Error('there are no rules');
const court = openCourt(rules);
let number = 0;

async function answer(world: Partial<World>): Promise<AnsweredWorld> {
  const answered = await answerWorld(court, { ...plainWorld, seed: 78, number: number++, ...world });
  if (!answered) throw new Error('the service refuses');
  return answered;
}

const transfer = { operation: 'transfer', transfer: plainTransfer } as const;
const plain = await answer({
  ...transfer,
  transfer: { ...plainTransfer, hasMemo: true },
  options: { references: [0] },
});
const byLevel = await answer({
  ...transfer,
  options: { priorityFee: { kind: 'level', level: 'high', recentPrices: [10n ** 9n] } },
});
const hooked = await answer({
  ...transfer,
  mint: token2022({ kind: 'transfer_hook', hook: 'fixed_and_derived' }),
});
const withheld = (basisPoints: number) => {
  const fee = { basisPoints, maximumFee: 2n ** 64n - 1n };
  return answer({
    operation: 'transfer',
    transfer: { ...plainTransfer, amountText: 'received' },
    mint: token2022({ kind: 'transfer_fee', older: fee, newer: fee, newerCounts: 'before' }),
    amount: 1_011n,
  });
};
const sponsored = await answer({ ...transfer, options: { feePayer: { wallet: 'wallet', lamports: 'plenty' } } });

describe('a verified transfer', () => {
  it('is described as data and in one sentence', async () => {
    const { request, reply, situation, lifetimeToken, bytes } = plain;
    const { sender, recipient, mint, recipientTokenAccount, references } = situation;
    const verified = await verifyTransfer(request, reply, { operation: '/v1/transfers' });
    assert.deepEqual(verified.payments, [
      {
        recipient,
        recipientTokenAccount,
        amount: 1_000n,
        createsTokenAccount: false,
        memo: 'order 7',
        references,
        hookAccounts: [],
        thaw: undefined,
      },
    ]);
    assert.deepEqual([verified.signers, verified.signed], [[sender], []]);
    assert.deepEqual(verified.transaction, bytes);
    assert.equal(
      verified.sentence,
      `${sender} sends 0.001 to ${recipient} with the memo "order 7" under ${references[0]}, in tokens of the mint ${mint}; ` +
        `${sender} pays the network fee; valid with blockhash ${lifetimeToken}`,
    );
  });

  it('is of a request in which a field that is null is absent', async () => {
    const { request, reply } = plain;
    const absent = {
      yid: null,
      fee_payer: null,
      splits: null,
      layout: null,
      nonce_account: null,
      amount_decimal: null,
    };
    const { sentence } = await verifyTransfer({ ...absent, ...request }, reply);
    assert.equal(sentence, (await verifyTransfer(request, reply)).sentence);
    // What stands in its place counts, and what the bytes have in addition is found.
    await assert.rejects(verifyTransfer({ ...request, memo: null }, reply), { code: 'wrong_instruction' });
    await assert.rejects(verifyTransfer({ ...request, splits: [{ to_address: null, amount: '1' }] }, reply), {
      code: 'invalid_request',
    });
  });

  it('has the blockhash that the request names', async () => {
    const { request, reply, lifetimeToken } = plain;
    const asking = { ...request, recent_blockhash: lifetimeToken };
    assert.equal((await verifyTransfer(asking, reply)).lifetimeToken, lifetimeToken);
    const other = { ...request, recent_blockhash: 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W' };
    await assert.rejects(verifyTransfer(other, reply), { code: 'wrong_lifetime', part: 'blockhash' });
  });

  it('says what could not be known, and compares what the caller knows', async () => {
    const { request, reply, built } = plain;
    const { tokenProgram } = built.plan;
    assert.deepEqual((await verifyTransfer(request, reply)).unknown, ['decimals', 'token_program']);
    assert.deepEqual((await verifyTransfer(request, reply, { decimals: 6, tokenProgram })).unknown, []);
    await assert.rejects(verifyTransfer(request, reply, { decimals: 9 }), {
      code: 'wrong_decimals',
      part: 'decimals',
      expected: '9',
      actual: '6',
      message: 'wrong_decimals: decimals: expected 9, found 6',
    });
    await assert.rejects(verifyTransfer(request, reply, { tokenProgram: 'other' }), { code: 'wrong_token_program' });
    await assert.rejects(verifyTransfer(request, reply, { lifetimeToken: 'x' }), { code: 'wrong_lifetime' });
  });

  it('may cost 1,000,000 lamports for priority, or what the caller allows', async () => {
    const { request, reply, built } = byLevel;
    const { priorityFee } = built.plan;
    assert.equal((await verifyTransfer(request, reply)).priorityFeeLamports, priorityFee);
    const exact = await verifyTransfer(request, reply, { maxPriorityFeeLamports: priorityFee });
    assert.match(exact.sentence, /a priority fee of \d+ lamports/);
    const tooLow = verifyTransfer(request, reply, { maxPriorityFeeLamports: Number(priorityFee) - 1 });
    await assert.rejects(tooLow, { code: 'priority_fee_too_high' });
  });

  it('calls a transfer hook only where the caller allows it, and lists its accounts', async () => {
    const { request, reply, built } = hooked;
    await assert.rejects(verifyTransfer(request, reply), { code: 'transfer_hook_not_allowed' });
    const { payments } = await verifyTransfer(request, reply, { allowTransferHook: true });
    const expected = built.plan.payments
      .flatMap(({ hookAccounts }) => hookAccounts)
      .map(({ address, writable }) => ({ address, isWritable: writable }));
    assert.deepEqual(payments[0]?.hookAccounts, expected);
  });

  it('hands a transfer hook no account that signs, whatever the caller allows', async () => {
    const hook = token2022({ kind: 'transfer_hook', hook: 'fixed_and_derived' });
    const options = { feePayer: { wallet: 'wallet', lamports: 'plenty' } } as const;
    const answered = await answer({ ...transfer, mint: hook, options });
    for (const address of [answered.situation.sender, answered.situation.feePayer].map(toAddress)) {
      const parts = takeApart(answered.bytes);
      parts.instructions.at(-1)?.accounts.splice(4, 0, { address, signer: true, writable: address === parts.feePayer });
      const expected = { code: 'transfer_hook_not_allowed', actual: address };
      for (const request of [answered.request, { ...answered.request, references: [address] }]) {
        const reply = replyWith(answered, putTogether(parts));
        await assert.rejects(verifyTransfer(request, reply, { allowTransferHook: true }), expected);
      }
    }
  });

  it('sends what must arrive and what the mint withholds, as the reply says both, within what the caller allows', async () => {
    const { request, reply } = await withheld(100);
    const { sentence, payments } = await verifyTransfer(request, reply);
    assert.equal(payments[0]?.amount, 1_011n);
    assert.match(sentence, /sends 0\.001011 to .*; of it 0\.001 arrive, as the service says$/);
    const { data: built } = Object(reply);
    const warnings = [{ code: 'scheduled_transfer_fee', detail: 'words of the service' }];
    const changing = { ...Object(reply), data: { ...built, summary: { ...built.summary, warnings } } };
    const warned = await verifyTransfer(request, changing);
    assert.equal(warned.sentence, `${sentence}, until the mint's fee changes (scheduled_transfer_fee)`);
    const claiming = (sent: string, received: string): unknown => {
      const { data, ...others } = Object(reply);
      const summary = { ...data.summary, amount: { base_units: sent }, received_amount: { base_units: received } };
      return { ...others, data: { ...data, summary } };
    };
    for (const [asked, claimed] of [
      [request, claiming('1012', '1000')],
      [request, claiming('1011', '1001')],
      [{ ...request, amount_received: '1001' }, reply],
    ] as const) {
      await assert.rejects(verifyTransfer(asked, claimed), { code: 'wrong_amount' });
    }
    const tooLittle = { code: 'wrong_amount', part: 'transfer fee', expected: 'at most 50 basis points', actual: '11' };
    await assert.rejects(verifyTransfer(request, reply, { maxTransferFeeBasisPoints: 50 }), tooLittle);
    await assert.rejects(verifyTransfer({ ...request, amount: '1011' }, reply), { code: 'invalid_request' });
    const dear = await withheld(2_000);
    await assert.rejects(verifyTransfer(dear.request, dear.reply), { code: 'wrong_amount', part: 'transfer fee' });
    await verifyTransfer(dear.request, dear.reply, { maxTransferFeeBasisPoints: 2_000 });
  });

  it('sends of "max" what the reply says, and no other amount', async () => {
    const max = { ...plainTransfer, amountText: 'max' } as const;
    const { request, reply, bytes, ...others } = await answer({ ...transfer, transfer: max, balance: 'exact' });
    const { payments } = await verifyTransfer(request, reply, { operation: '/v1/transfers' });
    assert.equal(payments[0]?.amount, 1_000n);
    const parts = takeApart(bytes);
    parts.instructions.at(-1)?.data.set([1], 2);
    const changed = replyWith({ request, reply, bytes, ...others }, putTogether(parts));
    await assert.rejects(verifyTransfer(request, changed), { code: 'wrong_amount' });
    const { data, ...rest } = Object(reply);
    const silent = { ...rest, data: { ...data, summary: undefined } };
    await assert.rejects(verifyTransfer(request, silent), { code: 'invalid_request', part: 'amount' });
  });

  it('wraps and unwraps SOL of the sender only where that was asked for, and no more than is paid', async () => {
    const answered = await answer({
      operation: 'transfer',
      transfer: { ...plainTransfer, wraps: true, unwraps: true },
      ...({ mint: { kind: 'native', tokenProgram: 'classic' }, senderTokenAccount: 'missing' } as const),
    });
    const { request, reply, bytes, situation } = answered;
    const { sender } = situation;
    const { wrapped, unwraps, sentence } = await verifyTransfer(request, reply);
    assert.deepEqual([wrapped, unwraps], [1_000n, true]);
    assert.ok(sentence.startsWith(`${sender} wraps 1000 lamports; ${sender} sends 0.000001 to `), sentence);
    assert.ok(sentence.includes(`; what is left of it, ${sender} gets as SOL; `), sentence);
    for (const asked of [
      { ...request, wrap: undefined },
      { ...request, wrap: false },
      { ...request, unwrap: false },
    ]) {
      await assert.rejects(verifyTransfer(asked, reply), VerificationError);
    }
    const change = (act: (parts: Parts) => void) => {
      const parts = takeApart(bytes);
      act(parts);
      return verifyTransfer(request, replyWith(answered, putTogether(parts)));
    };
    // In their order: creation, transfer of SOL, sync, payment, close.
    await assert.rejects(
      change(({ instructions }) => instructions[1]?.data.set([0xe9, 0x03], 4)),
      { code: 'wrong_amount', part: 'wrap', expected: 'at most 1000', actual: '1001' },
    );
    for (const [index, account] of [
      [0, 0],
      [0, 1],
      [1, 1],
      [2, 0],
      [4, 0],
      [4, 1],
    ] as const) {
      await assert.rejects(
        change(({ instructions }) => {
          const found = instructions[index]?.accounts[account];
          if (found) found.address = toAddress(thief);
        }),
        VerificationError,
      );
    }
    await assert.rejects(
      change(({ instructions }) => instructions.splice(2, 1)),
      { code: 'wrong_data' },
    );
  });

  it('may have the valid signature of the sponsor, and no other', async () => {
    const { request, bytes, situation } = sponsored;
    const { sender, feePayer, signers } = situation;
    const message = bytes.subarray(1 + 2 * 64);
    const sign = (index: number): Uint8Array => {
      const signed = bytes.slice();
      signed.set(signers[index]?.sign(message) ?? [], 1 + 64 * index);
      return signed;
    };
    const bySponsor = replyWith(sponsored, sign(0));
    const verified = await verifyTransfer(request, bySponsor, { sponsor: feePayer });
    assert.deepEqual(verified.signed, [feePayer]);
    const unnamed = { ...request, fee_payer: 'sponsor' };
    assert.equal((await verifyTransfer(unnamed, bySponsor, { sponsor: feePayer })).feePayer, feePayer);
    assert.equal((await verifyTransfer(unnamed, bySponsor)).feePayer, feePayer);
    await assert.rejects(verifyTransfer(unnamed, bySponsor, { sponsor: thief }), { code: 'wrong_signers' });
    await assert.rejects(verifyTransfer(unnamed, replyWith(sponsored, bytes)), { code: 'wrong_signature' });
    await assert.rejects(verifyTransfer(request, bySponsor), { code: 'wrong_signature' });
    await assert.rejects(verifyTransfer(request, bySponsor, { sponsor: sender }), { code: 'wrong_signature' });
    const bySender = verifyTransfer(request, replyWith(sponsored, sign(1)), { sponsor: sender });
    await assert.rejects(bySender, { code: 'wrong_signature' });
    const forged = sign(0);
    forged[1] = (forged[1] ?? 0) ^ 1;
    const byForger = verifyTransfer(request, replyWith(sponsored, forged), { sponsor: feePayer });
    await assert.rejects(byForger, { code: 'wrong_signature' });
  });

  it('has no account that nothing needs, and no right that nothing needs', async () => {
    const { request, bytes, situation } = plain;
    // One signature, then the header and the number of accounts.
    const [header, count] = [65, 68];
    const end = count + 1 + 32 * (bytes[count] ?? 0);
    const more = Uint8Array.of(...bytes.subarray(0, end), ...new Uint8Array(32).fill(9), ...bytes.subarray(end));
    more[count] = (more[count] ?? 0) + 1;
    const writable = verifyTransfer(request, replyWith(plain, withReadonly(more, header, 0)));
    await assert.rejects(writable, { code: 'wrong_role' });
    const readonly = verifyTransfer(request, replyWith(plain, withReadonly(more, header, 1)));
    await assert.rejects(readonly, { code: 'wrong_role', expected: 'not there', actual: 'read-only' });
    const fewer = verifyTransfer(request, replyWith(plain, withReadonly(bytes, header, -1)));
    await assert.rejects(fewer, { code: 'wrong_role', expected: 'read-only', actual: 'writable' });
    const tooFew = verifyTransfer(request, replyWith(plain, withReadonly(bytes, header, 1)));
    const part = `account ${situation.recipientTokenAccount}`;
    await assert.rejects(tooFew, { code: 'wrong_role', part, expected: 'writable', actual: 'read-only' });
  });
});

// With so many more read-only accounts in the header.
function withReadonly(bytes: Uint8Array, header: number, more: number): Uint8Array {
  const changed = bytes.slice();
  changed[header + 2] = (changed[header + 2] ?? 0) + more;
  return changed;
}

describe('a request that cannot be verified', () => {
  const changed: readonly [part: string, change: object][] = [
    ['from_address', { from_address: undefined }],
    ['to_address', { to_address: 'bob' }],
    ['token_mint_address', { token_mint_address: null }],
    ['amount', { amount: 1000 }],
    ['amount', { amount: undefined }],
    ['amount', { amount_decimal: '0.001' }],
    ['amount', { amount: `${2n ** 64n}` }],
    ['amount_decimal', { amount: undefined, amount_decimal: '1e3' }],
    ['yid', { yid: 'one', memo: 'two' }],
    ['memo', { memo: '' }],
    ['memo', { memo: 7 }],
    ['references', { references: 'one' }],
    ['references', { references: [7] }],
    ['layout', { layout: 'other' }],
    ['splits', { splits: {} }],
    ['splits[0].to_address', { splits: [{ amount: '1' }] }],
    ['transaction_version', { transaction_version: '0' }],
    ['create_token_account', { create_token_account: 'maybe' }],
    ['priority_fee', { priority_fee: 'extreme' }],
    ['nonce_account', { nonce_account: 'one' }],
  ];

  for (const [part, change] of changed) {
    it(`is refused by the name of the field: ${JSON.stringify(change)}`, async () => {
      const request = { ...plain.request, ...change };
      const code = part === 'yid' ? 'unknown_field' : 'invalid_request';
      await assert.rejects(verifyTransfer(request, plain.reply), { code, part });
    });
  }

  it('is refused by the name of a field that is not known, in the request or in a split', async () => {
    const unknown = { ...plain.request, sender_token_account: plain.situation.senderTokenAccount };
    const code = 'unknown_field';
    await assert.rejects(verifyTransfer(unknown, plain.reply), { code, part: 'sender_token_account' });
    const splits = [{ to_address: plain.situation.recipient, amount: '1', memo: 'x' }];
    await assert.rejects(verifyTransfer({ ...plain.request, splits }, plain.reply), { code, part: 'splits[0].memo' });
    await assert.rejects(verifyTransfer([], plain.reply), { code: 'invalid_request' });
  });

  it('is refused where the sender would pay itself', async () => {
    const request = { ...plain.request, to_address: plain.situation.sender };
    await assert.rejects(verifyTransfer(request, plain.reply), { code: 'invalid_request', part: 'to_address' });
  });

  it('is one with more digits than the mint has decimals', async () => {
    const request = { ...plain.request, amount: undefined, amount_decimal: '0.0010000' };
    await assert.rejects(verifyTransfer(request, plain.reply), { code: 'wrong_decimals' });
    await verifyTransfer({ ...request, amount_decimal: '0.001' }, plain.reply);
    await verifyTransfer({ ...plain.request, amount: 1_000n }, plain.reply);
  });
});

function lastingUntil(height: unknown): object {
  return { blockhash: plain.lifetimeToken, last_valid_block_height: height };
}

describe('a reply', () => {
  it('has no last valid block height, or that of the request, or one within 160 blocks of the current one', async () => {
    const { request } = plain;
    const verify = (height: string | undefined, asked: object = {}, options: VerifyOptions = {}): Promise<unknown> => {
      const data = { ...Object(plain.reply).data, lifetime: lastingUntil(height) };
      return verifyTransfer({ ...request, ...asked }, { data }, options);
    };
    const wrong = { code: 'wrong_lifetime', part: 'last_valid_block_height' };
    await verify(undefined, {}, { currentBlockHeight: 9_000n });
    for (const height of ['8840', '9160']) await verify(height, {}, { currentBlockHeight: 9_000 });
    for (const height of ['8839', '9161', '150']) {
      await assert.rejects(verify(height, {}, { currentBlockHeight: 9_000n }), wrong);
    }
    await verify('150', {}, { currentBlockHeight: 0 });
    const asked = { recent_blockhash: plain.lifetimeToken, last_valid_block_height: '9000' };
    await verify('9000', asked);
    await assert.rejects(verify('8999', asked), { ...wrong, expected: '9000' });
    const byNonce = await answer({ ...transfer, options: { nonceAccount: { state: 'of_sender', sentLate: false } } });
    const { data } = Object(byNonce.reply);
    const lifetime = { ...data.lifetime, last_valid_block_height: '9000' };
    await assert.rejects(verifyTransfer(byNonce.request, { data: { ...data, lifetime } }), wrong);
  });

  it('of bytes alone, to a request with an identifier, is one that creates nothing, unless the path says otherwise', async () => {
    const created = await answer({ operation: 'create_transfer', options: { memoField: 'yid' } });
    await assert.rejects(verifyTransfer(created.request, created.reply), { code: 'wrong_instruction' });
    await verifyTransfer(created.request, created.reply, { operation: created.path });
    const named = await answer({ operation: 'yid_transfer' });
    await verifyTransfer(named.request, named.reply);
  });

  it('has the shape of its operation, and its bytes in the encoding that was asked for', async () => {
    const { request, reply } = plain;
    const code = 'invalid_reply';
    for (const other of [
      undefined,
      null,
      'x',
      {},
      { data: null },
      { data: 7 },
      { data: {} },
      { data: { lifetime: {} } },
    ]) {
      await assert.rejects(verifyTransfer(request, other, { operation: '/v1/transfers' }), { code });
    }
    await assert.rejects(verifyTransfer(request, reply, { operation: '/v1/token-transfer-memo-hash' }), { code });
    const { data } = Object(reply);
    for (const transaction of [`${data.transaction} `, data.transaction.replace(/=*$/, '*'), [...plain.bytes]]) {
      await assert.rejects(verifyTransfer(request, { data: { ...data, transaction } }), { code });
    }
  });

  it('says of its bytes what they are', async () => {
    const { request, reply } = plain;
    const { data } = Object(reply);
    const claims: [code: string, claim: object][] = [
      ['wrong_signers', { signers: [plain.situation.recipient] }],
      ['wrong_version', { transaction_version: 0 }],
      ['wrong_lifetime', { lifetime: { blockhash: plain.situation.mint } }],
      ['invalid_reply', { lifetime: {} }],
      ['wrong_lifetime', { lifetime: { nonce: plain.lifetimeToken, nonce_account: plain.situation.mint } }],
    ];
    for (const height of ['1', '149', '', '-1', '1e9', 1_000, null]) {
      claims.push(['wrong_lifetime', { lifetime: lastingUntil(height) }]);
    }
    for (const [code, claim] of claims) {
      await assert.rejects(verifyTransfer(request, { data: { ...data, ...claim } }), { code });
    }
  });

  it('has its bytes as integers of a byte, where an array was asked for', async () => {
    const asArray = await answer({ operation: 'create_transfer' });
    const request = { ...asArray.request, encoding: undefined };
    const data = [...asArray.bytes];
    await verifyTransfer(request, { data });
    for (const byte of [-1, 256, 0.5, '0', null]) {
      const changed = verifyTransfer(request, { data: [byte, ...data.slice(1)] });
      await assert.rejects(changed, { code: 'invalid_reply' });
    }
    await assert.rejects(verifyTransfer({ ...request, encoding: 'base58' }, { data: '0OIl' }), {
      code: 'invalid_reply',
    });
  });
});

describe('the transaction of a payment link', () => {
  it('is compared with the terms that the payer has agreed to', async () => {
    const { situation, bytes } = plain;
    const terms = {
      account: situation.sender,
      to_address: situation.recipient,
      token_mint_address: situation.mint,
      amount: 1_000n,
      memo: 'order 7',
      reference: situation.references[0] ?? '',
    };
    const reply = { transaction: Buffer.from(bytes).toString('base64') };
    assert.equal((await verifyLink(terms, reply)).payments[0]?.amount, 1_000n);
    const { amount: _, ...others } = terms;
    await verifyLink({ ...others, amount_decimal: '0.001' }, reply);
    await assert.rejects(verifyLink({ ...terms, amount: 999n }, reply), { code: 'wrong_amount' });
    await assert.rejects(verifyLink({ ...terms, memo: null }, reply), { code: 'wrong_instruction' });
    await assert.rejects(verifyLink({ ...terms, reference: situation.mint }, reply), { code: 'wrong_account' });
    await assert.rejects(verifyLink({ ...terms, to_address: situation.mint }, reply), { code: 'wrong_account' });
  });
});
