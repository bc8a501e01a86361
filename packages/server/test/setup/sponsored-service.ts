import assert from 'node:assert/strict';
import { address } from '@solana/kit';
import { signInWorld } from '../../../../test/setup/land.ts';
import { type Cleanup, startTestService } from '../../../../test/setup/service.ts';
import { peopleOf } from '../../../../test/setup/wallets.ts';
import { findAssociatedTokenAddress, readU64, toAddress, tokenPrograms } from '../../../core/src/index.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import type { ProblemBody } from '../../src/app/problem-schema.ts';
import { readProblem } from '../app/problem.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';
import { startKoraDouble } from './kora-double.ts';

/** A transfer from alice, who has SOL that a sponsor spares her, to bob, who has token accounts. */
export const sponsored = {
  from_address: alice,
  to_address: bob,
  token_mint_address: usdc,
  amount: '1500000',
  fee_payer: 'sponsor',
};

const carol = keypairFromName('splwright sandbox wallet carol').address;

/** Starts a service with a sponsor that has 1 SOL, whose fees go to a wallet with or without token accounts. */
export async function startSponsoredService(
  t: Cleanup,
  environment: Record<string, string> = {},
  paid: 'bob' | 'carol' = 'bob',
) {
  const kora = await startKoraDouble(t, paid === 'bob' ? bob : carol);
  const service = await startTestService(t, { SPONSOR_URL: kora.url, ...environment });
  const { ledger, world } = service.sandbox;
  ledger.airdrop(address(kora.address), 1_000_000_000n);
  const solOf = (wallet: string): bigint => ledger.getAccount(address(wallet))?.lamports ?? 0n;
  const tokensOf = (wallet: string, mint = usdc): bigint => {
    const accounts = tokenPrograms.map((tokenProgram) => {
      const owned = { owner: toAddress(wallet), tokenProgram, mint: toAddress(mint) };
      return ledger.getAccount(address(findAssociatedTokenAddress(owned).address));
    });
    const data = accounts.find((account) => account !== null && account !== undefined)?.data;
    return data ? readU64(Uint8Array.from(data), 64) : 0n;
  };
  const post = (sent: object, headers?: Record<string, string>) => service.post('/v1/transfers', sent, headers);
  return {
    kora,
    service,
    people: peopleOf(world),
    mintOf: (name: string): string => world.mints.find((mint) => mint.name === name)?.address ?? '',
    solOf,
    tokensOf,
    post,
    /** `data` of the reply to a transfer. */
    build: async (sent: object) => {
      const response = await post(sent);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text).data;
    },
    /** Lets a transaction land with the signature of alice in addition. */
    land: async (transaction: string): Promise<void> => {
      const outcome = ledger.sendTransaction(await signAlso(transaction));
      assert.equal(outcome.error, null, outcome.logs.join('\n'));
    },
    refusalOf: async (sent: object): Promise<ProblemBody> => readProblem(await post(sent)),
  };

  async function signAlso(transaction: string): Promise<Uint8Array> {
    const bytes = Uint8Array.from(Buffer.from(transaction, 'base64'));
    const signed = await signInWorld(service.sandbox, bytes, [alice]);
    return signed;
  }
}
