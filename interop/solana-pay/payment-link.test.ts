import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Address,
  address,
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  signature,
  signTransaction,
} from '@solana/kit';
import { encodeURL, fetchTransaction, findReference, parseURL, validateTransfer } from '@solana/pay';
import { alice, bob, type LinkService, pyusd, startLinkService, usdc } from '../setup/payment-links.ts';

let service: LinkService;
before(async () => {
  service = await startLinkService();
});
after(() => service.stop());

/** Signs what the library fetched, and sends it; its signature. */
async function send(transaction: Awaited<ReturnType<typeof fetchTransaction>>): Promise<string> {
  const keyPair = await createKeyPairFromBytes(getBase58Encoder().encode(service.secretKeyOf('alice')));
  const wire = getBase64EncodedWireTransaction(await signTransaction([keyPair], transaction));
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
  return createSolanaRpc(service.rpcUrl).sendTransaction(wire, options).send();
}

for (const [name, mint, memo] of [
  ['a link', usdc, undefined],
  ['a link of a Token-2022 mint, with a memo', pyusd, 'order 7'],
] as const) {
  test(`Solana Pay parses the URL of ${name}, fetches its transaction, finds it by its reference and validates it`, async () => {
    const rpc = createSolanaRpc(service.rpcUrl);
    const link = await service.createLink({ amount: '1250000', token_mint_address: mint, ...(memo && { memo }) });
    const parsed = parseURL(link.solana_pay_url);
    assert.ok('link' in parsed);
    assert.equal(String(parsed.link), link.url);
    assert.equal(String(encodeURL({ link: new URL(link.url) })), link.solana_pay_url, 'it writes the same URL');
    const shown = await fetch(parsed.link, { headers: { accept: 'application/json' } });
    const { label, icon }: { label: string; icon: string } = await shown.json();
    assert.equal(label, 'Tea house');
    assert.match(icon, /^https:\/\/.*\.svg$/);

    const fetched = await fetchTransaction(rpc, address(alice), parsed.link, { commitment: 'confirmed' });
    const sent = await send(fetched);
    const paid = await service.untilPaid(link.id);
    assert.deepEqual([paid.signature, paid.payer, paid.received_amount], [sent, alice, '1250000']);
    const reference = address(link.reference);
    const found = await findReference(rpc, reference, { commitment: 'confirmed' });
    assert.equal(found.signature, sent);
    const fields: { recipient: Address; splToken: Address; reference: Address[]; memo?: string } = {
      recipient: address(bob),
      splToken: address(mint),
      reference: [reference],
      ...(memo && { memo }),
    };
    const options = { commitment: 'confirmed' } as const;
    await validateTransfer(rpc, signature(sent), { ...fields, amount: 1.25 }, options);
    await assert.rejects(validateTransfer(rpc, signature(sent), { ...fields, amount: 1.5 }, options));
    await assert.rejects(fetchTransaction(rpc, address(alice), parsed.link), /request failed: 410/);
  });
}
