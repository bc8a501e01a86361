import { type BatchRequest, type Pause, validateBatchRequest } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import { holdsApiKey } from '../../keys/api-key.ts';
import type { FieldValues } from '../../wire/field-values.ts';
import { readBody } from '../../wire/read-body.ts';
import { invalidRequest } from '../../wire/refusal.ts';
import { paths } from '../../wire/routes.ts';
import { wordFinding } from '../../wire/word-finding.ts';

/**
 * Reads a parsed JSON body as a batch: its shape, its texts, and whether a memo would publish an API key.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault.
 */
export async function readBatchRequest(body: unknown, pause: Pause): Promise<BatchRequest> {
  const { values, findings, unlistedCount } = readBody(paths.batch, body);
  await pause();
  const { createTokenAccount = 'if_missing', ...inputs } = values;
  const parsed = await validateBatchRequest({ ...inputs, createTokenAccount }, pause);
  const worded = parsed.findings.map((finding) => wordFinding(finding, 'memo'));
  await pause();
  const all = [...findings, ...worded, ...findApiKeysIn(values)];
  if (all.length > 0 || !parsed.request) throw invalidRequest(all, unlistedCount);
  return parsed.request;
}

function findApiKeysIn({ transfers = [] }: FieldValues): readonly WordedFinding[] {
  return transfers.flatMap(({ memo }, index) => {
    if (memo === undefined || !holdsApiKey(memo)) return [];
    const detail = `The memo of transfer ${index} has an API key in it, which everyone could read on chain. Send another memo.`;
    return [{ code: 'memo_holds_api_key' as const, pointer: `/transfers/${index}/memo`, detail }];
  });
}
