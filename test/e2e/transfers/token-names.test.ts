import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Address, address } from '@solana/kit';
import { metaplexMetadataAccount } from '../../../packages/sandbox/src/metaplex-metadata.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { startLinkService } from '../links/link-service.ts';

const { client, ledger, alice, mintOf, body, service } = await startLinkService({ after });

/** Names a token of the sandbox as the program of Metaplex would. */
async function nameToken(mint: Address, texts: { name: string; symbol: string }, change: object = {}): Promise<void> {
  const rent = (bytes: bigint) => ledger.minimumBalanceForRentExemption(bytes);
  ledger.setAccount({ ...(await metaplexMetadataAccount(mint, alice.address, texts, rent)), ...change });
}

/** What everyone who deals with a link is shown of its token. */
async function shownOf(mint: Address, amount = body.amount) {
  const link = await client.create({ ...body, token_mint_address: mint, amount });
  const action = JSON.stringify(await (await fetch(link.url)).json());
  const page = await (await fetch(link.url, { headers: { accept: 'text/html' } })).text();
  const { message } = await client.pay(link.id, alice.address);
  return { symbol: link.token_symbol, action: JSON.parse(action), page, message, id: link.id };
}

describe('the token of a link', () => {
  it('is called what its issuer calls it at Metaplex: in the reply, on the page, in the Action and in the message', async () => {
    const usdc = mintOf('USDC');
    const { symbol, action, page, message } = await shownOf(address(usdc));
    assert.equal(symbol, 'USDC');
    assert.equal(message, '1.50 USDC to Tea house');
    assert.equal(action.links.actions[0]?.label, 'Pay 1.50 USDC');
    const description = `Sandbox: test tokens with no value · 1.50 USDC to Tea house · token ${usdc}`;
    assert.equal(action.description, description);
    assert.match(page, /<title>Pay 1\.50 USDC to Tea house<\/title>/);
    assert.match(page, /<bdi>USD Coin, USDC<\/bdi>/);
    assert.match(page, /Anyone can give a token this name\. Compare its address\./);
    assert.ok(page.includes(usdc.slice(0, 4)), 'with the address of the mint');
    assert.doesNotMatch(page, /1\.50 tokens/);
  });

  it('of Token-2022 is called so, too', async () => {
    const pyusd = address(mintOf('PYUSD'));
    await nameToken(pyusd, { name: 'PayPal USD', symbol: 'PYUSD' });
    assert.equal((await shownOf(pyusd)).message, '1.50 PYUSD to Tea house');
  });

  it('has no name from an account that is not of Metaplex, or is about another mint', async () => {
    const seat = address(mintOf('SEAT'));
    const texts = { name: 'USD Coin', symbol: 'USDC' };
    await nameToken(seat, texts, { programAddress: alice.address });
    assert.equal((await shownOf(seat, '2500')).symbol, null);
    const rent = (bytes: bigint) => ledger.minimumBalanceForRentExemption(bytes);
    const { data } = await metaplexMetadataAccount(address(mintOf('USDC')), alice.address, texts, rent);
    await nameToken(seat, texts, { data });
    const { symbol, page } = await shownOf(seat, '2500');
    assert.equal(symbol, null);
    assert.match(page, /2500<\/span> <bdi>tokens</);
    assert.match(page, /The token has no name of its own\. Compare its address\./);
  });
});

describe('wrapped SOL', () => {
  const mints = ['So11111111111111111111111111111111111111112', '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP'];
  for (const mint of mints) {
    it(`of ${mint.slice(0, 4)} is called wrapped SOL; a link wraps the SOL of who has none, and a transfer says how`, async () => {
      await nameToken(address(mint), { name: 'Wrapped SOL', symbol: 'SOL' });
      const link = await client.create({ ...body, token_mint_address: mint, amount: '2500000000' });
      assert.equal(link.token_symbol, 'wrapped SOL');
      const page = await (await fetch(link.url, { headers: { accept: 'text/html' } })).text();
      assert.match(page, /<title>Pay 2\.50 wrapped SOL to Tea house<\/title>/);
      const given: unknown = await (await client.askToPay(link.id, alice.address)).json();
      assert.match(Object(given).message, /It first wraps 2\.50 of your SOL\./);
      const transfer = {
        from_address: alice.address,
        to_address: body.to_address,
        token_mint_address: mint,
        amount: '1',
        create_token_account: 'if_missing',
      };
      const { code, detail } = await readProblem(await service.post('/v1/transfers', transfer));
      assert.equal(code, 'sender_token_account_not_found');
      assert.match(
        detail,
        /This token is wrapped SOL, not the SOL of the wallet itself\. Wrap some first: send SOL to the token/,
      );
    });
  }
});
