import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { type FormedPayment, paymentBetween, paymentIn } from '../../../../test/setup/payment-forms.ts';
import { installProxyProgram } from '../../../../test/setup/proxy-program.ts';
import { createTokenAccounts } from '../../../../test/setup/token-accounts.ts';
import { tokenMintKinds } from '../../../../test/setup/token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from '../../../../test/setup/token-mints.ts';
import { type FeeSchedule, writeTransferFees } from '../../../../test/setup/transfer-fees.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import type { Keypair } from '../../../sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../../sandbox/src/ledger/signed-transaction.ts';
import type { LinkPayment } from '../../src/links/records/payment-link.ts';
import { walletOf } from '../outcomes/outcome-scene.ts';
import { LinkScene } from './link-scene.ts';

/** The parties of a payment. */
export const [payer, recipient, stranger] = [walletOf('alice'), walletOf('bob'), walletOf('carol')] as const;
/** What a link asks for, in base units. */
export const amount = 1_000_000n;

/** What is done to one or two links, and what they must say then. */
export interface Case {
  name: string;
  mint: TokenMint;
  signers?: readonly Keypair[];
  /** What happens to the fees of the mint between the links and the transaction. */
  fees?: FeeSchedule;
  does: (references: readonly Address[], payment: FormedPayment) => Instruction[];
  /** Of each link. */
  says: readonly Said[];
}

/** What a link must say of the transaction, which pays it where there is no flaw. Any flaw where it is `true`. */
export interface Said {
  flaw?: LinkPayment['flaw'] | true;
  received?: bigint;
}

/** The amount arrived, and the link is paid. */
export const paid: Said = { received: amount };
/** The link is paid. */
export const isPaid: Said = {};
/** So much arrived, which is not enough. */
export const tooLittle = (received: bigint): Said => ({ flaw: 'too_little', received });
/** It is for something else. */
export const otherLink: Said = { flaw: 'other_link', received: 0n };
/** It was taken back, or withheld. */
export const nothingStayed: Said = { flaw: 'nothing_stayed', received: 0n };

/** A checked transfer of a sum that carries the references. */
export const sends =
  (sum: bigint): Case['does'] =>
  (references, payment) => [paymentIn('checked', { ...payment, amount: sum, references })];

/** Lamports of the payer for an account. */
export const lamportsTo = (destination: Address, sum: bigint): Instruction =>
  getTransferSolInstruction({ source: createNoopSigner(payer.address), destination, amount: sum });

/** A ledger with the proxy program, and a service that says of links what real programs did there. */
export class PaymentCases {
  readonly #scene: LinkScene;

  private constructor(scene: LinkScene) {
    this.#scene = scene;
  }

  static async open(): Promise<PaymentCases> {
    return new PaymentCases(await LinkScene.open());
  }

  get ledger(): LinkScene['ledger'] {
    return this.#scene.ledger;
  }

  /** A mint of a kind, of which the payer has much, and the recipient a little. */
  async mintOf(kind: keyof typeof tokenMintKinds, name: string, fees?: FeeSchedule): Promise<TokenMint> {
    const mint = await createTokenMint(this.ledger, tokenMintKinds[kind], name);
    const holders = [
      { owner: payer.address, amount: 1_000_000_000n },
      { owner: recipient.address, amount: 5_000_000n },
      { owner: stranger.address, amount: 0n },
    ];
    await createTokenAccounts(this.ledger, mint, holders);
    if (fees) writeTransferFees(this.ledger, mint.address, fees);
    return mint;
  }

  /** The payment of the amount of a mint. */
  paymentFor(mint: TokenMint): Promise<FormedPayment> {
    return paymentBetween(payer.address, recipient.address, mint, amount);
  }

  /** Tests what links say of each case. */
  test(groups: readonly (readonly [name: string, cases: readonly Case[]])[]): void {
    before(() => {
      installProxyProgram(this.ledger);
      // A program runs from the slot after the one in which it is written.
      this.ledger.advanceSlots(1);
    });
    for (const [group, cases] of groups) {
      for (const each of cases) it(`${group} ${each.name}`, () => this.#assertSaid(each));
    }
  }

  async #assertSaid({ mint, signers = [], fees, does, says }: Case): Promise<void> {
    const { ledger } = this;
    const { links } = this.#scene.serve();
    const terms = { mint: toAddress(mint.address), minAmount: amount, maxAmount: amount };
    const views = await Promise.all(says.map(() => this.#scene.create(links, terms)));
    if (fees) writeTransferFees(ledger, mint.address, fees);
    const references = views.map(({ link }) => link.reference as string as Address);
    const instructions = does(references, await this.paymentFor(mint));
    const bytes = signedTransaction(instructions, [payer, ...signers], ledger.latestBlockhash());
    const { error, logs, signature } = ledger.sendTransaction(bytes);
    assert.equal(error, null, logs.join('\n'));
    ledger.advanceSlots(1);
    for (const [index, view] of views.entries()) {
      const { state, payments } = await this.#scene.look(links, view);
      const { flaw, received } = says[index] ?? assert.fail();
      const [payment, ...others] = payments;
      assert.ok(payment && others.length === 0);
      assert.deepEqual([state, payment.signature], [flaw === undefined ? 'paid' : 'open', signature]);
      if (flaw === true) assert.ok(payment.flaw);
      else assert.equal(payment.flaw, flaw);
      if (received !== undefined) assert.equal(payment.received, received);
    }
  }
}
