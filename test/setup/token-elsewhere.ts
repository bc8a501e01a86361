import { type Address, createNoopSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  getInitializeAccount3Instruction,
  getMintToInstruction,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';

/** Puts so many base units of one of the sandbox's SPL Token mints into a token account of a wallet that is not its derived one. */
export function holdElsewhere(ledger: Ledger, owner: Address, mint: Address, amount: bigint): Address {
  const account = keypairFromName(`elsewhere ${owner} ${mint} ${amount}`);
  const space = BigInt(getTokenSize());
  const payer = createNoopSigner(faucet.address);
  const instructions = [
    getCreateAccountInstruction({
      payer,
      newAccount: createNoopSigner(account.address),
      lamports: ledger.minimumBalanceForRentExemption(space),
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeAccount3Instruction({ account: account.address, mint, owner }),
    getMintToInstruction({ mint, token: account.address, mintAuthority: payer, amount }),
  ];
  const { error } = ledger.sendTransaction(
    signedTransaction(instructions, [faucet, account], ledger.latestBlockhash()),
  );
  if (error !== null) throw new Error(JSON.stringify(error));
  return account.address;
}
