import { type Address, address, createNoopSigner, getProgramDerivedAddress } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { getInitializeMultisig2Instruction, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { associatedTokenAccountOf, createTokenAccounts } from './token-accounts.ts';
import type { TokenMint } from './token-mints.ts';
import { issuer, runSetup } from './token-setup-transaction.ts';
import { makeNonceAccount, makeStakeAccount, setLamports } from './token-wallets.ts';

/** A program, on the curve. */
export const memoProgramAddress = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** An account of the runtime. */
export const rentSysvarAddress = address('SysvarRent111111111111111111111111111111111');

/** Makes the token account of somebody for the mint, and gives its own address. */
export async function createSomebodysTokenAccount(ledger: Ledger, mint: TokenMint, name: string): Promise<Address> {
  const owner = keypairFromName(`somebody ${name}`).address;
  await createTokenAccounts(ledger, mint, [{ owner, amount: 0n }]);
  return associatedTokenAccountOf(mint, owner);
}

/** Makes a multisig of the mint's token program, of two signers, and gives its address. */
export function createMultisig(ledger: Ledger, { tokenProgram }: TokenMint, name: string): Address {
  return createMultisigOf(ledger, tokenProgram, name);
}

/** Makes a multisig of the token program that is not the mint's, and gives its address. */
export function createMultisigOfOtherProgram(ledger: Ledger, { tokenProgram }: TokenMint, name: string): Address {
  const isClassic = tokenProgram === TOKEN_PROGRAM_ADDRESS;
  return createMultisigOf(ledger, isClassic ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS, name);
}

function createMultisigOf(ledger: Ledger, tokenProgram: Address, name: string): Address {
  const keypair = keypairFromName(`multisig ${name}`);
  const space = 355n;
  const creation = getCreateAccountInstruction({
    payer: issuer,
    newAccount: createNoopSigner(keypair.address),
    lamports: ledger.minimumBalanceForRentExemption(space),
    space,
    programAddress: tokenProgram,
  });
  const signers = [faucet.address, keypairFromName(`signer ${name}`).address];
  const initialization = getInitializeMultisig2Instruction(
    { multisig: keypair.address, m: 1, signers },
    { programAddress: tokenProgram },
  );
  runSetup(ledger, [creation, initialization], [keypair]);
  return keypair.address;
}

/** Makes a stake account, whose address is on the curve, and gives its address. */
export function createStakeAccount(ledger: Ledger, _mint: TokenMint, name: string): Address {
  const { address: made } = keypairFromName(`stake account ${name}`);
  makeStakeAccount(ledger, made);
  return made;
}

/** Makes a durable nonce account, whose address is on the curve. */
export function createNonceAccountWallet(ledger: Ledger, _mint: TokenMint, name: string): Address {
  const { address: made } = keypairFromName(`nonce account ${name}`);
  makeNonceAccount(ledger, made);
  return made;
}

/** Derives an address off the curve, at which there is nothing. */
export async function createProgramDerivedAddress(_ledger: Ledger, _mint: TokenMint, name: string): Promise<Address> {
  const seeds = [keypairFromName(name).address].map((text) => text.slice(0, 32));
  const [derived] = await getProgramDerivedAddress({ programAddress: TOKEN_2022_PROGRAM_ADDRESS, seeds });
  return derived;
}

/** Derives an address off the curve and pays SOL to it, as programs keep theirs. */
export async function createSystemOwnedVault(ledger: Ledger, mint: TokenMint, name: string): Promise<Address> {
  const vault = await createProgramDerivedAddress(ledger, mint, `vault ${name}`);
  setLamports(ledger, vault, 1_000_000_000n);
  return vault;
}
