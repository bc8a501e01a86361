import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, address, createNoopSigner, type Instruction, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
  getUnwrapLamportsInstruction,
} from '@solana-program/token-2022';
import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../../packages/sandbox/src/ledger/signed-transaction.ts';
import type { LinkJson } from '../../../packages/server/src/wire/schemas/link-schema.ts';
import {
  atDepth,
  batchOf,
  everyForm,
  type FormedPayment,
  memoOf,
  paymentBetween,
  paymentIn,
  withReferences,
} from '../../setup/payment-forms.ts';
import { installProxyProgram, throughProxy } from '../../setup/proxy-program.ts';
import { associatedTokenAccountOf, createTokenAccounts } from '../../setup/token-accounts.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from '../../setup/token-mints.ts';
import { writeTransferFees } from '../../setup/transfer-fees.ts';
import { startLinkService } from './link-service.ts';

const { client, ledger, alice, bob, usdc, body } = await startLinkService({ after });

const payer = keypairFromName('splwright sandbox wallet alice');
const recipient = keypairFromName('splwright sandbox wallet bob');
const stranger = keypairFromName('splwright sandbox wallet carol');
const amount = 1_000_000n;
/** For so long answers of nodes are shared, and may be older than the payments. */
const sharedMs = 500;
/** Links are read by so many at once. */
const readers = 6;

/** What is done to one or two links, and what they must say then. */
interface Scene {
  name: string;
  mint: TokenMint;
  links?: 1 | 2;
  signers?: readonly Keypair[];
  /** What is done between the links and the transaction. */
  meanwhile?: () => void;
  does: (references: readonly Address[], payment: FormedPayment) => Instruction[];
  says: readonly Said[];
}

/** What a link must say. Any flaw where it is `true`. */
interface Said {
  state: 'open' | 'paid';
  flaw?: string | true;
  received?: bigint;
}

const paid = (received = amount): Said => ({ state: 'paid', received });
const flawed = (flaw: string | true, received?: bigint): Said => ({
  state: 'open',
  flaw,
  ...(received !== undefined && { received }),
});

/** A mint of a kind, of which the payer has much, and the recipient an empty account. */
async function mintOf(kind: keyof typeof tokenMintKinds, name: string): Promise<TokenMint> {
  const mint = await createTokenMint(ledger, tokenMintKinds[kind], name);
  const holders = [
    { owner: payer.address, amount: 1_000_000_000n },
    { owner: recipient.address, amount: 5_000_000n },
    { owner: stranger.address, amount: 0n },
  ];
  await createTokenAccounts(ledger, mint, holders);
  return mint;
}

const classic = await mintOf('classic-6', 'e2e classic');
const token2022 = await mintOf('2022-plain', 'e2e 2022');
const taxed = await mintOf('2022-fee-1-percent', 'e2e taxed');
const raised = await mintOf('2022-fee-1-percent', 'e2e raised');
const confiscated = await mintOf('2022-fee-0', 'e2e confiscated');
const free = await mintOf('2022-fee-1-percent', 'e2e free');
const halved = await mintOf('2022-fee-1-percent', 'e2e halved');
const lowered = await mintOf('2022-fee-1-percent', 'e2e lowered');
const scheduled = await mintOf('2022-fee-1-percent', 'e2e scheduled');
const delegated = await mintOf('2022-permanent-delegate', 'e2e delegated');
const handedOver = await mintOf('classic-0', 'e2e handed over');
const wrapped = [await mintOf('classic-native', 'SPL Token'), await mintOf('2022-native', 'Token-2022')] as const;

const paymentFor = (mint: TokenMint): Promise<FormedPayment> =>
  paymentBetween(payer.address, recipient.address, mint, amount);

/** The same way back, by the authority of somebody. */
function back({ source, destination, ...payment }: FormedPayment, authority: Address, taken: bigint): FormedPayment {
  return { ...payment, source: destination, destination: source, authority, amount: taken };
}

/** Something that moves no tokens, and names an address. */
const naming = (named: readonly Address[]): Instruction => throughProxy([memoOf('nothing')], named);

const formScenes = everyForm([classic, token2022], taxed).map(
  ({ mint, form, depth, name }): Scene => ({
    name,
    mint,
    does: (references, payment) => [atDepth(depth, paymentIn(form, { ...payment, references }))],
    says: [paid(amount - (mint.transferFee?.(amount) ?? 0n))],
  }),
);

