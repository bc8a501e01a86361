import { randomBytes } from 'node:crypto';
import { address } from '@solana/kit';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { findAssociatedTokenPda } from '@solana-program/token';
import { addressFromBytes, findAssociatedTokenAddress, toAddress } from '../../packages/core/src/index.ts';

type Seeds = Parameters<typeof findAssociatedTokenAddress>[0];

const tokenPrograms = [
  toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  toAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
];
const owners = 50;
const mints = 100;
const scanned = 500_000;
const lowest = 100;

const randomAddress = (): Seeds['owner'] => addressFromBytes(randomBytes(32));

/**
 * Compares the derived token accounts with kit's and with spl-token's, address and bump. Throws on the first difference.
 *
 * On 50 owners × 100 mints × 2 programs, and on the 100 with the lowest bumps among 500,000 more.
 */
export async function compareTokenAccounts(): Promise<{ compared: number; lowestBump: number }> {
  const all: Seeds[] = [];
  const allMints = Array.from({ length: mints }, randomAddress);
  for (const owner of Array.from({ length: owners }, randomAddress)) {
    for (const mint of allMints) for (const tokenProgram of tokenPrograms) all.push({ owner, mint, tokenProgram });
  }
  all.push(...findLowBumps());
  let lowestBump = 255;
  for (const seeds of all) lowestBump = Math.min(lowestBump, await compare(seeds));
  return { compared: all.length, lowestBump };
}

function findLowBumps(): Seeds[] {
  const found: { seeds: Seeds; bump: number }[] = [];
  const mint = randomAddress();
  for (let count = 0; count < scanned; count++) {
    const seeds = { owner: randomAddress(), mint, tokenProgram: tokenPrograms[count % 2] ?? mint };
    const { bump } = findAssociatedTokenAddress(seeds);
    if (bump < 247) found.push({ seeds, bump });
  }
  return found
    .sort((a, b) => a.bump - b.bump)
    .slice(0, lowest)
    .map(({ seeds }) => seeds);
}

async function compare({ owner, mint, tokenProgram }: Seeds): Promise<number> {
  const own = findAssociatedTokenAddress({ owner, mint, tokenProgram });
  const [kitAddress, kitBump] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(mint),
    tokenProgram: address(tokenProgram),
  });
  const key = (text: string): PublicKey => new PublicKey(text);
  const splToken = getAssociatedTokenAddressSync(key(mint), key(owner), true, key(tokenProgram)).toBase58();
  const isSame = [kitAddress, splToken].every((other) => other === String(own.address));
  if (!isSame || own.bump !== kitBump) {
    throw new Error(`the token accounts of ${owner} for ${mint} differ: ${own.address}, ${kitAddress}, ${splToken}`);
  }
  return own.bump;
}
