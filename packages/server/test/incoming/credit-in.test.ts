import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNoopSigner, type Instruction } from '@solana/kit';
import {
  AuthorityType,
  getBurnInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenInstruction,
  getMintToInstruction,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
} from '@solana-program/token-2022';
import { atDepth, everyForm, memoOf, paymentIn, withReferences } from '../../../../test/setup/payment-forms.ts';
import { installProxyProgram } from '../../../../test/setup/proxy-program.ts';
import { tokensIn } from '../../../../test/setup/token-account-data.ts';
import { associatedTokenAccountOf, createTokenAccounts } from '../../../../test/setup/token-accounts.ts';
import { tokenMintKinds } from '../../../../test/setup/token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from '../../../../test/setup/token-mints.ts';
import { type Address, sol, toAddress } from '../../../core/src/addresses/address.ts';
import type { BalanceChange } from '../../../core/src/outcome/token-balances.ts';
import { faucet } from '../../../sandbox/src/ledger/faucet.ts';
import type { Keypair } from '../../../sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../../sandbox/src/ledger/signed-transaction.ts';
import { creditIn } from '../../src/incoming/credit-in.ts';
import { amount, lamportsTo, PaymentCases, payer, recipient, stranger } from '../links/payment-cases.ts';
import { addressNumber } from '../outcomes/busy-node.ts';
import { LedgerNodeHistory } from '../outcomes/ledger-node-history.ts';
import { landedTransaction } from '../outcomes/sample-match.ts';

const scene = await PaymentCases.open();
const { ledger } = scene;
installProxyProgram(ledger);
ledger.advanceSlots(1);
const classic = await scene.mintOf('classic-6', 'credits classic');
const taxed = await scene.mintOf('2022-fee-1-percent', 'credits taxed');
const wrapped = await createTokenMint(ledger, tokenMintKinds['classic-native'], 'credits wrapped');
await createTokenAccounts(ledger, wrapped, [{ owner: recipient.address, amount: 1_000n }]);
const sent = await scene.paymentFor(classic);
const ofStranger = {
  ...sent,
  source: await associatedTokenAccountOf(classic, stranger.address),
  authority: stranger.address,
};
const node = new LedgerNodeHistory(ledger);
const program = { programAddress: classic.tokenProgram };
const payerAddress = toAddress(payer.address);

/** What a landed transaction of these instructions brought to the recipient. */
async function broughtBy(
  instructions: readonly Instruction[],
  { mint = classic, signers = [] }: { mint?: TokenMint; signers?: readonly Keypair[] } = {},
) {
  ledger.advanceSlots(1);
  const bytes = signedTransaction(instructions, [payer, ...signers], ledger.latestBlockhash());
  const { error, logs, signature } = ledger.sendTransaction(bytes);
  assert.equal(error, null, logs.join('\n'));
  const landed = await node.readTransaction(signature);
  assert.ok(landed);
  const tokenAccount = toAddress(await associatedTokenAccountOf(mint, recipient.address));
  return creditIn({ tokenAccount, mint: toAddress(mint.address), wallet: toAddress(recipient.address) }, landed);
}

/** A credit from the payer, without a memo and references, but for these. */
function credit(base: bigint, changes: object = {}) {
  return { amount: base.toString(), payer: payerAddress, memo: null, reference_addresses: '[]', ...changes };
}

