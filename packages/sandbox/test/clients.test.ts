import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  address,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  assertIsTransactionWithDurableNonceLifetime,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getBase58Encoder,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  type Nonce,
  pipe,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  sendAndConfirmDurableNonceTransactionFactory,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getOrCreateAssociatedTokenAccount,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, sendAndConfirmTransaction, Transaction } from '@solana/web3.js';
import { getTransferSolInstruction } from '@solana-program/system';
import { storedNonce } from './conformance/scene.ts';
import { memo, signed, startTestSandbox, type TestSandbox, wallet as walletKeypair } from './fixtures.ts';

describe('the sandbox with unchanged clients, its slots passing', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox({ slotMs: 20 });
  });
  after(() => sandbox.close());

  const secretKey = (name: string) => {
    const wallet = sandbox.world.wallets.find((each) => each.name === name);
    assert.ok(wallet);
    return Uint8Array.from(getBase58Encoder().encode(wallet.secret_key));
  };

  it('lets the SPL Token client create a token account and transfer to it', async () => {
    const connection = new Connection(sandbox.rpcUrl, 'confirmed');
    const alice = Keypair.fromSecretKey(secretKey('alice'));
    const carol = Keypair.fromSecretKey(secretKey('carol'));
    const mint = new PublicKey(sandbox.mint('USDC'));
    const { address: destination } = await getOrCreateAssociatedTokenAccount(connection, alice, mint, carol.publicKey);
    const source = getAssociatedTokenAddressSync(mint, alice.publicKey);
    const transfer = createTransferCheckedInstruction(source, mint, destination, alice.publicKey, 1_500_000n, 6);
    await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [alice]);
    const { value } = await connection.getTokenAccountBalance(destination);
    assert.deepEqual(value, { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' });
    const owned = await connection.getTokenAccountsByOwner(carol.publicKey, { mint });
    assert.equal(owned.value.length, 1);
  });

  async function kitTransfer(amount: bigint) {
    const rpc = createSolanaRpc(sandbox.rpcUrl);
    const rpcSubscriptions = createSolanaRpcSubscriptions(sandbox.webSocketUrl);
    const alice = await createKeyPairSignerFromBytes(secretKey('alice'));
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const destination = address(Keypair.generate().publicKey.toBase58());
    const transaction = await pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(alice, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) =>
        appendTransactionMessageInstruction(
          getTransferSolInstruction({ source: alice, destination, amount: lamports(amount) }),
          message,
        ),
      signTransactionMessageWithSigners,
    );
    assertIsTransactionWithBlockhashLifetime(transaction);
    await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, { commitment: 'confirmed' });
    const { value: balance } = await rpc.getBalance(destination).send();
    return { rpc, balance, signature: getSignatureFromTransaction(transaction) };
  }

  it('lets kit send and confirm', async () => {
    const { rpc, balance, signature } = await kitTransfer(3_000_000n);
    assert.equal(balance, 3_000_000n);
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    assert.equal(value[0]?.err, null);
  });

  it('lets kit confirm a transaction with a durable nonce', async () => {
    const rpc = createSolanaRpc(sandbox.rpcUrl);
    const rpcSubscriptions = createSolanaRpcSubscriptions(sandbox.webSocketUrl);
    const alice = await createKeyPairSignerFromBytes(secretKey('alice'));
    const [nonceAccount] = sandbox.world.nonce_accounts;
    assert.ok(nonceAccount);
    const nonce = storedNonce(sandbox, nonceAccount.address);
    const transaction = await pipe(
      createTransactionMessage({ version: 'legacy' }),
      (message) => setTransactionMessageFeePayerSigner(alice, message),
      (message) =>
        setTransactionMessageLifetimeUsingDurableNonce(
          {
            nonce: nonce as Nonce,
            nonceAccountAddress: nonceAccount.address,
            nonceAuthorityAddress: alice.address,
          },
          message,
        ),
      (message) => appendTransactionMessageInstruction(memo('kept for later'), message),
      signTransactionMessageWithSigners,
    );
    assertIsTransactionWithDurableNonceLifetime(transaction);
    const send = sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions });
    await send(transaction, { commitment: 'confirmed' });
    assert.ok(sandbox.ledger.transactionRecord(getSignatureFromTransaction(transaction)));
  });

  it('notifies kit and web3.js of a signature that landed before they subscribed, every time', async () => {
    const rpcSubscriptions = createSolanaRpcSubscriptions(sandbox.webSocketUrl);
    const connection = new Connection(sandbox.rpcUrl, 'confirmed');
    const bytes = signed(sandbox, [memo('landed before')], walletKeypair('alice'));
    const { signature } = sandbox.ledger.sendTransaction(bytes);
    const timeout = AbortSignal.timeout(60_000);
    for (let count = 0; count < 20; count += 1) {
      const round = new AbortController();
      const abortSignal = AbortSignal.any([timeout, round.signal]);
      const notifications = await rpcSubscriptions
        .signatureNotifications(signature, { commitment: 'confirmed' })
        .subscribe({ abortSignal });
      const first = await notifications[Symbol.asyncIterator]().next();
      assert.ok(first.done === false && !('receivedSignature' in Object(first.value.value)));
      assert.deepEqual(first.value.value, { err: null });
      // kit shares a subscription as long as one of its users is there.
      round.abort();
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve, reject) => {
        timeout.addEventListener('abort', () => reject(timeout.reason), { once: true });
        connection.onSignature(signature, ({ err }) => (err === null ? resolve() : reject(err)), 'confirmed');
      });
    }
  });

  it('lets kit recognize a preflight failure as its own error', async () => {
    await assert.rejects(kitTransfer(1_000_000_000_000_000n), (error) =>
      isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
    );
  });
});
