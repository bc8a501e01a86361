import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, address, createSolanaRpc, getBase58Decoder, type Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { getTokenDecoder, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';
import {
  atDepth,
  type FormedPayment,
  memoOf,
  type PaymentForm,
  paymentDepths,
  paymentForms,
  paymentIn,
} from './payment-forms.ts';
import { installProxyProgram, proxyProgram, throughProxy } from './proxy-program.ts';
import { associatedTokenAccountOf, createTokenAccounts } from './token-accounts.ts';
import { type TokenMintKindName, tokenMintKinds } from './token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from './token-mints.ts';

const payer = keypairFromName('splwright sandbox wallet alice');
const recipient = keypairFromName('splwright sandbox wallet bob').address;
const [reference, other] = ['one reference', 'another reference'].map((name) => keypairFromName(name).address);
const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const amount = 1_000n;

describe('a payment in every form', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await startSandbox({ rpcPort: 0, slotMs: 0 });
    installProxyProgram(sandbox.ledger);
    // A program runs from the slot after the one in which it is written.
    sandbox.ledger.advanceSlots(1);
  });
  after(() => sandbox.close());

  async function paymentOf(kind: TokenMintKindName): Promise<FormedPayment & { mintOf: TokenMint }> {
    const mint = await createTokenMint(sandbox.ledger, tokenMintKinds[kind], `forms ${kind}`);
    const holders = [
      { owner: payer.address, amount: 1_000_000n },
      { owner: recipient, amount: 0n },
    ];
    await createTokenAccounts(sandbox.ledger, mint, holders);
    return {
      mintOf: mint,
      tokenProgram: mint.tokenProgram,
      source: await associatedTokenAccountOf(mint, payer.address),
      mint: mint.address,
      destination: await associatedTokenAccountOf(mint, recipient),
      authority: payer.address,
      amount,
      decimals: mint.decimals,
      fee: mint.transferFee?.(amount) ?? 0n,
    };
  }

  const balanceOf = (account: Address): bigint =>
    getTokenDecoder().decode(sandbox.ledger.getAccount(account)?.data ?? new Uint8Array()).amount;

  const send = (...instructions: Instruction[]) =>
    sandbox.ledger.sendTransaction(signedTransaction(instructions, [payer], sandbox.ledger.latestBlockhash()));

  const cases: readonly (readonly [TokenMintKindName, readonly PaymentForm[]])[] = [
    ['classic-6', paymentForms.filter((form) => form !== 'with_fee')],
    ['2022-plain', paymentForms.filter((form) => form !== 'with_fee')],
    ['2022-fee-1-percent', ['checked', 'with_fee', 'batch']],
  ];
  for (const [kind, forms] of cases) {
    it(`moves tokens of ${tokenMintKinds[kind].words} as ${forms.join(', ')}, at every depth`, async () => {
      const payment = await paymentOf(kind);
      for (const form of forms) {
        for (const depth of paymentDepths) {
          assert.ok(reference && other);
          const before = balanceOf(payment.destination);
          const formed = atDepth(depth, paymentIn(form, { ...payment, references: [reference] }), [other]);
          const { error, logs, signature } = send(formed);
          assert.equal(error, null, `${form} at ${depth}: ${logs.join('\n')}`);
          assert.equal(balanceOf(payment.destination) - before, amount - (payment.fee ?? 0n), `${form} at ${depth}`);
          const named = sandbox.ledger.transactionRecord(signature)?.addresses;
          assert.deepEqual([named?.includes(reference), named?.includes(other)], [true, true]);
          // So that the same payment has another blockhash.
          sandbox.ledger.advanceSlots(1);
        }
      }
    });
  }

  it('is shown by a node with its depth, its accounts and its data in base58', async () => {
    const payment = await paymentOf('classic-9');
    const transfer = paymentIn('checked', payment);
    const outer = throughProxy([throughProxy([transfer, memoOf('a memo', [payer.address])])]);
    const { signature } = send(memoOf('before'), outer);
    const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
    const found = await createSolanaRpc(sandbox.rpcUrl).getTransaction(signature, options).send();
    assert.ok(found?.meta);
    const keys = found.transaction.message.accountKeys;
    assert.deepEqual(
      found.meta.innerInstructions?.map(({ index, instructions }) => [
        index,
        instructions.map(({ programIdIndex, accounts, data, stackHeight }) => [
          keys[programIdIndex],
          accounts.map((each) => keys[each]).slice(0, 4),
          data,
          stackHeight,
        ]),
      ]),
      [
        [
          1,
          [
            [
              proxyProgram,
              [TOKEN_PROGRAM_ADDRESS, payment.source, payment.mint, payment.destination],
              getBase58Decoder().decode(
                throughProxy([transfer, memoOf('a memo', [payer.address])]).data ?? new Uint8Array(),
              ),
              2,
            ],
            [
              TOKEN_PROGRAM_ADDRESS,
              [payment.source, payment.mint, payment.destination, payer.address],
              getBase58Decoder().decode(transfer.data ?? new Uint8Array()),
              3,
            ],
            [memoProgram, [payer.address], getBase58Decoder().decode(Buffer.from('a memo')), 3],
          ],
        ],
      ],
    );
  });

  it('fails as a whole when a call fails, and needs the signature of the payer', async () => {
    const payment = await paymentOf('classic-0');
    const before = balanceOf(payment.destination);
    const good = paymentIn('checked', payment);
    const bad = paymentIn('checked', { ...payment, amount: 2n ** 60n });
    assert.deepEqual(send(throughProxy([good, bad])).error, { InstructionError: [0, { Custom: 1 }] });
    const { accounts = [] } = good;
    const unsigned = { ...good, accounts: accounts.map((each) => ({ ...each, role: each.role & 1 })) };
    // The payer signs for the fee, and by that for the call; another wallet does not.
    const stranger = { ...unsigned, accounts: unsigned.accounts.with(3, { address: recipient, role: 0 }) };
    assert.notEqual(send(throughProxy([stranger])).error, null);
    assert.equal(balanceOf(payment.destination), before);
  });

  it('is refused where the token program does not know the form', async () => {
    const payment = await paymentOf('2022-fee-0');
    assert.notEqual(send(paymentIn('unchecked', payment)).error, null);
    const classic = { ...payment, tokenProgram: TOKEN_PROGRAM_ADDRESS };
    assert.notEqual(send(paymentIn('with_fee', classic)).error, null);
    assert.equal(payment.mintOf.tokenProgram, TOKEN_2022_PROGRAM_ADDRESS);
  });
});