const namingScenes: readonly Scene[] = [
  {
    name: 'a transfer by a program, of which only the outer instruction names the reference',
    mint: classic,
    does: (references, payment) => [atDepth(2, paymentIn('checked', payment), references)],
    says: [paid()],
  },
  {
    name: 'a batch that is handed the reference after the accounts of its transfers',
    mint: classic,
    does: (references, payment) => [
      withReferences(batchOf(payment.tokenProgram, [paymentIn('unchecked', payment)]), references),
    ],
    says: [paid()],
  },
  {
    name: 'one of several transfers in a batch',
    mint: classic,
    does: (references, payment) => [
      batchOf(payment.tokenProgram, [
        paymentIn('unchecked', { ...payment, amount: 7n, destination: payment.source }),
        paymentIn('unchecked', { ...payment, references }),
      ]),
    ],
    says: [paid()],
  },
  {
    name: 'two halves, in two forms',
    mint: classic,
    does: (references, payment) => [
      atDepth(1, paymentIn('unchecked', { ...payment, amount: amount / 2n, references })),
      paymentIn('checked', { ...payment, amount: amount / 2n, references }),
    ],
    says: [paid()],
  },
];

/** What pays for something else, beside or around something that names the reference. */
const elsewhereScenes: readonly Scene[] = [
  {
    name: 'a transfer without references beside an instruction that names it',
    mint: token2022,
    does: (references, payment) => [paymentIn('unchecked', payment), naming(references)],
    says: [flawed('other_link', 0n)],
  },
  {
    name: 'a transfer that a smart wallet makes, beside a call of it that uses the reference',
    mint: classic,
    does: ([reference], payment) => [
      throughProxy([paymentIn('checked', payment), lamportsTo(reference ?? payer.address, 1_000_000n)]),
    ],
    says: [flawed('other_link', 0n)],
  },
  {
    name: 'a transfer without references beside one of a base unit that carries it',
    mint: classic,
    does: (references, payment) => [
      paymentIn('checked', payment),
      paymentIn('checked', { ...payment, amount: 1n, references }),
    ],
    says: [flawed('too_little', 1n)],
  },
  {
    name: 'a transfer without references in a batch with one of a base unit that carries it',
    mint: token2022,
    does: (references, payment) => [
      batchOf(payment.tokenProgram, [
        paymentIn('checked', { ...payment, amount: 1n, references }),
        paymentIn('checked', payment),
      ]),
    ],
    says: [flawed('too_little', 1n)],
  },
];

/** Lamports that lie in the recipient's token account without being tokens. */
function leaveLamports(account: Address, sum: bigint): void {
  const found = ledger.getAccount(account);
  if (!found) throw new Error(`no token account at ${account}`);
  ledger.setAccount({ ...found, lamports: lamports(found.lamports + sum) });
}

const lamportsTo = (destination: Address, sum: bigint): Instruction =>
  getTransferSolInstruction({ source: createNoopSigner(payer.address), destination, amount: sum });

const wrapScenes: readonly Scene[] = wrapped.flatMap((mint): Scene[] => {
  const synced = ({ destination, tokenProgram }: FormedPayment): Instruction =>
    getSyncNativeInstruction({ account: destination }, { programAddress: tokenProgram });
  return [
    {
      name: `lamports that lay in the account, which are only synced, by ${mint.tokenProgram}`,
      mint,
      does: (references, payment) => {
        leaveLamports(payment.destination, 5n * amount);
        return [withReferences(synced(payment), references), naming(references)];
      },
      says: [flawed('no_transfer', 0n)],
    },
    {
      name: `lamports that lay in the account, and a lamport less than the amount, by ${mint.tokenProgram}`,
      mint,
      does: (references, payment) => {
        leaveLamports(payment.destination, 5n * amount);
        return [withReferences(lamportsTo(payment.destination, amount - 1n), references), synced(payment)];
      },
      says: [flawed('too_little', amount - 1n)],
    },
    {
      name: `lamports that lay in the account, and a transfer of a lamport, by ${mint.tokenProgram}`,
      mint,
      does: (references, payment) => {
        leaveLamports(payment.destination, 5n * amount);
        return [paymentIn('checked', { ...payment, amount: 1n, references }), synced(payment)];
      },
      says: [flawed('too_little', 1n)],
    },
  ];
});

