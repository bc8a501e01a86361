import { type Address, createNoopSigner, lamports } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  type ExtensionArgs,
  getInitializeMint2Instruction,
  getMintSize,
  getPauseInstruction,
  getPostInitializeInstructionsForMintExtensions,
  getPreInitializeInstructionsForMintExtensions,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { configureTokenAcl, installTokenAcl } from './token-acl.ts';
import { installHook } from './token-hook-plans.ts';
import type { TokenMintKind } from './token-mint-kinds.ts';
import { issuer, runSetup } from './token-setup-transaction.ts';

/** A mint on a ledger. */
export interface TokenMint extends TokenMintKind {
  address: Address;
}

/** Extensions that are written after the mint is initialized, for which the token program makes room itself. */
const writtenAfterwards: readonly ExtensionArgs['__kind'][] = ['TokenMetadata', 'TokenGroup'];

/** A type-length-value entry of type 99, with a value of 5 bytes. */
const unknownEntry = Uint8Array.of(99, 0, 5, 0, 1, 2, 3, 4, 5);

/**
 * Makes a mint of a kind by the real programs, its hook included. The faucet is its every authority.
 * Throws when the ledger has a mint of this name already.
 */
export async function createTokenMint(ledger: Ledger, kind: TokenMintKind, name: string): Promise<TokenMint> {
  const { tokenProgram, decimals, hook, nativeMint } = kind;
  if (nativeMint !== undefined) return { ...kind, address: nativeMint };
  const keypair = keypairFromName(`mint ${name}`);
  const mint = keypair.address;
  const extensions = kind.extensions?.(mint);
  const space = getMintSize(extensions?.filter(({ __kind }) => !writtenAfterwards.includes(__kind)));
  const creation = getCreateAccountInstruction({
    payer: issuer,
    newAccount: createNoopSigner(mint),
    lamports: ledger.minimumBalanceForRentExemption(BigInt(getMintSize(extensions))),
    space,
    programAddress: tokenProgram,
  });
  const initialization = getInitializeMint2Instruction(
    { mint, decimals, mintAuthority: faucet.address, freezeAuthority: faucet.address },
    { programAddress: tokenProgram },
  );
  const before = getPreInitializeInstructionsForMintExtensions(mint, extensions ?? []);
  const after = getPostInitializeInstructionsForMintExtensions(mint, issuer, extensions ?? []);
  runSetup(ledger, [creation, ...before, initialization, ...after], [keypair]);
  if (hook) await installHook(ledger, hook, mint);
  return { ...kind, address: mint };
}

/** Does to a mint what its kind wants done once its holders have their tokens. */
export async function finishTokenMint(ledger: Ledger, { address: mint, finish, tokenAcl }: TokenMint): Promise<void> {
  if (tokenAcl) {
    installTokenAcl(ledger);
    await configureTokenAcl(ledger, mint, tokenAcl);
  }
  if (finish === 'pause') runSetup(ledger, [getPauseInstruction({ mint, authority: issuer })]);
  if (finish === 'add_unknown_extension') addUnknownExtension(ledger, mint);
}

/** Appends an extension of a type that no token program of today knows, as a newer one would have written it. */
function addUnknownExtension(ledger: Ledger, mint: Address): void {
  const account = ledger.getAccount(mint);
  if (!account) throw new Error(`no mint at ${mint}`);
  const data = Uint8Array.from([...account.data, ...unknownEntry]);
  const space = BigInt(data.length);
  ledger.setAccount({
    ...account,
    data,
    space,
    lamports: lamports(ledger.minimumBalanceForRentExemption(space)),
  });
}
