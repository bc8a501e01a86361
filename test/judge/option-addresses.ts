import type { Address } from '@solana/kit';
import { addressOf, fixedAddress, memoProgram, systemProgram } from './addresses.ts';
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

/** The addresses given as references in a world, each once. */
export function referencesOf({ options }: World, addresses: Addresses): readonly Address[] {
  return [...new Set((options.references ?? []).map((reference) => referenceOf(reference, addresses)))];
}

function referenceOf(reference: ReferenceWorld, addresses: Addresses): Address {
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
