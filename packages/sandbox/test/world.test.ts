import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSolanaRpc } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  decodeMint,
  fetchMaybeToken,
  findAssociatedTokenPda,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { startTestSandbox, wallet } from './fixtures.ts';

/** Pinned: readers paste these addresses from documents, so they may never change. */
const addresses = {
  alice: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
  bob: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  carol: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC',
  dave: 'ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg',
  USDC: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
  PYUSD: '2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD',
  SEAT: '5Q6Zo7c2uVLrGEMoJs5GwAcPkjwoD8vrJxoyhddmvjWF',
  GOLD: '2sWVvvFuQCWutwUrwk5uih2Yr8PC7JW5ee5e1inA5TRj',
  VOTE: 'CzYWZzyrozkUbspoeU5wsCw3TKUCyPud5PXFC5jvxNR8',
  WATT: '47PwRNcrdMrt5ox6P9LZGXUhCpVjTFUhnAsmYGsRvJDS',
  TAXED: 'hw9boh1QK2ZRE1wpmFpJGiG8G6C1XBCwt9tV2HA8z4F',
};

const mintKinds = [
  ['USDC', 6, TOKEN_PROGRAM_ADDRESS],
  ['PYUSD', 6, TOKEN_2022_PROGRAM_ADDRESS],
  ['SEAT', 0, TOKEN_PROGRAM_ADDRESS],
  ['GOLD', 9, TOKEN_PROGRAM_ADDRESS],
  ['VOTE', 0, TOKEN_2022_PROGRAM_ADDRESS],
  ['WATT', 9, TOKEN_2022_PROGRAM_ADDRESS],
  ['TAXED', 6, TOKEN_2022_PROGRAM_ADDRESS],
];

describe("the sandbox's world", () => {
  it('has the same addresses on every start', async () => {
    const sandbox = await startTestSandbox();
    const { wallets, mints } = sandbox.world;
    assert.deepEqual(Object.fromEntries([...wallets, ...mints].map(({ name, address }) => [name, address])), addresses);
    assert.deepEqual(
      mints.map(({ name, decimals, token_program }) => [name, decimals, token_program]),
      mintKinds,
    );
    for (const { name, secret_key } of wallets) assert.equal(secret_key, wallet(name).secretKey);
    await sandbox.close();
  });

  it('has the documented balances, final from the start, with either token program', async () => {
    for (const classicTokenProgram of [false, true]) {
      const sandbox = await startTestSandbox({ classicTokenProgram });
      const rpc = createSolanaRpc(sandbox.rpcUrl);
      const lamports = (name: string) => sandbox.ledger.getAccount(wallet(name).address)?.lamports;
      assert.deepEqual(['alice', 'bob', 'carol', 'dave'].map(lamports), [
        100_000_000_000n,
        10_000_000_000n,
        10_000_000_000n,
        undefined,
      ]);
      for (const { address: mint, decimals, token_program: tokenProgram } of sandbox.world.mints) {
        const amountOf = async (name: string) => {
          const [token] = await findAssociatedTokenPda({ owner: wallet(name).address, mint, tokenProgram });
          const account = await fetchMaybeToken(rpc, token, { commitment: 'finalized' });
          return account.exists ? account.data.amount : undefined;
        };
        assert.equal(await amountOf('alice'), 1_000_000n * 10n ** BigInt(decimals));
        assert.equal(await amountOf('bob'), 0n);
        assert.equal(await amountOf('carol'), undefined);
        assert.equal(await amountOf('dave'), undefined);
      }
      await sandbox.close();
    }
  });

  it('has a mint that takes one percent of a transfer, up to five tokens', async () => {
    const sandbox = await startTestSandbox();
    const account = sandbox.ledger.getAccount(sandbox.mint('TAXED'));
    assert.ok(account);
    const { extensions } = decodeMint(account).data;
    assert.ok(extensions.__option === 'Some');
    const [extension] = extensions.value;
    assert.ok(extension?.__kind === 'TransferFeeConfig');
    assert.deepEqual(extension.newerTransferFee, {
      epoch: sandbox.ledger.slot() / 432_000n,
      maximumFee: 5_000_000n,
      transferFeeBasisPoints: 100,
    });
    await sandbox.close();
  });
});