const wrappingScenes: readonly Scene[] = wrapped.flatMap((mint): Scene[] =>
  ([0, 1] as const).map((depth) => ({
    name: `SOL that it wraps there, ${depth} programs deep, by ${mint.tokenProgram}`,
    mint,
    does: (references, { destination, tokenProgram }) => [
      atDepth(depth, withReferences(lamportsTo(destination, amount), references)),
      getSyncNativeInstruction({ account: destination }, { programAddress: tokenProgram }),
    ],
    says: [paid()],
  })),
);

const nothingStays: readonly Scene[] = [
  {
    name: 'an issuer that pays and takes all of it back',
    mint: delegated,
    signers: [faucet],
    does: (references, payment) => [
      paymentIn('checked', { ...payment, references }),
      paymentIn('checked', back(payment, faucet.address, amount)),
    ],
    says: [flawed('nothing_stayed', 0n)],
  },
  {
    name: 'an issuer that pays and takes a part back',
    mint: delegated,
    signers: [faucet],
    does: (references, payment) => [
      paymentIn('checked', { ...payment, references }),
      atDepth(1, paymentIn('checked', back(payment, faucet.address, 1n))),
    ],
    says: [flawed('too_little', amount - 1n)],
  },
  {
    name: 'an issuer that pays and takes more back than it paid',
    mint: delegated,
    signers: [faucet],
    does: (references, payment) => [
      paymentIn('checked', { ...payment, references }),
      paymentIn('checked', back(payment, faucet.address, amount + 1n)),
    ],
    says: [flawed('nothing_stayed')],
  },
  {
    name: 'a recipient that signs the money back',
    mint: classic,
    signers: [recipient],
    does: (references, payment) => [
      paymentIn('checked', { ...payment, references }),
      paymentIn('unchecked', back(payment, recipient.address, amount)),
    ],
    says: [flawed('nothing_stayed', 0n)],
  },
  {
    name: 'a recipient whose account pays itself',
    mint: classic,
    signers: [recipient],
    does: (references, payment) => [
      paymentIn('checked', {
        ...payment,
        source: payment.destination,
        authority: recipient.address,
        references,
      }),
    ],
    says: [flawed(true, 0n)],
  },
  {
    name: 'a mint that withholds everything since the link was made',
    mint: confiscated,
    meanwhile: () => writeTransferFees(ledger, confiscated.address, { now: { basisPoints: 10_000 } }),
    does: (references, payment) => [paymentIn('checked', { ...payment, references })],
    says: [flawed('nothing_stayed', 0n)],
  },
  {
    name: "a recipient that hands its account over, with what was paid in it, in the link's own transaction",
    mint: handedOver,
    signers: [recipient],
    does: (references, payment) => [
      paymentIn('checked', { ...payment, references }),
      getSetAuthorityInstruction(
        {
          owned: payment.destination,
          owner: createNoopSigner(recipient.address),
          authorityType: AuthorityType.AccountOwner,
          newAuthority: stranger.address,
        },
        { programAddress: payment.tokenProgram },
      ),
    ],
    says: [flawed(true)],
  },
];

/** `unwrapLamports`, of p-token and of Token-2022 from version 11 on: tokens become SOL without a closed account. */
const unwrapScenes: readonly Scene[] = wrapped.flatMap((mint) =>
  [0n, 1n].map(
    (left): Scene => ({
      name: `a recipient that unwraps all but ${left} lamports of it, by ${mint.tokenProgram}`,
      mint,
      signers: [recipient],
      does: (references, payment) => [
        paymentIn('checked', { ...payment, references }),
        getUnwrapLamportsInstruction(
          {
            source: payment.destination,
            destination: stranger.address,
            authority: createNoopSigner(recipient.address),
            amount: amount - left,
          },
          { programAddress: mint.tokenProgram },
        ),
      ],
      says: [left === 0n ? flawed('nothing_stayed', 0n) : flawed('too_little', left)],
    }),
  ),
);

const ninetyPercent = { basisPoints: 9_000 };

