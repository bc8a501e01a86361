import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Address, Instruction } from '@solana/kit';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../../packages/sandbox/src/ledger/signed-transaction.ts';
import type { VerdictJson } from '../../../packages/server/src/wire/outcome/outcome-schema.ts';
import {
  atDepth,
  batchOf,
  everyForm,
  type FormedPayment,
  memoOf,
  paymentBetween,
  paymentForms,
  paymentIn,
} from '../../setup/payment-forms.ts';
import { installProxyProgram, throughProxy } from '../../setup/proxy-program.ts';
import { associatedTokenAccountOf, createTokenAccounts } from '../../setup/token-accounts.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from '../../setup/token-mints.ts';
import { type Built, startOutcomeService } from './outcome-service.ts';

const { ledger, alice, bob, build, ask } = await startOutcomeService({ after });

const payer = keypairFromName('splwright sandbox wallet alice');
const recipient = keypairFromName('splwright sandbox wallet bob');
const stranger = keypairFromName('splwright sandbox wallet carol');

/** A payment that was built, what landed, and what must be said of it when nothing of it can land any more. */
interface Scene {
  name: string;
  mint: TokenMint;
  /** Whether it is built with a memo, and with references. */
  asked: { memo?: string; references?: readonly Address[] };
  signers?: readonly Keypair[];
  lands: (payment: FormedPayment, memo: string) => readonly Instruction[];
  says: 'landed' | 'similar' | 'expired';
}

async function mintOf(kind: keyof typeof tokenMintKinds, name: string): Promise<TokenMint> {
  const mint = await createTokenMint(ledger, tokenMintKinds[kind], name);
  const owners = [payer, recipient, stranger].map(({ address: owner }) => owner);
  const holders = owners.map((owner) => ({ owner, amount: 1_000_000_000n }));
  await createTokenAccounts(ledger, mint, holders);
  return mint;
}

const classic = await mintOf('classic-6', 'e2e outcome classic');
const token2022 = await mintOf('2022-plain', 'e2e outcome 2022');
const taxed = await mintOf('2022-fee-1-percent', 'e2e outcome taxed');
const strangersClassic = await associatedTokenAccountOf(classic, stranger.address);

const withMemo = { memo: 'invoice 1001' };
const references = ['a first reference', 'a second reference'].map((name) => keypairFromName(name).address);
const withReferences = { ...withMemo, references };
const signed = (memo: string): Instruction => memoOf(memo, [payer.address]);

const formScenes = everyForm([classic, token2022], taxed).map(
  ({ mint, form, depth, name }): Scene => ({
    name: `as ${name}, with its memo`,
    mint,
    asked: withMemo,
    lands: (payment, memo) => [signed(memo), atDepth(depth, paymentIn(form, payment))],
    says: 'landed',
  }),
);

const wholeScenes: readonly Scene[] = [
  {
    name: 'with its references on the transfer inside a program',
    mint: classic,
    asked: withReferences,
    lands: (payment, memo) => [signed(memo), atDepth(2, paymentIn('unchecked', { ...payment, references }))],
    says: 'landed',
  },
  {
    name: 'with its references handed to the program that makes the transfer',
    mint: classic,
    asked: withReferences,
    lands: (payment, memo) => [signed(memo), atDepth(1, paymentIn('checked', payment), references)],
    says: 'landed',
  },
  {
    name: 'with its memo inside the program that makes the transfer',
    mint: token2022,
    asked: withMemo,
    lands: (payment, memo) => [throughProxy([signed(memo), paymentIn('unchecked', payment)])],
    says: 'landed',
  },
];

const doubtfulScenes: readonly Scene[] = [
  ...paymentForms
    .filter((form) => form !== 'with_fee')
    .map((form): Scene => {
      return {
        name: `as ${form} inside a program, without its memo`,
        mint: classic,
        asked: withMemo,
        lands: (payment) => [atDepth(1, paymentIn(form, payment))],
        says: 'similar',
      };
    }),
  {
    name: 'with a fee, and without its memo',
    mint: taxed,
    asked: withMemo,
    lands: (payment) => [paymentIn('with_fee', payment)],
    says: 'similar',
  },
  {
    name: 'without the memo and the references',
    mint: classic,
    asked: withReferences,
    lands: (payment) => [paymentIn('checked', payment)],
    says: 'similar',
  },
  {
    name: 'without the references',
    mint: classic,
    asked: withReferences,
    lands: (payment, memo) => [signed(memo), paymentIn('unchecked', payment)],
    says: 'similar',
  },
  {
    name: 'with a memo where none was wanted',
    mint: classic,
    asked: {},
    lands: (payment) => [signed('a note of the wallet'), paymentIn('unchecked', payment)],
    says: 'similar',
  },
  {
    name: 'by way of an account of another wallet',
    mint: classic,
    asked: withMemo,
    signers: [stranger],
    lands: (payment, memo) => [
      signed(memo),
      paymentIn('unchecked', { ...payment, destination: strangersClassic }),
      paymentIn('unchecked', { ...payment, source: strangersClassic, authority: stranger.address }),
    ],
    says: 'similar',
  },
  {
    name: 'in two halves',
    mint: classic,
    asked: withMemo,
    lands: (payment, memo) => {
      const half = { ...payment, amount: payment.amount / 2n };
      return [
        signed(memo),
        batchOf(payment.tokenProgram, [paymentIn('unchecked', half), paymentIn('unchecked', half)]),
      ];
    },
    says: 'similar',
  },
  {
    name: 'beside another payment from the same token account',
    mint: classic,
    asked: withMemo,
    lands: (payment, memo) => [
      signed(memo),
      paymentIn('checked', payment),
      paymentIn('unchecked', { ...payment, destination: strangersClassic, amount: 3n }),
    ],
    says: 'similar',
  },
];