describe('what real programs bring to a token account', () => {
  it('is seen in every form and at every depth, less what the mint withholds', async () => {
    for (const { mint, form, depth, name } of everyForm([classic], taxed)) {
      const payment = await scene.paymentFor(mint);
      const withheld = mint.transferFee?.(amount) ?? 0n;
      assert.deepEqual(
        await broughtBy([atDepth(depth, paymentIn(form, payment))], { mint }),
        credit(amount - withheld),
        name,
      );
    }
  });

  it('has the first memo, and the references of transfers to the account, each once', async () => {
    const references = [addressNumber(1), addressNumber(2)].map((each) => each as string as typeof sent.mint);
    const { tokenProgram: _, ...others } = sent;
    const away = paymentIn('checked', { ...sent, destination: ofStranger.source, references: [payer.address] });
    const brought = await broughtBy([
      memoOf('order 7'),
      memoOf('order 8'),
      away,
      paymentIn('checked', { ...others, tokenProgram: classic.tokenProgram, references }),
      paymentIn('unchecked', { ...sent, references }),
    ]);
    const expected = { memo: 'order 7', payer: payerAddress, reference_addresses: JSON.stringify(references) };
    assert.deepEqual(brought, credit(2n * amount, expected));
  });

  it('is SOL where a wallet is watched for it, of transfers and whatever comes beside them', async () => {
    const wallet = toAddress(recipient.address);
    const land = async (instructions: readonly Instruction[]) => {
      ledger.advanceSlots(1);
      const bytes = signedTransaction(instructions, [payer], ledger.latestBlockhash());
      const landed = await node.readTransaction(ledger.sendTransaction(bytes).signature);
      return creditIn({ tokenAccount: wallet, mint: sol, wallet }, landed ?? assert.fail());
    };
    assert.deepEqual(
      await land([memoOf('order 7'), lamportsTo(recipient.address, 7n)]),
      credit(7n, { memo: 'order 7' }),
    );
    assert.equal(await land([lamportsTo(stranger.address, 7n)]), 'none');
    assert.equal(await land([paymentIn('checked', sent)]), 'none');
  });

  it('is what stays: less what is sent on or burned, and nothing where nothing stays', async () => {
    const back = paymentIn('checked', {
      ...sent,
      source: sent.destination,
      destination: sent.source,
      authority: recipient.address,
    });
    const burning = getBurnInstruction(
      { account: sent.destination, mint: sent.mint, authority: createNoopSigner(recipient.address), amount: 1n },
      program,
    );
    const signers = [recipient];
    assert.deepEqual(await broughtBy([paymentIn('checked', sent), burning], { signers }), credit(amount - 1n));
    assert.equal(await broughtBy([paymentIn('checked', sent), back], { signers }), 'none');
    assert.equal(await broughtBy([back], { signers }), 'none');
    assert.equal(await broughtBy([paymentIn('checked', { ...sent, destination: ofStranger.source })]), 'none');
  });

  it('has no payer where several gave, where some was minted, and where all was', async () => {
    const minting = getMintToInstruction(
      { mint: sent.mint, token: sent.destination, mintAuthority: createNoopSigner(faucet.address), amount: 5n },
      program,
    );
    const fromBoth = [paymentIn('checked', sent), paymentIn('checked', { ...ofStranger, amount: 1n })];
    assert.deepEqual(await broughtBy(fromBoth, { signers: [stranger] }), credit(amount + 1n, { payer: null }));
    assert.deepEqual(await broughtBy([minting], { signers: [faucet] }), credit(5n, { payer: null }));
    const both = [paymentIn('checked', sent), minting];
    assert.deepEqual(await broughtBy(both, { signers: [faucet] }), credit(amount + 5n, { payer: null }));
  });

  it('is the payer’s also where others are paid beside, and one who gives other tokens gives none of these', async () => {
    const beside = paymentIn('checked', { ...sent, amount: 9n, destination: ofStranger.source });
    assert.deepEqual(await broughtBy([beside, paymentIn('checked', sent)]), credit(amount));
    const other = await scene.paymentFor(taxed);
    assert.deepEqual(await broughtBy([paymentIn('checked', other), paymentIn('checked', sent)]), credit(amount));
  });

  it('counts in an account that was closed and made again, and not in one that its owner gives away', async () => {
    const account = sent.destination;
    const signers = [recipient];
    const owner = createNoopSigner(recipient.address);
    const emptying = paymentIn('checked', {
      ...sent,
      amount: tokensIn(ledger, account),
      source: account,
      destination: sent.source,
      authority: recipient.address,
    });
    const closing = getCloseAccountInstruction({ account, destination: payer.address, owner }, program);
    const making = getCreateAssociatedTokenInstruction({
      payer: createNoopSigner(payer.address),
      ata: account,
      owner: recipient.address,
      mint: sent.mint,
      tokenProgram: classic.tokenProgram,
    });
    assert.equal(await broughtBy([emptying, closing], { signers }), 'none');
    assert.deepEqual(await broughtBy([making, paymentIn('checked', sent)]), credit(amount));
    const giving = getSetAuthorityInstruction(
      { owned: account, owner, authorityType: AuthorityType.AccountOwner, newAuthority: stranger.address },
      program,
    );
    assert.equal(await broughtBy([paymentIn('checked', sent), giving], { signers }), 'none');
    assert.equal(await broughtBy([paymentIn('checked', sent)]), 'none');
  });

  it('is wrapped SOL once it is synced, which comes from no token account, with the references of its transfer', async () => {
    const account = await associatedTokenAccountOf(wrapped, recipient.address);
    const lamports = lamportsTo(account, 70n);
    assert.equal(await broughtBy([lamports], { mint: wrapped }), 'none');
    const syncing = getSyncNativeInstruction({ account }, program);
    assert.deepEqual(await broughtBy([syncing], { mint: wrapped }), credit(70n, { payer: null }));
    const reference = addressNumber(1) as string as typeof sent.mint;
    const carrying = withReferences(lamports, [reference]);
    const expected = { payer: null, reference_addresses: JSON.stringify([reference]) };
    assert.deepEqual(await broughtBy([carrying, syncing], { mint: wrapped }), credit(70n, expected));
  });
});

describe('what a node shows', () => {
  const [tokenAccount, mint, wallet, giver] = [1, 2, 3, 4].map(addressNumber);
  assert.ok(tokenAccount && mint && wallet && giver);
  const account = { tokenAccount, mint, wallet };
  const shown = (changes: Partial<BalanceChange>, others: readonly [Address, BalanceChange][] = []) => {
    const balance: BalanceChange = { mint, before: 0n, after: 7n, owner: wallet, ...changes };
    return creditIn(account, landedTransaction({ balances: new Map([[tokenAccount, balance], ...others]) }));
  };

  it('may lack owners, as old nodes do: the account is taken for the recipient’s', () => {
    assert.deepEqual(shown({ owner: undefined }, [[giver, { mint, before: 7n, after: 0n, owner: undefined }]]), {
      ...credit(7n),
      payer: null,
    });
  });

  it('is not a credit where the account has another mint by now', () => {
    assert.equal(shown({ mint: giver }), 'none');
  });

  it('is not enough without balances, or without what the transaction does', () => {
    assert.equal(creditIn(account, landedTransaction()), 'not_shown');
    assert.equal(creditIn(account, landedTransaction({ content: undefined, balances: new Map() })), 'not_shown');
    assert.equal(creditIn(account, landedTransaction({ balances: new Map() })), 'none');
  });
});
