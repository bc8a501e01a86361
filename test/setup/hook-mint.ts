import { type Address, createNoopSigner, type Instruction, lamports, some } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  type ExtraAccountMeta,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getInitializeTransferHookInstruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { type Keypair, keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';
import { encodeExtraAccountMetaList, validationAddressOf } from './hook-extra-account-metas.ts';

/** What a mint with a transfer hook is to be. */
interface HookMintPlan {
  /** Gives the mint its address: another name, another mint. */
  name: string;
  decimals: number;
  hookProgram: Address;
  /** What the validation account says; without it there is none. */
  extraAccountMetas?: readonly ExtraAccountMeta[];
  /** Wallets that get an associated token account, with so many base units in it. */
  holders: readonly { wallet: Address; amount: bigint }[];
}

const faucetSigner = createNoopSigner(faucet.address);

function run(ledger: Ledger, instructions: readonly Instruction[], cosigners: readonly Keypair[] = []): void {
  const bytes = signedTransaction(instructions, [faucet, ...cosigners], ledger.latestBlockhash());
  const { error, logs } = ledger.sendTransaction(bytes);
  if (error !== null) throw new Error(`hook mint: ${JSON.stringify(error)}\n${logs.join('\n')}`);
}

async function writeExtraAccountMetas(
  ledger: Ledger,
  mint: Address,
  hookProgram: Address,
  metas: readonly ExtraAccountMeta[],
): Promise<void> {
  const data = encodeExtraAccountMetaList(metas);
  ledger.setAccount({
    address: await validationAddressOf(mint, hookProgram),
    data,
    executable: false,
    lamports: lamports(ledger.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: hookProgram,
    space: BigInt(data.length),
  });
}

/**
 * Makes a Token-2022 mint with the TransferHook extension, by the real programs' instructions, and gives its address.
 * Throws when the ledger has a mint of this name already, or refuses anything else.
 */
export async function createHookMint(ledger: Ledger, plan: HookMintPlan): Promise<Address> {
  const { decimals, hookProgram } = plan;
  const keypair = keypairFromName(`hook mint ${plan.name}`);
  const mint = keypair.address;
  const extension = { __kind: 'TransferHook', authority: faucet.address, programId: hookProgram } as const;
  const space = BigInt(getMintSize([extension]));
  const creation = getCreateAccountInstruction({
    payer: faucetSigner,
    newAccount: createNoopSigner(mint),
    lamports: ledger.minimumBalanceForRentExemption(space),
    space,
    programAddress: TOKEN_2022_PROGRAM_ADDRESS,
  });
  const hook = getInitializeTransferHookInstruction({
    mint,
    authority: some(faucet.address),
    programId: some(hookProgram),
  });
  const initialization = getInitializeMint2Instruction({ mint, decimals, mintAuthority: faucet.address });
  run(ledger, [creation, hook, initialization], [keypair]);
  for (const { wallet, amount } of plan.holders) await fund(ledger, mint, wallet, amount);
  if (plan.extraAccountMetas) await writeExtraAccountMetas(ledger, mint, hookProgram, plan.extraAccountMetas);
  return mint;
}

async function fund(ledger: Ledger, mint: Address, owner: Address, amount: bigint): Promise<void> {
  const tokenProgram = TOKEN_2022_PROGRAM_ADDRESS;
  const [token] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
  run(ledger, [
    getCreateAssociatedTokenIdempotentInstruction({ payer: faucetSigner, ata: token, owner, mint, tokenProgram }),
    getMintToInstruction({ mint, token, mintAuthority: faucetSigner, amount }),
  ]);
}
