import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import {
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { faucet } from './ledger/faucet.ts';
import { type Keypair, keypairFromName } from './ledger/keypair.ts';
import type { Ledger } from './ledger/ledger.ts';
import { signedTransaction } from './ledger/signed-transaction.ts';
import {
  type ExtensionArgs,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getInitializeTransferFeeConfigInstruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from './ledger/token-2022.ts';
import { metaplexMetadataAccount } from './metaplex-metadata.ts';
import { transactionErrorMessage } from './rpc/wire/transaction-error-message.ts';

/** The accounts of the sandbox at its start. Their keys are public. */
export interface SandboxWorld {
  wallets: { name: string; address: Address; secret_key: string }[];
  mints: { name: string; address: Address; decimals: number; token_program: Address }[];
  /** Durable nonce accounts, each advanced by its authority's signature. */
  nonce_accounts: { address: Address; authority: Address }[];
}

interface MintPlan {
  name: string;
  decimals: number;
  tokenProgram: Address;
  transferFee?: { basisPoints: number; maxTokens: bigint };
  /** What an account of Metaplex calls its token. */
  metadata?: { name: string; symbol: string };
}

const seededWallets = [
  { name: 'alice', sol: 100n, tokens: 1_000_000n },
  { name: 'bob', sol: 10n, tokens: 0n },
  { name: 'carol', sol: 10n, tokens: undefined },
  { name: 'dave', sol: 0n, tokens: undefined },
] as const;

const seededMints: readonly MintPlan[] = [
  {
    name: 'USDC',
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    metadata: { name: 'USD Coin', symbol: 'USDC' },
  },
  { name: 'PYUSD', decimals: 6, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS },
  { name: 'SEAT', decimals: 0, tokenProgram: TOKEN_PROGRAM_ADDRESS },
  { name: 'GOLD', decimals: 9, tokenProgram: TOKEN_PROGRAM_ADDRESS },
  { name: 'VOTE', decimals: 0, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS },
  { name: 'WATT', decimals: 9, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS },
  {
    name: 'TAXED',
    decimals: 6,
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    transferFee: { basisPoints: 100, maxTokens: 5n },
  },
];

const lamportsPerSol = 1_000_000_000n;

const faucetSigner = createNoopSigner(faucet.address);

function run(ledger: Ledger, instructions: readonly Instruction[], cosigners: readonly Keypair[] = []): void {
  const bytes = signedTransaction(instructions, [faucet, ...cosigners], ledger.latestBlockhash());
  const { error, logs } = ledger.sendTransaction(bytes);
  if (error !== null) throw new Error(`sandbox world: ${transactionErrorMessage(error)}\n${logs.join('\n')}`);
}

function createMint(ledger: Ledger, plan: MintPlan): Address {
  const mint = keypairFromName(`splwright sandbox mint ${plan.name}`);
  const extensions: ExtensionArgs[] = [];
  const initializations: Instruction[] = [];
  if (plan.transferFee !== undefined) {
    const { basisPoints, maxTokens } = plan.transferFee;
    const fee = {
      epoch: 0n,
      maximumFee: maxTokens * 10n ** BigInt(plan.decimals),
      transferFeeBasisPoints: basisPoints,
    };
    extensions.push({
      __kind: 'TransferFeeConfig',
      transferFeeConfigAuthority: faucet.address,
      withdrawWithheldAuthority: faucet.address,
      withheldAmount: 0n,
      olderTransferFee: fee,
      newerTransferFee: fee,
    });
    initializations.push(
      getInitializeTransferFeeConfigInstruction({
        mint: mint.address,
        transferFeeConfigAuthority: faucet.address,
        withdrawWithheldAuthority: faucet.address,
        transferFeeBasisPoints: fee.transferFeeBasisPoints,
        maximumFee: fee.maximumFee,
      }),
    );
  }
  const space = BigInt(getMintSize(extensions.length === 0 ? undefined : extensions));
  const creation = getCreateAccountInstruction({
    payer: faucetSigner,
    newAccount: createNoopSigner(mint.address),
    lamports: ledger.minimumBalanceForRentExemption(space),
    space,
    programAddress: plan.tokenProgram,
  });
  const initialization = getInitializeMint2Instruction(
    { mint: mint.address, decimals: plan.decimals, mintAuthority: faucet.address, freezeAuthority: faucet.address },
    { programAddress: plan.tokenProgram },
  );
  run(ledger, [creation, ...initializations, initialization], [mint]);
  return mint.address;
}

// The program of Metaplex is not here: what it would have written is.
async function nameToken(ledger: Ledger, mint: Address, { metadata }: MintPlan): Promise<void> {
  if (metadata === undefined) return;
  const rent = (bytes: bigint) => ledger.minimumBalanceForRentExemption(bytes);
  ledger.setAccount(await metaplexMetadataAccount(mint, faucet.address, metadata, rent));
}

async function fundTokens(
  ledger: Ledger,
  owner: Address,
  mint: Address,
  plan: MintPlan,
  tokens: bigint,
): Promise<void> {
  const { tokenProgram } = plan;
  const [token] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
  const creation = getCreateAssociatedTokenIdempotentInstruction({
    payer: faucetSigner,
    ata: token,
    owner,
    mint,
    tokenProgram,
  });
  const minting = getMintToInstruction(
    { mint, token, mintAuthority: faucetSigner, amount: tokens * 10n ** BigInt(plan.decimals) },
    { programAddress: tokenProgram },
  );
  run(ledger, tokens === 0n ? [creation] : [creation, minting]);
}

function createNonceAccount(ledger: Ledger, authority: Address): Address {
  const nonceAccount = keypairFromName('splwright sandbox nonce account');
  const space = BigInt(getNonceSize());
  const creation = getCreateAccountInstruction({
    payer: faucetSigner,
    newAccount: createNoopSigner(nonceAccount.address),
    lamports: ledger.minimumBalanceForRentExemption(space),
    space,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
  });
  const initialization = getInitializeNonceAccountInstruction({
    nonceAccount: nonceAccount.address,
    nonceAuthority: authority,
  });
  run(ledger, [creation, initialization], [nonceAccount]);
  return nonceAccount.address;
}

/**
 * Seeds the ledger by the real programs' instructions, the name of the USDC apart: `alice` has SOL and a million tokens of every mint, `bob` SOL and
 * empty token accounts, `carol` only SOL, `dave` nothing; alice also has a durable nonce account. All of it is final, and addresses are the same on every start.
 */
export async function seedWorld(ledger: Ledger): Promise<SandboxWorld> {
  const mints = seededMints.map((plan) => ({ plan, address: createMint(ledger, plan) }));
  for (const { plan, address } of mints) await nameToken(ledger, address, plan);
  const wallets: SandboxWorld['wallets'] = [];
  for (const { name, sol, tokens } of seededWallets) {
    const wallet = keypairFromName(`splwright sandbox wallet ${name}`);
    wallets.push({ name, address: wallet.address, secret_key: wallet.secretKey });
    if (sol > 0n) ledger.airdrop(wallet.address, sol * lamportsPerSol);
    if (tokens === undefined) continue;
    for (const mint of mints) await fundTokens(ledger, wallet.address, mint.address, mint.plan, tokens);
  }
  const alice = keypairFromName('splwright sandbox wallet alice').address;
  const nonceAccount = createNonceAccount(ledger, alice);
  ledger.advanceSlots(ledger.slotsToFinalize);
  return {
    wallets,
    nonce_accounts: [{ address: nonceAccount, authority: alice }],
    mints: mints.map(({ plan, address }) => ({
      name: plan.name,
      address,
      decimals: plan.decimals,
      token_program: plan.tokenProgram,
    })),
  };
}
