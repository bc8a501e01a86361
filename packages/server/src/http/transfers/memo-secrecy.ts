import type { WordedFinding } from '../../errors.ts';
import { holdsApiKey } from '../../keys/api-key.ts';
import type { FieldValues } from '../../wire/field-values.ts';

/** Returns a finding for each memo that would publish an API key; none repeats the key. */
export function findApiKeysInMemo({ memo, yid }: Pick<FieldValues, 'memo' | 'yid'>): readonly WordedFinding[] {
  return [...findIn('memo', memo), ...findIn('yid', yid)];
}

function findIn(field: 'memo' | 'yid', text: string | undefined): WordedFinding[] {
  if (text === undefined || !holdsApiKey(text)) return [];
  const detail = `${field} has an API key in it, which everyone could read on chain. Send another ${field}.`;
  return [{ code: 'memo_holds_api_key', pointer: `/${field}`, detail }];
}
