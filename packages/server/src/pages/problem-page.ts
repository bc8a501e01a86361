import { type Problem, type ProblemCode, problems, uncheckedOf } from '../errors.ts';

/** The style of every problem page, as it stands in its `style` element. */
export const problemPageStyle =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code{font-size:.95em}';

/** The Content-Security-Policy of the problem pages, which allows their own style and nothing else, by its SHA-256 in base64. */
export function problemPagePolicy(styleHash: string): string {
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The HTML page of a problem, which the `type` of its replies points to. */
export function problemPage(code: ProblemCode): string {
  const { status, title, remedy, safety }: Problem = problems[code];
  const unchecked = uncheckedOf(code);
  const why =
    safety === undefined ? '' : `<p>A safety refusal: the transaction could land on chain. ${escapeHtml(safety)}</p>\n`;
  const isLeftOut = unchecked === 'funding' || unchecked === 'time';
  const withoutChecks = isLeftOut
    ? `<p>Skipped when <code>checks</code> is "none": ${unchecked} can change it.</p>\n`
    : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${code}: ${escapeHtml(title)}</title>
<style>${problemPageStyle}</style>
<h1>${markCode(escapeHtml(title))}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<p>${markCode(escapeHtml(remedy))}</p>
${why}${withoutChecks}</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function markCode(html: string): string {
  return html.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
