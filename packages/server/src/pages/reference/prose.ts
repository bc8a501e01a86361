import { problems } from '../../errors.ts';
import { type Html, html } from '../html.ts';

/** A text of the document: what stands between backticks is code, and the code of a problem leads to its page. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? code(part) : html`${part}`))}`;
}

function code(text: string): Html {
  return Object.hasOwn(problems, text)
    ? html`<a href="/problems/${text}"><code>${text}</code></a>`
    : html`<code>${text}</code>`;
}
