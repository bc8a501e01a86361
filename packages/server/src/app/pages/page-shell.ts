import { assetPath } from './assets.ts';
import { type Html, html } from './html.ts';

/** The parts of a page that differ. */
interface PageParts {
  title: string;
  /** Its style sheet, after that of all pages; `null` where the page brings a style of its own, and needs neither. */
  style: 'pay.css' | 'console.css' | 'problem.css' | null;
  /** The path of its icon, which may be another one than ours. */
  icon?: string;
  /** More elements of its head. */
  head?: Html | undefined;
  body: Html;
}

/** The document of a page, from its doctype on. */
export function pageShell({ title, style, icon = assetPath('icon.svg'), head, body }: PageParts): string {
  const styles = style === null ? [] : ['base.css', style];
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
${styles.map(
  (each) => html`<link rel="stylesheet" href="${assetPath(each)}">
`,
)}${head}</head>
<body>
${body}
</body>
</html>
`);
}

/**
 * The Content-Security-Policy of the pages: their own style, scripts and images, images of the origins that the operator allows, and
 * connections to our own origin and to those given.
 *
 * Wallets give their icons as `data:` URLs, as the Wallet Standard wants.
 */
export function pagePolicy(iconOrigins: readonly string[], connectOrigins: readonly string[] = []): string {
  const images = ["'self'", 'data:', ...iconOrigins].join(' ');
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src ${images}`,
    ["connect-src 'self'", ...connectOrigins].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
