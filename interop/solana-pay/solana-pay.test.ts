import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  address,
  createKeyPairFromBytes,
  createSolanaRpc,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  signature,
  signTransaction,
} from '@solana/kit';
import { encodeURL, findReference, parseURL, validateTransfer } from '@solana/pay';
import { callRpc, type Service, startService } from '../setup/service.ts';
import { assertLands, build, type Trial } from '../setup/trials.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const alice = 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn';
const bob = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
const usdc = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
const pyusd = '2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD';

/** What a merchant asks for. */
interface Asked {
  mint: string;
  memo: string;
  options?: object;
}

const asked: readonly (Asked & { name: string })[] = [
  { name: 'a payment', mint: usdc, memo: 'order 1' },
  {
    name: 'a payment in a Token-2022 mint, with a priority fee, paid for by another wallet',
    mint: pyusd,
    memo: 'order 2',
    options: { priority_fee: 'low', fee_payer: bob },
  },
];

/** The payment that a `solana:` URL of the library asks for, as a request to the service. */
function requestOf({ mint, memo, options }: Asked, reference: Address): Trial {
  const fields = { recipient: address(bob), amount: 1.25, splToken: address(mint), reference: [reference], memo };
  const url = parseURL(encodeURL(fields));
  assert.ok('recipient' in url && url.amount !== undefined);
  return {
    name: memo,
    path: '/v1/token-transfer-memo-hash',
    signers: options === undefined ? ['alice'] : ['alice', 'bob'],
    body: {
      from_address: alice,
      to_address: url.recipient,
      token_mint_address: String(url.splToken),
      amount: String(url.amount * 1_000_000),
      ...{ memo: url.memo, references: url.reference, ...options },
      encoding: 'base64',
    },
  };
}

/** Signs what the service built and sends it. Resolves with its signature once it is confirmed. */
async function pay(trial: Trial): Promise<string> {
  const { transaction } = await build(service, trial);
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(String(transaction)));
  const keyPairs = await Promise.all(
    trial.signers.map((name) => createKeyPairFromBytes(getBase58Encoder().encode(service.secretKeyOf(name)))),
  );
  const wire = getBase64EncodedWireTransaction(await signTransaction(keyPairs, decoded));
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
  const sent = await createSolanaRpc(service.rpcUrl).sendTransaction(wire, options).send();
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    const { value } = await callRpc<{ value: { confirmationStatus: string }[] }>(service, 'getSignatureStatuses', [
      [sent],
    ]);
    if (value[0] && value[0].confirmationStatus !== 'processed') return sent;
  }
  throw new Error(`${sent} was not confirmed`);
}

for (const each of asked) {
  test(`Solana Pay finds ${each.name} by its reference, and validates it`, async () => {
    const rpc = createSolanaRpc(service.rpcUrl);
    const { address: reference } = await generateKeyPairSigner();
    const fields = { recipient: address(bob), splToken: address(each.mint), reference: [reference], memo: each.memo };
    const trial = requestOf(each, reference);
    let paid = '';
    await assertLands(service, [trial], async () => {
      paid = await pay(trial);
      return [paid];
    });
    const found = await findReference(rpc, reference, { commitment: 'confirmed' });
    assert.equal(found.signature, paid);
    const options = { commitment: 'confirmed' } as const;
    await validateTransfer(rpc, signature(paid), { ...fields, amount: 1.25 }, options);
    // The library does refuse what was not asked for.
    await assert.rejects(validateTransfer(rpc, signature(paid), { ...fields, amount: 1.5 }, options));
    await assert.rejects(validateTransfer(rpc, signature(paid), { ...fields, amount: 1.25, memo: 'other' }, options));
  });
}
