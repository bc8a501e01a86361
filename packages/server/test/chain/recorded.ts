import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { getBase58Encoder } from '@solana/kit';

/** A call as it was sent to a real node, and what that answered. */
export interface RecordedCall {
  name: string;
  method: string;
  params: readonly unknown[];
  result?: unknown;
  error?: { code: number; message: string };
}

/** Every recorded call. */
export const recordedCalls: readonly RecordedCall[] = JSON.parse(
  readFileSync(new URL('./recorded/calls.json', import.meta.url), 'utf8'),
).calls;

/** The recorded call of this name. */
export function recorded(name: string): RecordedCall {
  const call = recordedCalls.find((each) => each.name === name);
  assert.ok(call, `nothing is recorded as ${name}`);
  return call;
}

interface JsonTransaction {
  signatures: readonly string[];
  message: {
    header: { numRequiredSignatures: number; numReadonlySignedAccounts: number; numReadonlyUnsignedAccounts: number };
    accountKeys: readonly string[];
    recentBlockhash: string;
    instructions: readonly { programIdIndex: number; accounts: readonly number[]; data: string }[];
  };
}

/** A recorded `getTransaction` in JSON. */
export interface RecordedTransaction {
  slot: number;
  blockTime: number;
  version: 'legacy' | 0;
  transaction: JsonTransaction;
  meta: Record<string, unknown>;
}

/** The recorded transaction of this name, and its result as the node gives it in base64. */
export function recordedTransaction(name: string) {
  const { params, result } = recorded(name);
  const json = result as RecordedTransaction;
  const bytes = wireBytes(json);
  const inBase64 = { ...json, transaction: [bytes.toString('base64'), 'base64'] };
  return { signature: String(params[0]), json, bytes, inBase64 };
}

const base58 = (text: string): readonly number[] => [...getBase58Encoder().encode(text)];

function counted<T>(list: readonly T[], bytesOf: (entry: T) => readonly number[]): readonly number[] {
  // One byte counts up to 127.
  assert.ok(list.length < 128);
  return [list.length, ...list.flatMap(bytesOf)];
}

/** The bytes of a transaction without lookup tables, as they were on the wire. */
function wireBytes({ version, transaction: { signatures, message } }: RecordedTransaction): Buffer {
  const { header, accountKeys, recentBlockhash, instructions } = message;
  return Buffer.from([
    ...counted(signatures, base58),
    ...(version === 0 ? [0x80] : []),
    header.numRequiredSignatures,
    header.numReadonlySignedAccounts,
    header.numReadonlyUnsignedAccounts,
    ...counted(accountKeys, base58),
    ...base58(recentBlockhash),
    ...counted(instructions, ({ programIdIndex, accounts, data }) => [
      programIdIndex,
      ...counted(accounts, (account) => [account]),
      ...counted(base58(data), (byte) => [byte]),
    ]),
    ...(version === 0 ? [0] : []),
  ]);
}
