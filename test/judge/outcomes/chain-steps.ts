import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
} from '@solana/kit';
import { getAdvanceNonceAccountInstruction } from '@solana-program/system';
import { nonceAuthorityOf } from '../option-addresses.ts';
import { account } from '../token-account.ts';
import { readNonce, signTransaction } from '../transaction.ts';
import type { Step } from './history-world.ts';
import { readPayments } from './payment-reading.ts';
import { type Built, count, type Errand, ownersOf, type Trial } from './trial.ts';
import { signAsBuilt, signChanged, type WalletChange } from './wallet.ts';

const msPerSlot = 400;
const blockhashLife = 150n;
const blocksToFinalize = 32n;
const maxBlocksAtOnce = 700n;
/** In a token account: whether it is frozen. */
const stateOffset = 108;
const frozen = 2;

/** Lets blocks pass, and the time that they take. */
export function passBlocks({ cluster, services }: Trial, blocks: number, skipped = 0): void {
  // More slots than three of four are never skipped.
  const skips = Math.min(skipped, blocks * 3);
  cluster.advance(blocks, skips);
  services.clock.now += (blocks + skips) * msPerSlot;
}

/** Lets time pass until a moment of the newest build. */
export function passUntil(trial: Trial, { until, by, skipped }: Extract<Step, { kind: 'pass' }>): void {
  const { cluster, errands } = trial;
  const last = errands.get(0)?.builds.at(-1)?.lastValidBlockHeight;
  const height = cluster.heightOf(cluster.tip);
  const ends = {
    soon: height,
    own_end: last,
    own_end_final: last === undefined ? undefined : last + blocksToFinalize,
    last_end_final: last === undefined ? undefined : last + blockhashLife + blocksToFinalize,
  };
  const blocks = (ends[until] ?? height) + BigInt(by) - height;
  const wanted = blocks < 1n ? 1n : blocks > maxBlocksAtOnce ? maxBlocksAtOnce : blocks;
  passBlocks(trial, Number(wanted), skipped);
}

/** The build that a step is about; `earlier`: so many before the last one, where there are as many. */
export function buildOf(errand: Errand | undefined, earlier: number): Built | undefined {
  return errand?.builds.at(-1 - earlier) ?? errand?.builds.at(-1);
}

/** The wallet signs something, with changes, unless it has signed it before. */
export function sign(trial: Trial, built: Built, wanted: readonly WalletChange[]): void {
  if (built.signed) return;
  const { cluster, situation, otherPayer } = trial;
  const isAlive = canLand(trial, built);
  const changes = wanted.filter((change) => change !== 'blockhash' || isAlive);
  const signed = signChanged(built.bytes, changes, {
    situation,
    otherPayer,
    blockhash: cluster.ledger.latestBlockhash(),
  });
  built.signed = { bytes: signed.bytes, reading: readPayments(signed.bytes) };
  trial.log.push(`signed with ${signed.changes.join(', ') || 'no changes'}`);
}

// Only while what was built could land itself does a wallet put another blockhash in.
function canLand({ cluster }: Trial, { lastValidBlockHeight, reading }: Built): boolean {
  return lastValidBlockHeight === undefined
    ? cluster.nonceAt(cluster.tip) === reading.lifetimeToken
    : cluster.heightOf(cluster.tip) <= lastValidBlockHeight;
}

/** Sends what the wallet signed, or signs it as it is, and judges whether it may land. */
export function submit(trial: Trial, built: Built, fails: boolean): void {
  if (!built.signed) {
    const bytes = signAsBuilt(built.bytes, trial);
    built.signed = { bytes, reading: readPayments(bytes) };
  }
  const { bytes } = built.signed;
  const outcome = fails ? whileFrozen(trial, () => trial.cluster.send(bytes)) : trial.cluster.send(bytes);
  const end = !outcome.landed ? 'refused' : outcome.error === null ? 'landed' : 'failed';
  count(trial, `chain ${end}`);
  trial.log.push(`sent: ${end} ${JSON.stringify(outcome.error)}, ${outcome.signature}`);
  const landed = trial.cluster.landed.at(-1);
  if (!outcome.landed || !landed || outcome.error !== null) return;
  const owners = ownersOf(trial, landed);
  // With the bytes that two requests were given, it may be either's.
  if (owners.every((owner) => owner.built.deadBecause !== undefined)) {
    for (const owner of owners) {
      trial.disagreements.push(`it landed as ${outcome.signature}, and ${owner.built.deadBecause}`);
    }
  }
  judgeOnce(trial);
}