const feeScenes: readonly Scene[] = [
  {
    name: 'a tenth of the amount, where 0 % is withheld and 90 % is scheduled',
    mint: free,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: amount / 10n, references })],
    says: [flawed('too_little', amount / 10n)],
  },
  {
    name: 'all of the amount, where 0 % is withheld and 90 % is scheduled',
    mint: free,
    does: (references, payment) => [atDepth(1, paymentIn('checked', { ...payment, references }))],
    says: [paid()],
  },
  {
    name: 'half of the amount and the fee, where 1 % is withheld and 50 % is scheduled',
    mint: halved,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: 510_000n, references })],
    says: [flawed('too_little', 504_900n)],
  },
  {
    name: 'a tenth of the amount, where 90 % was withheld when the link was made, and nothing now',
    mint: lowered,
    meanwhile: () => writeTransferFees(ledger, lowered.address, { now: { basisPoints: 0 } }),
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: amount / 10n, references })],
    says: [flawed('too_little', amount / 10n)],
  },
  {
    name: 'two amounts but for a base unit, for two links, where 0 % is withheld and 90 % is scheduled',
    mint: free,
    links: 2,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: 2n * amount - 1n, references })],
    says: [paid(), flawed('too_little', amount - 1n)],
  },
  {
    name: 'two amounts, for two links, where 1 % is withheld and 50 % is scheduled',
    mint: halved,
    links: 2,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: 2n * amount, references })],
    says: [{ state: 'paid' }, { state: 'paid' }],
  },
  {
    name: 'less than the amount by the fee that was scheduled when the link was made',
    mint: scheduled,
    meanwhile: () => writeTransferFees(ledger, scheduled.address, { now: { basisPoints: 300 } }),
    does: (references, payment) => [paymentIn('checked', { ...payment, references })],
    says: [paid(970_000n)],
  },
  {
    name: 'less than the amount by a fee that nobody knew of when the link was made',
    mint: raised,
    meanwhile: () => writeTransferFees(ledger, raised.address, { now: { basisPoints: 101 } }),
    does: (references, payment) => [paymentIn('checked', { ...payment, references })],
    says: [flawed('too_little', 989_900n)],
  },
  {
    name: 'a base unit less than the amount, where the mint withholds a fee',
    mint: taxed,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: amount - 101n, references })],
    says: [flawed('too_little')],
  },
];

const otherScenes: readonly Scene[] = [
  {
    name: 'a base unit less than the amount',
    mint: classic,
    does: (references, payment) => [
      atDepth(1, paymentIn('unchecked', { ...payment, amount: amount - 1n, references })),
    ],
    says: [flawed('too_little', amount - 1n)],
  },
  {
    name: 'the token account of somebody else',
    mint: classic,
    does: (references, payment) => [
      atDepth(1, paymentIn('unchecked', { ...payment, destination: strangersClassic, references })),
    ],
    says: [flawed('elsewhere')],
  },
  {
    name: 'another mint',
    mint: classic,
    does: (references) => [atDepth(1, paymentIn('checked', { ...token2022Payment, references }))],
    says: [flawed('other_mint')],
  },
  {
    name: 'a transaction that names the reference and moves no tokens',
    mint: classic,
    does: ([reference]) => [lamportsTo(reference ?? payer.address, 1_000_000n)],
    says: [flawed(true)],
  },
];

const severalScenes: readonly Scene[] = [
  {
    name: 'a transfer that carries the reference of one, beside an instruction that names the other',
    mint: classic,
    links: 2,
    does: ([one, other], payment) => [
      naming(other ? [other] : []),
      paymentIn('checked', { ...payment, amount: 2n * amount, references: one ? [one] : [] }),
    ],
    says: [paid(2n * amount), flawed('other_link', 0n)],
  },
  {
    name: 'one transfer that is enough for both, and names both',
    mint: classic,
    links: 2,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: 2n * amount, references })],
    says: [{ state: 'paid' }, { state: 'paid' }],
  },
  {
    name: 'one transfer that is enough for one, and names both',
    mint: classic,
    links: 2,
    does: (references, payment) => [paymentIn('checked', { ...payment, amount: 2n * amount - 1n, references })],
    says: [{ state: 'paid' }, flawed(true)],
  },
  {
    name: 'one transfer that is enough for one, and names both, the second one first',
    mint: token2022,
    links: 2,
    does: (references, payment) => [
      atDepth(1, paymentIn('unchecked', { ...payment, amount, references: references.toReversed() })),
    ],
    says: [flawed(true), { state: 'paid' }],
  },
  {
    name: 'a transfer each, by one program',
    mint: classic,
    links: 2,
    does: (references, payment) => [
      throughProxy(
        references.map((reference) => withReferences(paymentIn('unchecked', { ...payment, amount }), [reference])),
      ),
    ],
    says: [{ state: 'paid' }, { state: 'paid' }],
  },
];

