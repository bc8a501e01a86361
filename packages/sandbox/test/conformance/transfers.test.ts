import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Address, address } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { decodeTransaction } from '../../src/ledger/transaction-decoding.ts';
import { base64, startTestSandbox, type TestSandbox } from '../fixtures.ts';
import { assertAsRecorded } from './as-recorded.ts';
import { inScene } from './compare.ts';
import {
  encodeRecorded,
  fundedWallet,
  makeMint,
  makeMint2022,
  makeNonceAccount,
  makeTokenAccount,
  type RecordedTransaction,
  recordedLamportsPerByte,
  storedNonce,
  tokenAccountOf,
} from './scene.ts';

const recording: {
  transactions: Readonly<Record<string, RecordedTransaction>>;
  calls: readonly {
    name: string;
    method: string;
    params: readonly unknown[];
    result?: { meta?: { fee: number } };
    error?: unknown;
  }[];
} = JSON.parse(readFileSync(new URL('./recorded/transfers.json', import.meta.url), 'utf8'));

/** A transfer that also makes the recipient's account: what was recorded as an unsigned one. */
const unsignedTransfer: RecordedTransaction = {
  version: 'legacy',
  header: { numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 5 },
  accounts: [
    '$sender',
    '$simulatedAccount classic',
    '$senderAccount classic',
    '$simulatedOwner',
    '$mint classic',
    '11111111111111111111111111111111',
    TOKEN_PROGRAM_ADDRESS,
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  ],
  instructions: [
    { program: 7, accounts: [0, 1, 3, 4, 5, 6], data: '2' },
    { program: 6, accounts: [2, 4, 1, 0], data: 'gAe48S56ByxQM' },
  ],
};

describe('transfers as a node shows them', () => {
  let sandbox: TestSandbox;
  const scene: Record<string, unknown> = {};
  /** What `getFeeForMessage` said before each transaction was sent. */
  const fees = new Map<string, unknown>();
  before(async () => {
    sandbox = await startTestSandbox({ lamportsPerByte: recordedLamportsPerByte });
    const sender = fundedWallet(sandbox, 'sender', 5_000_000_000n);
    const recipient = fundedWallet(sandbox, 'sponsor', 5_000_000_000n);
    const wallet = (name: string) => keypairFromName(`conformance ${name}`).address;
    const owners = { owner: wallet('owner'), sponsoredOwner: wallet('sponsored'), simulatedOwner: wallet('simulated') };
    const nonceAccount = makeNonceAccount(sandbox, sender);
    Object.assign(scene, owners, { sender: sender.address, recipient: recipient.address, nonceAccount });
    scene.reference = wallet('reference');
    const mints = {
      classic: makeMint(sandbox, sender, 'mint classic', {
        program: TOKEN_PROGRAM_ADDRESS,
        freezeAuthority: sender.address,
      }),
      2022: makeMint2022(sandbox, sender),
    };
    for (const [kind, mint] of Object.entries(mints)) {
      const program = kind === 'classic' ? TOKEN_PROGRAM_ADDRESS : TOKEN_2022_PROGRAM_ADDRESS;
      const accountOf = (owner: Address) => tokenAccountOf(owner, mint, program);
      scene[`mint ${kind}`] = mint;
      scene[`senderAccount ${kind}`] = await makeTokenAccount(
        sandbox,
        sender,
        sender.address,
        mint,
        program,
        10n ** 12n,
      );
      scene[`recipientAccount ${kind}`] = await makeTokenAccount(sandbox, sender, recipient.address, mint, program, 0n);
      scene[`createdAccount ${kind}`] = await accountOf(owners.owner);
      scene[`sponsoredAccount ${kind}`] = await accountOf(owners.sponsoredOwner);
      scene[`simulatedAccount ${kind}`] = await accountOf(owners.simulatedOwner);
    }
    const encode = (recorded: RecordedTransaction, lifetime: string, ...signers: (typeof sender)[]) => {
      const accounts = recorded.accounts.map((each) => address(String(inScene(scene, each))));
      return encodeRecorded(recorded, accounts, lifetime, signers);
    };
    for (const [name, recorded] of Object.entries(recording.transactions)) {
      sandbox.ledger.advanceSlots(1);
      const { blockhash } = sandbox.ledger.latestBlockhash();
      const lifetime = name.startsWith('durable nonce') ? storedNonce(sandbox, nonceAccount) : blockhash;
      const bytes = encode(recorded, lifetime, sender, recipient);
      const message = base64(decodeTransaction(bytes).messageBytes);
      fees.set(
        name,
        (await sandbox.call('getFeeForMessage', [message, { commitment: 'confirmed' }])).json.result.value,
      );
      const outcome = sandbox.ledger.sendTransaction(bytes);
      assert.ok(outcome.landed, `${name}: ${JSON.stringify(outcome.error)} ${outcome.logs.join('\n')}`);
      scene[name] = outcome.signature;
    }
    sandbox.ledger.advanceSlots(32);
    scene.unsignedBytes = base64(encode(unsignedTransfer, sandbox.ledger.latestBlockhash().blockhash));
  });
  after(() => sandbox.close());

  it('getFeeForMessage says what a node charged for each', () => {
    const charged = new Map(
      recording.calls.flatMap(({ method, params, result }) =>
        method === 'getTransaction' && result?.meta ? [[String(params[0]).slice(1), result.meta.fee] as const] : [],
      ),
    );
    assert.deepEqual(new Set(charged.values()), new Set([5_000, 10_000]));
    for (const [name, fee] of charged) assert.equal(fees.get(name), fee, name);
  });

  for (const { name, method, params, result, error } of recording.calls) {
    it(`has every member as a node does: ${name}`, async () => {
      const { json } = await sandbox.call(
        method,
        params.map((each) => inScene(scene, each)),
      );
      const answered = 'error' in json ? { error: json.error } : { result: json.result };
      const recorded = inScene(scene, error === undefined ? { result } : { error });
      assertAsRecorded(name, recorded, answered, 'whole');
    });
  }
});
