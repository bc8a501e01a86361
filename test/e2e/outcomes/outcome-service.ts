import assert from 'node:assert/strict';
import { ComputeBudgetProgram, Transaction } from '@solana/web3.js';
import { Check } from 'typebox/schema';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import { outcomeReplySchema, type VerdictJson } from '../../../packages/server/src/outcomes/outcome-schema.ts';
import { type Cleanup, startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { named, signWith, toKeypair } from '../../setup/wallets.ts';

/** The path of outcomes. */
export const outcomePath = '/v1/transfers/outcome';

/** A transfer as `/v1/transfers` built it. */
export interface Built {
  transaction: string;
  bytes: Uint8Array;
  /** The fields that ask for its outcome. */
  question: { transaction: string; last_valid_block_height?: string };
  tokenAccount: string;
}

/** Starts a service whose transfers can be built, signed, landed and asked for. */
export async function startOutcomeService(cleanup: Cleanup, environment: Environment = {}) {
  const service = await startTestService(cleanup, environment);
  const { world, ledger } = service.sandbox;
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => named(world.wallets, name));
  assert.ok(alice && bob && carol);
  const usdc = named(world.mints, 'USDC').address;

  const build = async (more: object): Promise<Built> => {
    const fields = { from_address: alice.address, to_address: bob.address, token_mint_address: usdc, ...more };
    const response = await service.post('/v1/transfers', fields);
    const reply: { data: { transaction: string; lifetime: object; summary: { recipient_token_account: string } } } =
      JSON.parse(await response.text());
    assert.equal(response.status, 200, JSON.stringify(reply));
    const { transaction, lifetime, summary } = reply.data;
    const height: unknown = 'last_valid_block_height' in lifetime ? lifetime.last_valid_block_height : undefined;
    return {
      transaction,
      bytes: Buffer.from(transaction, 'base64'),
      question: { transaction, ...(height !== undefined && { last_valid_block_height: String(height) }) },
      tokenAccount: summary.recipient_token_account,
    };
  };

  /** Signs as a wallet does: base64 of the signed bytes. */
  const sign = async (bytes: Uint8Array, ...signers: { secret_key: string }[]): Promise<string> => {
    const keys = (signers.length > 0 ? signers : [alice]).map((wallet) => wallet.secret_key);
    return Buffer.from(await signWith(bytes, keys)).toString('base64');
  };

  /** Lets signed bytes land; the signature. `fails` says that they must fail on chain. */
  const land = (signed: string, fails = false): string => {
    const outcome = ledger.sendTransaction(Buffer.from(signed, 'base64'));
    assert.deepEqual([outcome.landed, outcome.error === null], [true, !fails], JSON.stringify(outcome.logs));
    return String(outcome.signature);
  };

  /** Changes a transaction as wallets do, and signs it: another blockhash, another fee payer, a compute budget. */
  const signChanged = (bytes: Uint8Array): string => {
    const transaction = Transaction.from(bytes);
    transaction.recentBlockhash = ledger.latestBlockhash().blockhash;
    transaction.feePayer = toKeypair(carol.secret_key).publicKey;
    transaction.instructions.unshift(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 150_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 }),
    );
    transaction.sign(toKeypair(carol.secret_key), toKeypair(alice.secret_key));
    return transaction.serialize().toString('base64');
  };

  /** Asks, and returns the verdicts: one for a single question. */
  const ask = async (question: object): Promise<VerdictJson[]> => {
    const response = await service.post(outcomePath, question);
    const reply: unknown = await response.json();
    assert.equal(response.status, 200, JSON.stringify(reply));
    if (!Check(outcomeReplySchema, reply)) assert.fail(JSON.stringify(reply));
    return [reply.data].flat();
  };

  /** Asks until the outcome is this one, since answers of the nodes are shared for a moment. */
  const askUntil = (question: object, isIt: (verdict: VerdictJson) => boolean): Promise<VerdictJson> =>
    readUntil(async () => (await ask(question))[0] ?? assert.fail('no verdict'), isIt);

  return { service, ledger, world, alice, bob, carol, usdc, build, sign, land, signChanged, ask, askUntil };
}