// What it is all about.
function judgeOnce(trial: Trial): void {
  const payments = trial.cluster.landed.filter(({ record }) => record.error === null);
  const claims = payments.flatMap((landed) => {
    const owners = ownersOf(trial, landed).map(({ errand, built }) => ({
      errand,
      counts: errand.idempotencyKey !== undefined && errand.sinceForgotten.includes(built),
    }));
    // One that is not counted can be any number of payments.
    const isCounted = owners.length > 0 && owners.every(({ counts }) => counts);
    return isCounted ? [{ signature: landed.record.signature, errands: owners.map(({ errand }) => errand) }] : [];
  });
  const unpaid = claimsWithoutErrand(claims);
  if (unpaid.length === 0) return;
  const signatures = claims.map(
    ({ signature, errands }) => `${signature} of ${errands.map(({ purpose }) => purpose).join()}`,
  );
  trial.disagreements.push(`PAID TWICE under one Idempotency-Key: ${signatures.join(', ')}`);
}

/** Does something while the sender's token account is frozen. */
export function whileFrozen<T>({ cluster, situation }: Trial, action: () => T): T {
  const { ledger } = cluster;
  const found = ledger.getAccount(situation.senderTokenAccount);
  if (!found) throw new Error('the sender has no token account');
  const data = Uint8Array.from(found.data);
  data[stateOffset] = frozen;
  ledger.setAccount(account(found.address, found.programAddress, found.lamports, data));
  try {
    return action();
  } finally {
    ledger.setAccount(found);
  }
}

/** Advances the nonce by a transaction that does nothing else. */
export function advanceNonce(trial: Trial, livesBy: 'nonce' | 'blockhash'): void {
  const { cluster, situation, otherPayer, nonceAccount } = trial;
  if (nonceAccount === undefined) return;
  const authority = nonceAuthorityOf(situation.world, situation);
  const empty = setTransactionMessageFeePayer(otherPayer.address, createTransactionMessage({ version: 0 }));
  const advance = getAdvanceNonceAccountInstruction({
    nonceAccount,
    nonceAuthority: createNoopSigner(authority),
  });
  const message =
    livesBy === 'nonce'
      ? setTransactionMessageLifetimeUsingDurableNonce(
          {
            nonce: readNonce(cluster.ledger, nonceAccount),
            nonceAccountAddress: nonceAccount,
            nonceAuthorityAddress: authority,
          },
          empty,
        )
      : setTransactionMessageLifetimeUsingBlockhash(
          cluster.ledger.latestBlockhash(),
          appendTransactionMessageInstructions([advance], empty),
        );
  const transaction = compileTransaction(message);
  const { landed, error } = cluster.send(signTransaction(transaction, [otherPayer, ...situation.signers]));
  trial.log.push(`nonce advanced by one that lives by a ${livesBy}: ${landed} ${JSON.stringify(error)}`);
}

/** A payment, and whose it can be. */
interface Claim {
  signature: string;
  errands: readonly Errand[];
}

/**
 * Gives each payment to one of those whose it can be, nobody two of them; returns the payments that are too many.
 *
 * Two requests that were answered with the same bytes cannot be told apart by what landed.
 */
function claimsWithoutErrand(claims: readonly Claim[]): readonly Claim[] {
  const payments = new Map<Errand, Claim>();
  const place = (claim: Claim, tried: Set<Errand>): boolean =>
    claim.errands.some((errand) => {
      if (tried.has(errand)) return false;
      tried.add(errand);
      const other = payments.get(errand);
      if (other && !place(other, tried)) return false;
      payments.set(errand, claim);
      return true;
    });
  return claims.filter((claim) => !place(claim, new Set()));
}
