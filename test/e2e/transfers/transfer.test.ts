import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getAccount, getAssociatedTokenAddressSync, TokenAccountNotFoundError } from '@solana/spl-token';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { named, peopleOf, wallets } from '../../setup/wallets.ts';

const memoPath = '/v1/token-transfer-memo-hash';
const createPath = '/v1/create-token-account-transfer';
const mintNames = ['SEAT', 'USDC', 'GOLD', 'VOTE', 'PYUSD', 'WATT'];

const service = await startTestService({ after });
const { rpcUrl, webSocketUrl } = service.sandbox;
const connection = new Connection(rpcUrl, { commitment: 'confirmed', wsEndpoint: webSocketUrl });

describe('a built transfer, signed by a wallet library and submitted', () => {
  const { alice, bob } = peopleOf(service.sandbox.world);
  const mintOf = (name: string) => named(service.sandbox.world.mints, name);

  async function balance(owner: string, mintName: string): Promise<bigint | undefined> {
    const { address, token_program } = mintOf(mintName);
    const program = new PublicKey(token_program);
    const account = getAssociatedTokenAddressSync(new PublicKey(address), new PublicKey(owner), true, program);
    try {
      return (await getAccount(connection, account, 'confirmed', program)).amount;
    } catch (error) {
      if (error instanceof TokenAccountNotFoundError) return undefined;
      throw error;
    }
  }

  async function build(path: string, mintName: string, to: string, amount: bigint, more: object): Promise<Uint8Array> {
    const response = await service.post(path, {
      from_address: alice.address,
      to_address: to,
      token_mint_address: mintOf(mintName).address,
      amount: amount.toString(),
      ...more,
    });
    const reply: Json = await response.json();
    assert.equal(response.status, 200, JSON.stringify(reply));
    return Uint8Array.from(Array.isArray(reply.data) ? reply.data : reply.data.transaction);
  }

  async function land(signed: Uint8Array): Promise<string> {
    const signature = await connection.sendRawTransaction(signed);
    const lifetime = await connection.getLatestBlockhash('confirmed');
    const { value } = await connection.confirmTransaction({ signature, ...lifetime }, 'confirmed');
    assert.equal(value.err, null);
    return signature;
  }

  for (const [index, [walletName, sign]] of Object.entries(wallets).entries()) {
    for (const mintName of index === 0 ? mintNames : mintNames.slice(0, 1)) {
      for (const field of ['memo', 'yid']) {
        it(`lands with its ${field} on chain: ${mintName}, ${walletName}`, async () => {
          const text = `${field} of ${mintName} by ${walletName}: ünïcødé 漢字 🙂`;
          const senderBefore = (await balance(alice.address, mintName)) ?? 0n;
          const recipientBefore = (await balance(bob.address, mintName)) ?? 0n;

          const bytes = await build(memoPath, mintName, bob.address, 3n, { [field]: text });
          const signature = await land(await sign(bytes, alice.secret_key));

          assert.equal(await balance(alice.address, mintName), senderBefore - 3n);
          assert.equal(await balance(bob.address, mintName), recipientBefore + 3n);
          const sender = new PublicKey(alice.address);
          const [newest] = await connection.getSignaturesForAddress(sender, { limit: 1 }, 'confirmed');
          assert.equal(newest?.signature, signature);
          assert.equal(newest.memo, `[${Buffer.byteLength(text)}] ${text}`);
        });
      }

      it(`creates the recipient's token account and pays into it: ${mintName}, ${walletName}`, async () => {
        const recipient = Keypair.generate().publicKey.toBase58();
        assert.equal(await balance(recipient, mintName), undefined);

        await land(await sign(await build(createPath, mintName, recipient, 5n, {}), alice.secret_key));
        assert.equal(await balance(recipient, mintName), 5n);

        await land(await sign(await build(createPath, mintName, recipient, 7n, {}), alice.secret_key));
        assert.equal(await balance(recipient, mintName), 12n, 'the account was there already');
      });
    }
  }

  it('pays a never-funded wallet', async () => {
    const dave = named(service.sandbox.world.wallets, 'dave').address;
    const bytes = await build(createPath, 'USDC', dave, 1n, {});
    const sign = wallets.kit;
    assert.ok(sign);
    await land(await sign(bytes, alice.secret_key));
    assert.equal(await balance(dave, 'USDC'), 1n);
  });
});
