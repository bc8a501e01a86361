// Far deeper than any field of a request.
const maxDepth = 32;
// A batch of 1,000 transfers with every field has half as many.
const maxFields = 20_000;
// Those of arrays, too: 100 transactions of 4,096 bytes, as arrays of numbers, have fewer.
const maxValues = 500_000;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
// Where the next byte is. As numbers, with which the loop is three times as fast.
const [outside, inString, behindBackslash] = [0, 1, 2];

/** Finds that a body would take long to parse, while its bytes arrive. They need not be JSON. */
export class JsonBounds {
  #depth = 0;
  #fields = 0;
  #values = 0;
  #place = outside;

  /** Takes the next bytes, and returns in a sentence what the body has too many of; `undefined` while it is within its bounds. */
  excessWith(bytes: Uint8Array): string | undefined {
    let [depth, fields, values, place] = [this.#depth, this.#fields, this.#values, this.#place];
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (place === behindBackslash) {
        place = inString;
        continue;
      }
      if (place === inString) {
        if (byte === quote) place = outside;
        else if (byte === backslash) place = behindBackslash;
        continue;
      }
      switch (byte) {
        case quote:
          place = inString;
          break;
        case comma:
          values += 1;
          break;
        case colon:
          fields += 1;
          break;
        case openObject:
          fields += 1;
          depth += 1;
          break;
        case openArray:
          depth += 1;
          break;
        case closeObject:
        case closeArray:
          depth -= 1;
      }
      if (depth > maxDepth) return `The body has objects and arrays more than ${maxDepth} deep.`;
    }
    [this.#depth, this.#fields, this.#values, this.#place] = [depth, fields, values, place];
    if (fields > maxFields) return `The body has more than ${maxFields} objects and fields.`;
    return values > maxValues ? `The body has more than ${maxValues} values.` : undefined;
  }
}
