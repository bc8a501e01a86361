import { openSync, readSync } from 'node:fs';
import type { ServerProcess } from './server-process.ts';
import type { Stage } from './services.ts';
import { recordLayout as layout, recordLength, textLength } from './transfer-record.ts';

/** Sends one transfer of the pool to a server and returns the body of its answer. Throws unless it is a 200. */
export async function askOnce(server: ServerProcess, stage: Stage, transfer: number): Promise<string> {
  const record = Buffer.alloc(recordLength);
  readSync(openSync(stage.poolPath, 'r'), record, 0, recordLength, transfer * recordLength);
  const text = (offset: number): string => record.toString('latin1', offset, offset + textLength);
  const response = await fetch(`${server.urls[0]}/v1/token-transfer-memo-hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from_address: text(layout.senderText),
      to_address: text(layout.recipientText),
      token_mint_address: text(layout.mintText),
      amount: '1500000',
      memo: `invoice ${String(transfer).padStart(8, '0')}`,
    }),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${server.name} answered ${response.status}: ${body}`);
  return body;
}
