import { createHash } from 'node:crypto';
import { type Address, address, getAddressDecoder, getProgramDerivedAddress } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { vault } from '../setup/proxy-program.ts';
import type { MintWorld, World } from './world.ts';

/** The Memo program that the service uses. */
export const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** The System program. */
export const systemProgram = address('11111111111111111111111111111111');
/** The sysvar of the slot, the epoch and the time. */
export const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');

const nativeMint = address('So11111111111111111111111111111111111111112');
const nativeMint2022 = address('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP');

/** An address that is the same in every world, of something that may or may not be on the curve. */
export function fixedAddress(name: string): Address {
  return getAddressDecoder().decode(createHash('sha256').update(`splwright judge ${name}`).digest());
}

/** A program that does not exist, for accounts that belong to none of those known here. */
export const foreignProgram = fixedAddress('foreign program');
/** The authority of every mint. */
export const issuer = fixedAddress('issuer');
/** A wallet that is neither the sender nor the recipient. */
export const somebody = fixedAddress('somebody');

/** The name of somebody or something in a world, from which its key pair or address follows. */
export function nameIn(world: World, role: string): string {
  return `splwright judge ${world.seed} ${world.number} ${role}`;
}

/** An address on the curve with a role in a world. */
export function addressOf(world: World, role: string): Address {
  return keypairFromName(nameIn(world, role)).address;
}

/** The address of a world's sender, unless that is off the curve, where no program signs for it. */
export function senderOf(world: World): Address {
  return world.senderWallet === 'vault' ? vault : addressOf(world, 'sender');
}

/** An address off the curve with a role in a world. */
export async function offCurveAddressOf(world: World, role: string): Promise<Address> {
  const seed = createHash('sha256').update(nameIn(world, role)).digest();
  const [found] = await getProgramDerivedAddress({ programAddress: foreignProgram, seeds: [seed] });
  return found;
}

/** The token program of a world's mint, or the one that a thing which is no mint pretends to be of. */
export function tokenProgramOf(mint: MintWorld): Address {
  if (mint.kind === 'classic') return TOKEN_PROGRAM_ADDRESS;
  if (mint.kind === 'token_2022') return TOKEN_2022_PROGRAM_ADDRESS;
  return mint.tokenProgram === 'classic' ? TOKEN_PROGRAM_ADDRESS : TOKEN_2022_PROGRAM_ADDRESS;
}

/** The address given as mint in a world. */
export function mintAddressOf(world: World): Address {
  const { mint } = world;
  if (mint.kind === 'native') return mint.tokenProgram === 'classic' ? nativeMint : nativeMint2022;
  return addressOf(world, ('name' in mint && mint.name) || 'mint');
}
