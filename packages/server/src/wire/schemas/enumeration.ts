import { type TUnsafe, Type } from 'typebox';

/**
 * The schema of a value that is one of these: as `enum`, which client generators read, and not as `anyOf` of constants.
 *
 * It has a `type` when all values have the same.
 */
export function enumeration<const Value extends string | number>(
  values: readonly Value[],
  options: Readonly<Record<string, unknown>> = {},
): TUnsafe<Value> {
  const isText = values.every((value) => typeof value === 'string');
  return Type.Unsafe<Value>({ ...options, ...(isText && { type: 'string' }), enum: [...values] });
}
