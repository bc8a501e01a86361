import type { Address } from '@solana/kit';
import { type Keypair, keypairFromName } from '../../packages/sandbox/src/ledger/keypair.ts';
import { addressOf, fixedAddress, memoProgram, nameIn, systemProgram } from './addresses.ts';
import type { ReferenceWorld } from './options-world.ts';
import type { World } from './world.ts';

interface Wallets {
  sender: Address;
  recipient: Address;
  feePayer: Address;
}

interface Addresses extends Wallets {
  mint: Address;
  tokenProgram: Address;
  senderTokenAccount: Address;
  recipientTokenAccount: Address;
  nonceAccount: Address | undefined;
}

/** The address given as nonce account in a world, if one is given. */
export function nonceAccountOf(world: World, { sender, recipient, feePayer }: Wallets): Address | undefined {
  switch (world.options.nonceAccount?.state) {
    case undefined:
      return undefined;
    case 'sender':
      return sender;
    case 'fee_payer':
      return feePayer;
    case 'recipient':
      return recipient;
    default:
      return addressOf(world, 'nonce account');
  }
}

/** The authority of a world's nonce account, where it can be used. */
export function nonceAuthorityOf(world: World, { sender, feePayer }: Omit<Wallets, 'recipient'>): Address {
  const [third] = thirdSignersOf(world);
  return third?.address ?? (world.options.nonceAccount?.state === 'of_fee_payer' ? feePayer : sender);
}

/** The key that signs for the nonce account alone, where a world has one. */
export function thirdSignersOf(world: World): readonly Keypair[] {
  return world.options.nonceAccount?.state === 'of_another' ? [keypairFromName(nameIn(world, 'nonce authority'))] : [];
}

/** The addresses given as references in a world, each once. */
export function referencesOf(world: World, addresses: Addresses): readonly Address[] {
  const { references = [] } = world.options;
  return [...new Set(references.map((reference) => referenceOf(reference, world, addresses)))];
}

function referenceOf(reference: ReferenceWorld, world: World, addresses: Addresses): Address {
  switch (reference) {
    case 'sender':
      return addresses.sender;
    case 'recipient':
      return addresses.recipient;
    case 'fee_payer':
      return addresses.feePayer;
    case 'mint':
      return addresses.mint;
    case 'memo_program':
      return memoProgram;
    case 'system_program':
      return systemProgram;
    case 'nonce_account':
      return addresses.nonceAccount ?? fixedAddress('reference');
    case 'nonce_authority':
      return nonceAuthorityOf(world, addresses);
    case 'sender_token_account':
      return addresses.senderTokenAccount;
    case 'recipient_token_account':
      return addresses.recipientTokenAccount;
    case 'token_program':
      return addresses.tokenProgram;
    default:
      return fixedAddress(`reference ${reference}`);
  }
}
