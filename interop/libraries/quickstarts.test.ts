import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { type Service, startService } from '../setup/service.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const environment = () => ({
  ...process.env,
  SPLWRIGHT_URL: service.url,
  SPLWRIGHT_API_KEY: service.apiKey,
  SOLANA_RPC_URL: service.rpcUrl,
  KEYPAIR_FILE: `${repository}/examples/sandbox-keypair.json`,
  TO_ADDRESS: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  TOKEN_MINT_ADDRESS: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
});

for (const [language, folder, command, ...words] of [
  ['Python', 'interop/python', '.venv/bin/python', '../../examples/pay_once.py'],
  ['Go', 'interop/go', 'go', 'run', '../../examples/pay-once.go'],
] as const) {
  test(`the program of docs/go-live.md in ${language} pays an order once, with a key of a file`, async () => {
    const env = environment();
    const pay = () =>
      run(command, [...words, `order in ${language}`.replaceAll(' ', '-')], { cwd: `${repository}/${folder}`, env });
    const [, signature = ''] = /^landed (\w{80,90})\n$/.exec((await pay()).stdout) ?? [];
    assert.notEqual(signature, '');
    // Started again after it has paid, it pays nothing more.
    await assert.rejects(pay, (error: { stderr: string }) => error.stderr.includes(signature));
  });
}

test('the Python of the reference signs with a keypair file, and the node takes what it sends', async () => {
  const document = Object(await (await fetch(`${service.url}/openapi.json`)).json());
  for (const path of ['/v1/transfers', '/v1/transfers/batch']) {
    const [, { source }] = document.paths[path].post['x-codeSamples'];
    const folder = `${repository}/interop/python`;
    const { stdout } = await run('.venv/bin/python', ['-c', source, 'order-1'], { cwd: folder, env: environment() });
    assert.match(stdout, /'result': '\w{80,90}'/);
  }
});

test('the program in Python signs nothing that pays another wallet, another amount or another token, or another account', async () => {
  // What stands between it and the service answers with the transaction of another payment, or adds to it.
  const others = [
    { to_address: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC' },
    { amount: '1500001' },
    { token_mint_address: 'SOL' },
    { tip: { account: '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC', lamports: '1' } },
    {},
  ];
  for (const other of others) {
    const isAdding = Object.keys(other).length === 0;
    const liar = createServer(async (request, reply) => {
      const asked = Object(await json(request));
      const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...asked, ...other });
      const answer = await fetch(service.url + request.url, { method: 'POST', headers, body });
      const text = await answer.text();
      reply
        .writeHead(answer.status)
        .end(isAdding && request.url === '/v1/transfers' ? withStrangersAccount(text) : text);
    });
    await once(liar.listen(0, '127.0.0.1'), 'listening');
    const { port } = Object(liar.address());
    const env = { ...environment(), SPLWRIGHT_URL: `http://127.0.0.1:${port}` };
    try {
      const pay = run('.venv/bin/python', ['../../examples/pay_once.py', 'lied-to'], {
        cwd: `${repository}/interop/python`,
        env,
      });
      await assert.rejects(pay, (error: { stderr: string }) =>
        error.stderr.includes('The transaction does not do what was asked for.'),
      );
    } finally {
      liar.close();
      liar.closeAllConnections();
    }
  }
});

/** The reply with a transaction that also creates, at the sender's cost, a token account of a wallet that the request does not name. */
function withStrangersAccount(text: string): string {
  const reply = Object(JSON.parse(text));
  const transaction = Transaction.from(Buffer.from(reply.data.transaction, 'base64'));
  const [payer] = transaction.instructions.flatMap(({ keys }) => keys.filter(({ isSigner }) => isSigner));
  if (!payer) throw new Error('no instruction has a signer');
  const programId = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
  const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  const mint = new PublicKey('Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1');
  const stranger = new PublicKey('ChqmkzHXQ1g91shQ5H2Cp5U62TRSRyuFqtmhSPW2VBbg');
  const seeds = [stranger, tokenProgram, mint].map((each) => each.toBytes());
  const [account] = PublicKey.findProgramAddressSync(seeds, programId);
  const read = [stranger, mint, SystemProgram.programId, tokenProgram];
  const keys = [
    { pubkey: payer.pubkey, isSigner: true, isWritable: true },
    { pubkey: account, isSigner: false, isWritable: true },
    ...read.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
  ];
  transaction.instructions.unshift(new TransactionInstruction({ programId, keys, data: Buffer.from([1]) }));
  reply.data.transaction = transaction.serialize({ requireAllSignatures: false }).toString('base64');
  return JSON.stringify(reply);
}