const otherScenes: readonly Scene[] = [
  {
    name: 'with another memo in place of its own',
    mint: classic,
    asked: withMemo,
    lands: (payment) => [signed('invoice 1002'), atDepth(1, paymentIn('unchecked', payment))],
    says: 'expired',
  },
  {
    name: 'with references that it does not have',
    mint: classic,
    asked: { ...withMemo, references: [keypairFromName('its own').address] },
    lands: (payment, memo) => [signed(memo), paymentIn('unchecked', { ...payment, references })],
    says: 'expired',
  },
  {
    name: 'with another amount',
    mint: classic,
    asked: withMemo,
    lands: (payment, memo) => [signed(memo), atDepth(1, paymentIn('unchecked', { ...payment, amount: 5n }))],
    says: 'expired',
  },
  {
    name: 'to another account',
    mint: classic,
    asked: withMemo,
    lands: (payment, memo) => [signed(memo), paymentIn('unchecked', { ...payment, destination: strangersClassic })],
    says: 'expired',
  },
  {
    name: 'nowhere: nothing landed',
    mint: token2022,
    asked: withMemo,
    lands: () => [],
    says: 'expired',
  },
];

const groups = [
  ['has landed', [...formScenes, ...wholeScenes]],
  ['is in doubt, and never expired, when it landed', doubtfulScenes],
  ['has expired when what landed is proven to be another payment:', otherScenes],
] as const;

/** Lets so many blocks pass that whatever was built can land no more, however a wallet changed it, and that is final. */
const outliveAll = (): void => ledger.advanceSlots(150 + 151 + 1);

describe('the outcome of an unsigned payment', () => {
  const verdicts = new Map<Scene, VerdictJson | undefined>();
  const signatures = new Map<Scene, string>();

  before(async () => {
    assert.deepEqual([payer.address, recipient.address], [alice.address, bob.address]);
    installProxyProgram(ledger);
    ledger.advanceSlots(1);
    const scenes = groups.flatMap(([, all]) => all);
    const built = new Map<Scene, Built>();
    // Each scene has an amount of its own, so that no other one is similar.
    for (const [index, scene] of scenes.entries()) {
      const amount = amountOf(index);
      const { asked, mint } = scene;
      const memo = memoIn(scene, index);
      const fields = { ...asked, ...(memo !== undefined && { memo }), amount: `${amount}` };
      built.set(scene, await build({ ...fields, token_mint_address: mint.address }));
    }
    for (const [index, scene] of scenes.entries()) {
      const instructions = scene.lands(
        await paymentBetween(payer.address, recipient.address, scene.mint, amountOf(index)),
        memoIn(scene, index) ?? '',
      );
      if (instructions.length === 0) continue;
      const signers: [Keypair, ...Keypair[]] = [payer, ...(scene.signers ?? [])];
      const bytes = signedTransaction(instructions, signers, ledger.latestBlockhash());
      const { error, logs, signature } = ledger.sendTransaction(bytes);
      assert.equal(error, null, `${scene.name}: ${logs.join('\n')}`);
      signatures.set(scene, signature);
    }
    outliveAll();
    for (const scene of scenes) {
      const [verdict] = await ask(built.get(scene)?.question ?? {});
      verdicts.set(scene, verdict);
    }
  });

  for (const [group, scenes] of groups) {
    for (const scene of scenes) {
      it(`${group} ${scene.name}`, () => {
        const verdict = verdicts.get(scene);
        const signature = signatures.get(scene);
        const said = JSON.stringify(verdict);
        if (scene.says === 'landed') {
          assert.deepEqual(
            [verdict?.outcome, verdict?.signature, verdict?.matched_by],
            ['landed', signature, 'content'],
            said,
          );
          return;
        }
        if (scene.says === 'expired') {
          assert.deepEqual([verdict?.outcome, verdict?.is_final], ['expired', true], said);
          return;
        }
        assert.deepEqual([verdict?.outcome, verdict?.reason_code], ['unknown', 'similar_payment'], said);
        assert.deepEqual(verdict?.similar, [signature], said);
      });
    }
  }
});

function amountOf(index: number): bigint {
  return 1_000n + 2n * BigInt(index);
}

function memoIn({ asked }: Scene, index: number): string | undefined {
  return asked.memo === undefined ? undefined : `${asked.memo} ${index}`;
}
