import { visibleText } from '../visible-text.ts';

/** Markup in which every text is escaped: only `html` and `markup` make it. */
export class Html {
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Value = Html | readonly Html[] | string | number | undefined;

/**
 * A template of markup. Texts in it stay text, in elements and in quoted attributes, whatever they hold: they are escaped, and
 * characters that hide or reorder others are made visible. `undefined` leaves nothing.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + write(values[index])).join(''));
}

/** Markup of our own, without any text of others. It is not escaped. */
export function markup(text: string): Html {
  return new Html(text);
}

/** A text in lines: as a part of a text, the end of a line would be made visible. */
export function linesOf(text: string): readonly Html[] {
  return text.split('\n').map((line, index) => html`${index === 0 ? undefined : markup('\n')}${line}`);
}

/** A text with what stands between backticks as code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

function write(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(visibleText(String(value)));
  return value instanceof Html ? String(value) : value.join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
