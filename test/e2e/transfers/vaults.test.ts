import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getBase58Encoder, getBase64Encoder } from '@solana/kit';
import { findAssociatedTokenAddress, toAddress, tokenProgram } from '../../../packages/core/src/index.ts';
import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { signedTransaction } from '../../../packages/sandbox/src/ledger/signed-transaction.ts';
import { creditIn } from '../../../packages/server/src/incoming/credit-in.ts';
import { alice, bob, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { LedgerNodeHistory } from '../../../packages/server/test/outcomes/ledger-node-history.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { installVaultProgram, throughVault, vault } from '../../setup/proxy-program.ts';
import { startTestService } from '../../setup/service.ts';
import { tokensIn } from '../../setup/token-account-data.ts';

const service = await startTestService({ after });
const { ledger } = service.sandbox;
installVaultProgram(ledger);
const payment = {
  from_address: vault,
  to_address: bob,
  token_mint_address: usdc,
  amount: '1500000',
  memo: 'rent 12/2026',
};
const fromVault = { ...payment, allow_off_curve_sender: true };
const accountOf = (owner: string, mint = usdc) =>
  findAssociatedTokenAddress({ owner: toAddress(owner), mint: toAddress(mint), tokenProgram }).address;

async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  const response = await service.post(path, body, headers);
  return { status: response.status, json: await response.json() };
}

async function build(body: object): Promise<Json> {
  const { status, json } = await post('/v1/transfers', body);
  assert.equal(status, 200, JSON.stringify(json));
  return json.data;
}

function execute(message: Uint8Array): string {
  const proposal = throughVault(message);
  ledger.advanceSlots(200);
  const { error, logs, signature } = ledger.sendTransaction(
    signedTransaction([proposal], [faucet], ledger.latestBlockhash()),
  );
  assert.equal(error, null, logs.join('\n'));
  return signature;
}

test('What is built from a vault is executed by a program that signs for it, long after its blockhash, and found at the recipient', async () => {
  for (const tokenMintAddress of [usdc, 'SOL']) {
    const funding = {
      ...payment,
      from_address: alice,
      to_address: vault,
      token_mint_address: tokenMintAddress,
      amount: '90000000',
    };
    const { transaction } = await build({ ...funding, allow_off_curve_recipient: true });
    await landInWorld(service.sandbox, transaction);
    ledger.advanceSlots(1);
  }

  const data = await build(fromVault);
  const bytes = getBase64Encoder().encode(data.transaction);
  const { multisig_import: imported, summary } = data;
  const message = Uint8Array.from(getBase64Encoder().encode(imported.message));
  assert.deepEqual(getBase58Encoder().encode(imported.transaction_base58), bytes);
  assert.deepEqual(Uint8Array.from(getBase58Encoder().encode(imported.message_base58)), message);
  assert.deepEqual(Uint8Array.from(bytes.slice(65)), message);
  assert.deepEqual([data.signers, summary.fee_payer, summary.network_fee], [[vault], vault, '0']);
  assert.equal(summary.warnings[0].code, 'for_import_into_multisig');

  const before = tokensIn(ledger, accountOf(bob));
  const landed = await new LedgerNodeHistory(ledger).readTransaction(execute(message));
  assert.ok(landed);
  const at = { tokenAccount: accountOf(bob), mint: toAddress(usdc), wallet: toAddress(bob) };
  const credit = creditIn(at, landed);
  assert.partialDeepStrictEqual(credit, { amount: '1500000', memo: 'rent 12/2026' });
  assert.equal(tokensIn(ledger, accountOf(bob)), before + 1_500_000n);

  // A new wallet: the vault pays the rent of its token account, and SOL.
  const other = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
  for (const tokenMintAddress of [usdc, 'SOL']) {
    const built = await build({ ...fromVault, to_address: other, token_mint_address: tokenMintAddress });
    execute(Uint8Array.from(getBase64Encoder().encode(built.multisig_import.message)));
  }
  assert.equal(tokensIn(ledger, accountOf(other)), 1_500_000n);

  const outcome = await post('/v1/transfers/outcome', { transaction: data.transaction });
  assert.equal(outcome.json.errors[0].code, 'not_a_transfer');
});

test('A vault is refused unless it is allowed, with what a proposal has not, and under a key by which it would be built again', async () => {
  const refused = async (body: object, headers?: Record<string, string>) => {
    const { json } = await post('/v1/transfers', body, headers);
    return json.errors.map(({ pointer, code }: Json) => [pointer, code]);
  };
  assert.deepEqual(await refused(payment), [['/from_address', 'sender_off_curve']]);
  const options = { fee_payer: alice, priority_fee: 'low', simulate: true, transaction_version: 1 };
  assert.deepEqual(
    await refused({ ...fromVault, ...options }),
    Object.keys(options).map((name) => [`/${name}`, 'invalid_value']),
  );
  // What the vault holds when the proposal is executed is not known.
  assert.deepEqual(await refused({ ...fromVault, amount: 'max' }), [['/amount', 'invalid_value']]);
  assert.deepEqual(await refused(fromVault, { 'Idempotency-Key': 'a-vault' }), [
    ['/allow_off_curve_sender', 'invalid_value'],
  ]);
});
