import { land } from '../setup/land.ts';
import type { Service } from '../setup/service.ts';
import { assertLands, type Trial } from '../setup/trials.ts';

/** What every generated client asks for, with the types that its generator made. */
const trial: Trial = {
  name: 'a transfer by a generated client',
  path: '/v1/transfers',
  signers: ['alice'],
  body: {
    from_address: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn',
    to_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
    token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
    amount: '1500000',
  },
};

/** Asserts that the transaction which a client got, in base64, moves 1.5 USDC from Alice to Bob. */
export async function assertClientLands(service: Service, build: () => Promise<string>): Promise<void> {
  await assertLands(service, [trial], async () => [await land(service, await build(), trial.signers)]);
}
