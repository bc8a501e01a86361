import type { Address } from '@solana/kit';
import { findAssociatedTokenPda, getTokenDecoder } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { mintAddressOf, nameIn, offCurveAddressOf, senderOf, tokenProgramOf } from './addresses.ts';
import { type Payee, payeesOf, totalOf } from './asked.ts';
import { nonceAccountOf, referencesOf, thirdSignersOf } from './option-addresses.ts';
import { creationRentOf } from './token-account.ts';
import type { World } from './world.ts';
import { writeMint, writeNonceAccount, writeSenderTokenAccount } from './write-accounts.ts';
import { recipientAddressOf, writeRecipientTokenAccount, writeRecipientWallet } from './write-recipient.ts';

/** A world on a ledger: where everything is. */
export interface Situation {
  world: World;
  /** Who signs, the fee payer first, as far as there is a key. */
  signers: readonly Keypair[];
  sender: Address;
  /** The sender, unless another pays. */
  feePayer: Address;
  recipient: Address;
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  senderTokenAccount: Address;
  recipientTokenAccount: Address;
  /** In the order of the transaction: those of the splits, then that to the recipient. */
  payments: readonly PaymentSituation[];
  nonceAccount: Address | undefined;
  references: readonly Address[];
  /** What is wrapped first; absent where nothing is asked for, or missing. */
  wrapping?: WrappingSituation | undefined;
}

/** Lamports of the sender that go to its token account first. */
export interface WrappingSituation {
  lamports: bigint;
  creates: boolean;
  /** What the sender pays for the account that is created. */
  rent: bigint;
  /** The bump of the token account. */
  bump: number;
}

/** A payment on a ledger: where everything is. */
export interface PaymentSituation {
  payee: Payee;
  recipient: Address;
  tokenAccount: Address;
  /** The bump of the token account. */
  bump: number;
}

/** Writes a world's accounts to a ledger, but for the wallets that sign. */
export async function situate(ledger: Ledger, world: World): Promise<Situation> {
  const isOffCurve = world.senderWallet === 'off_curve';
  const sender = isOffCurve ? await offCurveAddressOf(world, 'sender') : senderOf(world);
  const hasKey = !isOffCurve && world.senderWallet !== 'vault';
  const tokenProgram = tokenProgramOf(world.mint);
  const mint = mintAddressOf(world);
  const [senderTokenAccount, senderBump] = await findAssociatedTokenPda({ owner: sender, mint, tokenProgram });
  const payments: PaymentSituation[] = [];
  for (const payee of payeesOf(world)) {
    const owner = await recipientAddressOf(world, payee, { sender, mint, senderTokenAccount });
    const [tokenAccount, bump] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
    payments.push({ payee, recipient: owner, tokenAccount, bump });
  }
  const main = payments.at(-1);
  if (!main) throw new Error('every world has a payment');
  const { recipient, tokenAccount: recipientTokenAccount } = main;
  const decimals = world.mint.kind === 'native' ? 9 : world.mint.kind === 'oddity' ? 0 : world.mint.decimals;
  const payer = await payerOf(world, sender);
  const wallets = { sender, recipient, feePayer: payer.address };
  const nonceAccount = nonceAccountOf(world, wallets);
  const addresses = { ...wallets, mint, tokenProgram, senderTokenAccount, recipientTokenAccount, nonceAccount };
  const situation: Situation = {
    world,
    signers: [
      ...(payer.keypair ? [payer.keypair] : []),
      ...(hasKey ? [keypairFromName(nameIn(world, 'sender'))] : []),
      ...thirdSignersOf(world),
    ],
    ...addresses,
    decimals,
    payments,
    references: referencesOf(world, addresses),
  };
  await writeMint(ledger, situation);
  for (const payment of payments) {
    writeRecipientWallet(ledger, situation, payment);
    if (payment.recipient !== sender) writeRecipientTokenAccount(ledger, situation, payment);
  }
  writeSenderTokenAccount(ledger, situation);
  situation.wrapping = wrappingOf(ledger, situation, senderBump);
  writeNonceAccount(ledger, situation);
  return situation;
}

// Nothing is wrapped for another owner of the token account.
function wrappingOf(
  ledger: Ledger,
  { world, sender, senderTokenAccount, tokenProgram }: Situation,
  bump: number,
): WrappingSituation | undefined {
  if (!world.transfer?.wraps) return undefined;
  const found = ledger.getAccount(senderTokenAccount);
  const state = found?.programAddress === tokenProgram ? getTokenDecoder().decode(found.data) : undefined;
  const lamports = totalOf(world) - (state?.amount ?? 0n);
  if (lamports <= 0n || (state && state.owner !== sender)) return undefined;
  const missing = creationRentOf(ledger, world.mint, tokenProgram) - (found?.lamports ?? 0n);
  return { lamports, creates: !state, rent: state || missing < 0n ? 0n : missing, bump };
}

// A payer other than the sender, if there is one, and its key, if it has one.
async function payerOf(world: World, sender: Address): Promise<{ address: Address; keypair?: Keypair }> {
  const wallet = world.options.feePayer?.wallet ?? 'sender';
  if (wallet === 'sender') return { address: sender };
  if (wallet === 'off_curve') return { address: await offCurveAddressOf(world, 'fee payer') };
  const keypair = keypairFromName(nameIn(world, wallet === 'recipient' ? 'recipient' : 'fee payer'));
  return { address: keypair.address, keypair };
}
