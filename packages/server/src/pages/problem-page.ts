import { type Problem, type ProblemCode, problems, uncheckedOf } from '../errors.ts';

/**
 * The style of every problem page, as it stands in its `style` element: the colors of the other pages, whose files a service without
 * pages does not serve.
 */
export const problemPageStyle =
  ':root{color-scheme:light dark;--ground:#f3f3f0;--card:#fff;--sunk:#f6f6f4;--line:#deded8;--ink:#17191c;--soft:#565b63;--key:#14532d}' +
  '@media(prefers-color-scheme:dark){:root{--ground:#0e1012;--card:#181b1f;--sunk:#20242a;--line:#30353c;--ink:#f1f2f4;--soft:#aab1bb;--key:#86dfae}}' +
  'body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}' +
  'main{max-width:42rem;margin:3rem auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:12px}' +
  'h1{margin:0 0 .25rem;font-size:1.5rem}h1+p{margin-top:0;color:var(--soft)}a{color:var(--key)}code{font-size:.95em;overflow-wrap:anywhere}' +
  'pre{padding:1rem;background:var(--sunk);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}';

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
  const example = { type: `/problems/${code}`, title, status, detail: '…', code, request_id: '…' };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${code}: ${escapeHtml(title)}</title>
<meta name="color-scheme" content="light dark">
<style>${problemPageStyle}</style>
<main>
<h1>${markCode(escapeHtml(title))}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<p>${markCode(escapeHtml(remedy))}</p>
${why}${withoutChecks}<p>The reply is of the type <code>application/problem+json</code>; its <code>detail</code> names what is wrong with the request:</p>
<pre><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>
<p><a href="/openapi.json">The OpenAPI document</a> has every refusal of every operation.</p>
</main>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function markCode(html: string): string {
  return html.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
