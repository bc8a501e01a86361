import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createNoopSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { decodeTransaction } from '../../src/ledger/transaction-decoding.ts';
import { base64, signed, startTestSandbox, type TestSandbox } from '../fixtures.ts';
import { assertAsRecorded } from './as-recorded.ts';
import { inScene, type Scene } from './compare.ts';
import { fundedWallet, makeMint, makeTokenAccount, recordedLamportsPerByte } from './scene.ts';

/** A call of the recording. */
interface RecordedCall {
  name: string;
  method: string;
  params: readonly unknown[];
  result?: unknown;
  error?: unknown;
}

/** A request that is no single call, and its whole answer. */
interface RecordedBody {
  name: string;
  body: unknown;
  answer: unknown;
}

const recording: { calls: readonly RecordedCall[]; bodies: readonly RecordedBody[] } = JSON.parse(
  readFileSync(new URL('./recorded/calls.json', import.meta.url), 'utf8'),
);

describe('the answers to the calls that were recorded at a node', () => {
  let sandbox: TestSandbox;
  let scene: Scene;

  before(async () => {
    sandbox = await startTestSandbox({ strictPreflight: true, lamportsPerByte: recordedLamportsPerByte });
    const block = Number(sandbox.ledger.slot());
    sandbox.ledger.advanceSlots(1);
    const payer = fundedWallet(sandbox, 'payer', 2_000_000_000n);
    const mint = makeMint(sandbox, payer, 'mint', { program: TOKEN_PROGRAM_ADDRESS });
    const account = await makeTokenAccount(sandbox, payer, payer.address, mint, TOKEN_PROGRAM_ADDRESS, 1_000_000_000n);
    const recipient = keypairFromName('conformance recipient').address;
    sandbox.ledger.advanceSlots(1);
    const { blockhash } = sandbox.ledger.latestBlockhash();
    const transaction = (amount: bigint) => {
      const transfer = { source: createNoopSigner(payer.address), destination: recipient, amount };
      return signed(sandbox, [getTransferSolInstruction(transfer)], payer);
    };
    const landedBytes = transaction(1_000_000n);
    const landed = sandbox.ledger.sendTransaction(landedBytes);
    assert.equal(landed.error, null);
    scene = {
      payer: payer.address,
      mint,
      account,
      recipient,
      block,
      blockhash,
      nobody: keypairFromName('conformance nobody').address,
      landed: landed.signature,
      landedBytes: base64(landedBytes),
      message: base64(decodeTransaction(landedBytes).messageBytes),
      brokeBytes: base64(transaction(1_000_000_000_000n)),
      otherBrokeBytes: base64(transaction(1_000_000_000_001n)),
      '101 addresses': Array.from({ length: 101 }, () => payer.address),
    };
  });
  after(() => sandbox.close());

  const assertSame = (name: string, recorded: unknown, answered: unknown) =>
    assertAsRecorded(name, inScene(scene, recorded), answered, 'cut');

  for (const { name, method, params, result, error } of recording.calls) {
    it(`has the members, types and texts of a node: ${name}`, async () => {
      const { json } = await sandbox.call(
        method,
        params.map((each) => inScene(scene, each)),
      );
      assertSame(
        name,
        error === undefined ? { result } : { error },
        'error' in json ? { error: json.error } : { result: json.result },
      );
    });
  }

  for (const { name, body, answer } of recording.bodies) {
    it(`has the reply of a node to a body: ${name}`, async () => {
      const reply = await sandbox.post(typeof body === 'string' ? body : JSON.stringify(body));
      assert.equal(reply.status, 200);
      assertSame(name, answer, typeof answer === 'string' ? reply.text : reply.json);
    });
  }
});
