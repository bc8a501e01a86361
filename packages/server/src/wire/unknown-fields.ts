import { findSimilarName } from '../similar-name.ts';
import { quoteName } from './field-names.ts';

/** The fields that an object may have. */
export interface TakenFields {
  /** Those that it must have. */
  required: readonly string[];
  optional: readonly string[];
}

/** Describes the unknown fields of one request: those that it may have are listed once, however many are unknown. */
export class UnknownFields {
  readonly #lists = new Set<string>();

  /** Returns the sentence about a field that `what` does not have, with the field that was meant or all that there are. */
  describe(name: string, what: string, { required, optional }: TakenFields): string {
    const sentence = `${quoteName(name)} is not a field of ${what}.`;
    const meant = findSimilarName(name, [...required, ...optional]);
    if (meant !== undefined) return `${sentence} Did you mean ${meant}?`;
    const list = describeFields(required, optional);
    if (this.#lists.has(list)) return sentence;
    this.#lists.add(list);
    return `${sentence} ${list}`;
  }
}

function describeFields(required: readonly string[], optional: readonly string[]): string {
  if (required.length === 0 || optional.length === 0) return `The fields are ${[...required, ...optional].join(', ')}.`;
  const isOne = required.length === 1;
  return `The required field${isOne ? ' is' : 's are'} ${required.join(', ')}; the others are ${optional.join(', ')}.`;
}
