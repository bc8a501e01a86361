/**
 * The service that people write today, as a good tutorial would: Express, web3.js and spl-token, one call after another.
 *
 * It validates what it is sent, checks what a transfer needs, and answers with the same JSON as splwright.
 */
import { createMemoInstruction } from '@solana/spl-memo';
import {
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
  TokenAccountNotFoundError,
  TokenInvalidMintError,
} from '@solana/spl-token';
import { Connection, PublicKey, Transaction } from '@solana/web3.js';
import express, { type NextFunction, type Request, type Response } from 'express';

class BadRequest extends Error {}

const connection = new Connection(process.env.SOLANA_RPC_URL ?? '', 'confirmed');
const app = express();
app.use(express.json());

function readPublicKey(body: Record<string, unknown>, field: string): PublicKey {
  const text = body[field];
  if (typeof text !== 'string') throw new BadRequest(`${field} is required`);
  try {
    return new PublicKey(text);
  } catch {
    throw new BadRequest(`${field} is not a public key`);
  }
}

app.post('/v1/token-transfer-memo-hash', async (request: Request, response: Response) => {
  const from = readPublicKey(request.body, 'from_address');
  const to = readPublicKey(request.body, 'to_address');
  const mintAddress = readPublicKey(request.body, 'token_mint_address');
  const { amount: amountText, memo } = request.body;
  if (!/^[1-9][0-9]{0,19}$/.test(amountText)) throw new BadRequest('amount must be in base units');
  if (typeof memo !== 'string' || memo === '') throw new BadRequest('memo is required');
  const amount = BigInt(amountText);

  const mint = await getMint(connection, mintAddress);
  const senderTokenAccount = getAssociatedTokenAddressSync(mintAddress, from);
  const recipientTokenAccount = getAssociatedTokenAddressSync(mintAddress, to);
  const sender = await getAccount(connection, senderTokenAccount);
  if (sender.amount < amount) throw new BadRequest('insufficient token balance');
  await getAccount(connection, recipientTokenAccount);
  const { blockhash } = await connection.getLatestBlockhash();

  const transaction = new Transaction();
  transaction.feePayer = from;
  transaction.recentBlockhash = blockhash;
  transaction.add(
    createMemoInstruction(memo, [from]),
    createTransferCheckedInstruction(
      senderTokenAccount,
      mintAddress,
      recipientTokenAccount,
      from,
      amount,
      mint.decimals,
    ),
  );
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  response.json({
    data: { transaction: [...bytes], latestBlockhash: blockhash },
    status: 'token transfer with memo and blockhash created successfully',
  });
});

app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
  const isCallersFault = error instanceof BadRequest;
  const isMissing = error instanceof TokenAccountNotFoundError || error instanceof TokenInvalidMintError;
  response.status(isCallersFault ? 400 : isMissing ? 422 : 500).json({ error: error.message });
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`Express listens on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});
process.once('SIGTERM', () => process.exit());
