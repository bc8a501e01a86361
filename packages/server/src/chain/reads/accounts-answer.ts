import { isRecord } from '../json-values.ts';

// An answer before and after its accounts. Agave writes the id last.
const beginning =
  /^\{"jsonrpc":"2\.0",(?:"id":\d{1,15},)?"result":\{"context":\{(?:"apiVersion":"[\w.-]{0,50}",)?"slot":\d{1,15}\},"value":\[/;
const end = /\]\}(?:,"id":\d{1,15})?\}\n?$/y;

const [digit0, digit9, comma] = [0x30, 0x39, 0x2c];

// An integer of more digits may be rounded; a `rentEpoch`, which nobody reads, has up to twenty.
const maxExactDigits = 15;
const maxEpochDigits = 20;

/**
 * Parses an answer to `getMultipleAccounts` as nodes write it, in half the time that `JSON.parse` takes.
 *
 * Returns what `JSON.parse` would, without the `rentEpoch` of accounts; `undefined` for a text in any other form, which may be as
 * good. What is in the texts of data and owners is not checked.
 */
export function parseAccountsAnswer(text: string): unknown {
  const before = beginning.exec(text)?.[0];
  // In a text with escapes a quote may not be the end of a string.
  if (before === undefined || text.includes('\\')) return undefined;
  const scanner = new AccountScanner(text, before.length);
  const accounts = scanner.readAll();
  if (!accounts) return undefined;
  end.lastIndex = scanner.at;
  if (!end.test(text)) return undefined;
  const answer: unknown = JSON.parse(before + text.slice(scanner.at));
  if (!isRecord(answer) || !isRecord(answer.result)) return undefined;
  answer.result.value = accounts;
  return answer;
}

/** Goes through the list of accounts in an answer. */
class AccountScanner {
  readonly #text: string;
  /** The index of the next character. */
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** Returns all accounts up to the end of the list, or `undefined` when one is written in another way. */
  readAll(): readonly unknown[] | undefined {
    const accounts: unknown[] = [];
    for (;;) {
      const account = this.#skip('null') ? null : this.#account();
      if (account === undefined) return undefined;
      accounts.push(account);
      if (this.#text.charCodeAt(this.at) !== comma) return accounts;
      this.at += 1;
    }
  }

  #account(): object | undefined {
    if (!this.#skip('{"data":["')) return undefined;
    const data = this.#untilQuote();
    if (!this.#skip('","base64"],"executable":false,"lamports":')) return undefined;
    const lamports = this.#integer(maxExactDigits);
    if (!this.#skip(',"owner":"')) return undefined;
    const owner = this.#untilQuote();
    if (!this.#skip('","rentEpoch":') || this.#integer(maxEpochDigits) === undefined || !this.#skip(',"space":'))
      return undefined;
    const space = this.#integer(maxExactDigits);
    if (lamports === undefined || space === undefined || !this.#skip('}')) return undefined;
    return { data: [data, 'base64'], executable: false, lamports, owner, space };
  }

  #skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  #untilQuote(): string {
    const start = this.at;
    this.at = this.#text.indexOf('"', start);
    return this.#text.slice(start, this.at);
  }

  /** Reads an unsigned integer of up to so many digits; `undefined` where there is none that JSON allows. */
  #integer(maxDigits: number): number | undefined {
    const text = this.#text;
    const start = this.at;
    let at = start;
    let value = 0;
    let code = text.charCodeAt(at);
    while (code >= digit0 && code <= digit9) {
      value = value * 10 + code - digit0;
      at += 1;
      code = text.charCodeAt(at);
    }
    this.at = at;
    const digits = at - start;
    const isPadded = digits > 1 && text.charCodeAt(start) === digit0;
    return digits === 0 || digits > maxDigits || isPadded ? undefined : value;
  }
}