const groups: readonly (readonly [name: string, scenes: readonly Scene[]])[] = [
  ['is paid by', formScenes],
  ['is paid by', wrappingScenes],
  ['is paid, with its reference where the payment is, by', namingScenes],
  ['is not paid, with its reference elsewhere, by', elsewhereScenes],
  ['is not paid by', [...nothingStays, ...unwrapScenes, ...wrapScenes]],
  ['takes what the mint withholds into account, with', feeScenes],
  ['is not paid, and lists it, with', otherScenes],
  ['shares what arrives with another one, with', severalScenes],
];

const strangersClassic = await associatedTokenAccountOf(classic, stranger.address);
const token2022Payment = await paymentFor(token2022);
const classicBody = { ...body, amount: String(amount) };

describe('a payment link', () => {
  const made = new Map<Scene, readonly LinkJson[]>();
  const found = new Map<Scene, readonly LinkJson[]>();
  const signatures = new Map<Scene, string>();

  before(async () => {
    assert.deepEqual([payer.address, recipient.address, usdc.length > 0], [alice.address, bob.address, true]);
    installProxyProgram(ledger);
    const fromEpoch = 1_000_000n;
    writeTransferFees(ledger, scheduled.address, {
      now: { basisPoints: 100 },
      later: { basisPoints: 300, fromEpoch },
    });
    writeTransferFees(ledger, free.address, { now: { basisPoints: 0 }, later: { ...ninetyPercent, fromEpoch } });
    writeTransferFees(ledger, halved.address, {
      now: { basisPoints: 100 },
      later: { basisPoints: 5_000, fromEpoch },
    });
    writeTransferFees(ledger, lowered.address, { now: ninetyPercent });
    ledger.advanceSlots(1);
    const scenes = groups.flatMap(([, all]) => all);
    for (const scene of scenes) {
      const fields = { ...classicBody, token_mint_address: scene.mint.address };
      made.set(scene, await Promise.all(Array.from({ length: scene.links ?? 1 }, () => client.create(fields))));
    }
    for (const scene of scenes) scene.meanwhile?.();
    for (const scene of scenes) {
      const references = (made.get(scene) ?? []).map(({ reference }) => address(String(reference)));
      const instructions = scene.does(references, await paymentFor(scene.mint));
      const signers: [Keypair, ...Keypair[]] = [payer, ...(scene.signers ?? [])];
      const bytes = signedTransaction(instructions, signers, ledger.latestBlockhash());
      const { error, logs, signature } = ledger.sendTransaction(bytes);
      assert.equal(error, null, `${scene.name}: ${logs.join('\n')}`);
      signatures.set(scene, signature);
    }
    ledger.advanceSlots(1);
    const landedAt = Date.now();
    const isChecked = ({ payments, checked_at: checkedAt }: LinkJson): boolean =>
      payments.length > 0 || Date.parse(checkedAt ?? '') > landedAt + sharedMs;
    const read = ({ id }: LinkJson) => client.readUntil(id, isChecked);
    const waiting = [...scenes];
    const readOneAfterAnother = async (): Promise<void> => {
      for (let scene = waiting.pop(); scene; scene = waiting.pop()) {
        found.set(scene, await Promise.all((made.get(scene) ?? []).map(read)));
      }
    };
    await Promise.all(Array.from({ length: readers }, readOneAfterAnother));
  });

  for (const [group, scenes] of groups) {
    for (const scene of scenes) {
      it(`${group} ${scene.name}`, () => {
        for (const [index, said] of scene.says.entries()) {
          const link = found.get(scene)?.[index];
          const [payment, ...others] = link?.payments ?? [];
          assert.deepEqual([link?.state, others], [said.state, []], JSON.stringify(payment));
          assert.equal(payment?.signature, signatures.get(scene));
          assert.equal(payment?.counts, said.state === 'paid', payment?.flaw);
          if (said.flaw === undefined) assert.equal(payment?.flaw, undefined);
          else if (said.flaw === true) assert.notEqual(payment?.flaw, undefined);
          else assert.equal(payment?.flaw, said.flaw);
          if (said.received !== undefined) assert.equal(payment?.received_amount, said.received.toString());
        }
      });
    }
  }
});
