/** The networks, as the Wallet Standard names them. */
export type PayChain = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

/** The note to payers on a network where nothing has a value; none on mainnet. */
export const networkNotes: Readonly<Record<PayChain, string | undefined>> = {
  'solana:mainnet': undefined,
  'solana:devnet': 'Devnet: test tokens with no value',
  'solana:testnet': 'Testnet: test tokens with no value',
  'solana:localnet': 'Sandbox: test tokens with no value',
};

const networkNames: Readonly<Record<PayChain, string>> = {
  'solana:mainnet': 'mainnet',
  'solana:devnet': 'devnet',
  'solana:testnet': 'testnet',
  'solana:localnet': 'the sandbox',
};

/** The network's name in a sentence; `chain` is `undefined` while no node says which it is. */
export function networkName(chain: PayChain | undefined): string {
  return chain ? networkNames[chain] : 'the network';
}
