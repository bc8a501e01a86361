import { type Problem, type ProblemCode, problems } from '../errors.ts';

/** The HTML page of a problem, which the `type` of its replies points to. */
export function problemPage(code: ProblemCode): string {
  const { status, title, remedy, safety }: Problem = problems[code];
  const why =
    safety === undefined ? '' : `<p>A safety refusal, of what could land on chain: ${escapeHtml(safety)}</p>\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${code}: ${escapeHtml(title)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code{font-size:.95em}</style>
<h1>${markCode(escapeHtml(title))}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<p>${markCode(escapeHtml(remedy))}</p>
${why}</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function markCode(html: string): string {
  return html.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
