import { type Address, address, type EncodedAccount, lamports } from '@solana/kit';
import { getNonceEncoder, NonceState, NonceVersion, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';

const oneSol = lamports(1_000_000_000n);
const stakeProgram = address('Stake11111111111111111111111111111111111111');
const stakeAccountLength = 200;

/** Gives a wallet exactly so many lamports, even fewer than it may be left with. */
export function setLamports(ledger: Ledger, wallet: Address, balance: bigint): void {
  ledger.setAccount(accountOf(wallet, SYSTEM_PROGRAM_ADDRESS, new Uint8Array(), lamports(balance)));
}

/** Makes a wallet a durable nonce account, with a SOL in it. */
export function makeNonceAccount(ledger: Ledger, wallet: Address, authority = faucet.address): void {
  const { blockhash } = ledger.latestBlockhash();
  const data = getNonceEncoder().encode({
    version: NonceVersion.Current,
    state: NonceState.Initialized,
    authority,
    blockhash: address(blockhash),
    lamportsPerSignature: 5000n,
  });
  ledger.setAccount(accountOf(wallet, SYSTEM_PROGRAM_ADDRESS, Uint8Array.from(data), oneSol));
}

/** Makes a wallet an account of a program, the one that keeps stakes, with a SOL in it. */
export function makeStakeAccount(ledger: Ledger, wallet: Address): void {
  ledger.setAccount(accountOf(wallet, stakeProgram, new Uint8Array(stakeAccountLength), oneSol));
}

function accountOf(
  wallet: Address,
  programAddress: Address,
  data: Uint8Array,
  balance: ReturnType<typeof lamports>,
): EncodedAccount {
  return { address: wallet, programAddress, data, lamports: balance, executable: false, space: BigInt(data.length) };
}
