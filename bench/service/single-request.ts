import { closeSync, openSync, readSync } from 'node:fs';
import { differenceFrom } from '../build/equivalence.ts';
import type { TransferWork } from '../build/transfer-work.ts';
import type { ServerProcess } from './server-process.ts';
import type { Stage } from './services.ts';
import { recordLayout as layout, recordLength, textLength } from './transfer-record.ts';

/**
 * Sends one transfer of the pool to a service and returns the body of its answer.
 *
 * Throws unless it is a 200 with the bytes of just that transfer.
 */
export async function askForTransfer(server: ServerProcess, stage: Stage, transfer: number): Promise<string> {
  const texts = readTexts(stage.poolPath, transfer);
  const response = await fetch(`${server.urls[0]}/v1/token-transfer-memo-hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from_address: texts.sender,
      to_address: texts.recipient,
      token_mint_address: texts.mint,
      amount: texts.amount,
      memo: texts.memo,
    }),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${server.name} answered ${response.status}: ${body}`);
  const { data } = JSON.parse(body);
  const work = { ...texts, blockhash: String(data.latestBlockhash) };
  const difference = differenceFrom(work, Uint8Array.from(data.transaction));
  if (difference !== undefined) throw new Error(`${server.name} built another transfer: ${difference}`);
  return body;
}

function readTexts(poolPath: string, transfer: number): Omit<TransferWork, 'blockhash'> {
  const record = Buffer.alloc(recordLength);
  const file = openSync(poolPath, 'r');
  readSync(file, record, 0, recordLength, transfer * recordLength);
  closeSync(file);
  const text = (offset: number): string => record.toString('latin1', offset, offset + textLength);
  return {
    sender: text(layout.senderText),
    recipient: text(layout.recipientText),
    mint: text(layout.mintText),
    amount: '1500000',
    memo: `invoice ${String(transfer).padStart(8, '0')}`,
  };
}
