import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { DeeplinkWallet } from '../../../examples/deeplink-wallet.ts';
import { SplwrightClient } from '../../../packages/client/src/index.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { DeeplinkWalletApp } from '../../setup/deeplink-wallet-app.ts';
import { startTestService } from '../../setup/service.ts';
import { named } from '../../setup/wallets.ts';

const { url, sandbox } = await startTestService(test);
const { world, ledger } = sandbox;
const [alice, bob] = [named(world.wallets, 'alice'), named(world.wallets, 'bob')];
const phantom = { url: 'https://phantom.app/ul/v1', name: 'phantom' };
const client = new SplwrightClient({ url, apiKey: sandboxApiKey });

const build = (from: string, memo: string) =>
  client.buildTransfer({
    from_address: from,
    to_address: bob.address,
    token_mint_address: named(world.mints, 'USDC').address,
    amount_decimal: '4.5',
    memo,
  });

describe('examples/deeplink-wallet.ts', () => {
  it('connects a wallet app, has it sign what the service built, and the payment lands', async () => {
    const phone = new DeeplinkWalletApp(alice);
    const wallet = new DeeplinkWallet(phantom, 'teahouse://wallet');
    const back = await phone.open(wallet.connectLink('https://teahouse.example', 'devnet'));
    assert.match(back, /^teahouse:\/\/wallet\?/);
    const connection = wallet.readConnection(back);
    assert.equal(connection.address, alice.address);

    const built = await build(connection.address, 'in the app');
    const signed = wallet.readSigned(await phone.open(wallet.signLink(built.transaction, connection)), connection);
    const { error, signature } = ledger.sendTransaction(signed);
    assert.equal(error, null);
    const outcome = await client.waitForOutcome({ transaction: signed, ...built.lifetime }, { everyMs: 200 });
    assert.deepEqual([outcome.outcome, outcome.signature, outcome.matched_by], ['landed', signature, 'signature']);
  });

  it('says what the wallet refused, and takes no answer of another wallet', async () => {
    const [phone, other] = [new DeeplinkWalletApp(alice), new DeeplinkWalletApp(bob)];
    const wallet = new DeeplinkWallet(phantom, 'teahouse://wallet');
    const connect = wallet.connectLink('https://teahouse.example', 'devnet');
    const connection = wallet.readConnection(await phone.open(connect));
    const { transaction } = await build(alice.address, 'refused');
    const refused = await phone.open(wallet.signLink(transaction, { ...connection, session: 'of another app' }));
    assert.throws(() => wallet.readSigned(refused, connection), /4100: Unauthorized/);
    assert.throws(() => wallet.readConnection('teahouse://wallet?errorCode=4001&errorMessage=The%20user%20refused'), {
      message: '4001: The user refused',
    });
    const strange = await other.open(connect);
    assert.throws(() => wallet.readSigned(strange, connection), /not the answer of the connected wallet/);
  });
});
