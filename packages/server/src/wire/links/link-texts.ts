import type { WordedFinding } from '../../errors.ts';
import { fields } from '../field-table.ts';
import type { FieldValues } from '../field-values.ts';

const urlNames = ['icon', 'redirect'] as const;
const textNames = ['label', 'message'] as const;

/** Finds everything that is wrong with the texts of a link to make: those that are shown, and its URLs. */
export function findLinkTextFaults(values: FieldValues): readonly WordedFinding[] {
  const faults = [
    ...textNames.map((name) => ({ name, fault: textFault(values[name], fields[name]) })),
    ...urlNames.map((name) => ({ name, fault: urlFault(values[name], fields[name]) })),
  ];
  const findings = faults.flatMap(({ name, fault }): WordedFinding[] =>
    fault === undefined ? [] : [{ code: 'invalid_value', pointer: `/${name}`, detail: `${name} ${fault}.` }],
  );
  if (values.memo?.includes('\0') !== true) return findings;
  const detail = 'memo has the character U+0000, which cannot be stored. Leave it out.';
  return [...findings, { code: 'invalid_memo', pointer: '/memo', detail }];
}

function textFault(
  text: string | undefined,
  { pattern, maxLength }: { pattern: string; maxLength: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (!text.isWellFormed()) return 'has a lone surrogate, which is no character';
  if (text.includes('\0')) return 'has the character U+0000, which cannot be stored';
  if (text === '') return 'is empty and must have at least one character';
  if (!new RegExp(pattern).test(text)) return 'has no visible character';
  const { length } = [...text];
  return length > maxLength ? `has ${length} characters and may have ${maxLength}` : undefined;
}

function urlFault(
  text: string | undefined,
  { pattern, maxLength }: { pattern: string; maxLength: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > maxLength) return `has ${text.length} characters and may have ${maxLength}`;
  if (new RegExp(pattern).test(text) && URL.canParse(text)) return undefined;
  return 'is not an https:// URL without a user name: percent-encode characters that URLs do not have';
}
