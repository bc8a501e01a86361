import { type BatchRequest, type Steps, validateBatchRequestInSteps } from 'splwright-core';
import type { WordedFinding } from '../../errors.ts';
import { holdsApiKey } from '../../keys/mask-api-keys.ts';
import type { FieldValues } from '../../wire/field-values.ts';
import { readBody } from '../../wire/read-body.ts';
import { invalidRequest } from '../../wire/refusal.ts';
import { paths } from '../../wire/routes.ts';
import { wordFinding } from '../../wire/word-finding.ts';

/**
 * Reads a parsed JSON body as a batch in short steps: its shape, its texts, and whether a memo would publish an API key.
 *
 * Throws an `AppError` of the code `invalid_request` with every fault.
 */
export function* readBatchRequest(body: unknown): Steps<BatchRequest> {
  const { values, findings, unlistedCount } = readBody(paths.batch, body);
  yield;
  const { createTokenAccount = 'if_missing', ...inputs } = values;
  const parsed = yield* validateBatchRequestInSteps({ ...inputs, createTokenAccount });
  const worded = parsed.findings.map((finding) => wordFinding(finding, 'memo'));
  yield;
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
