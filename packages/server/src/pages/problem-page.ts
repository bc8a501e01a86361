import { html } from './html.ts';
import { pageShell } from './page-shell.ts';

/** The page that people get in place of a payment page, with what they can do, as an HTML document. */
export function payProblemPage(status: number, retryAfterSeconds: number | undefined): string {
  const { title, message, isPassing } = wordsOf(status, retryAfterSeconds);
  return pageShell({
    title,
    body: html`<main class="alone" data-phase="${isPassing ? 'busy' : 'unknown'}">
<section class="panel"><div class="status"><span class="mark" aria-hidden="true"></span>
<h1>${title}</h1>
<p>${message}</p>
${isPassing ? html`<a class="button" href="">Try again</a>` : undefined}</div></section>
</main>`,
  });
}

function wordsOf(
  status: number,
  retryAfterSeconds: number | undefined,
): { title: string; message: string; isPassing: boolean } {
  const soon = retryAfterSeconds === undefined ? 'in a moment' : `in ${retryAfterSeconds} s`;
  if (status === 404) {
    const message = 'Check that the link is complete, or ask whoever sent it for a new one. Nothing was paid.';
    return { title: 'There is no such payment link', message, isPassing: false };
  }
  if (status === 429) {
    const message = `This network has asked too often. Try again ${soon}.`;
    return { title: 'Too many requests', message, isPassing: true };
  }
  if (status >= 500) {
    const message = `The link may still be good. Try again ${soon}.`;
    return { title: 'The payment service is not available', message, isPassing: true };
  }
  const message = 'Open the payment link again as you received it.';
  return { title: 'This request cannot be answered', message, isPassing: false };
}
