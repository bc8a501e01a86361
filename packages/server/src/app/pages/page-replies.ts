/** The headers of a page with a Content-Security-Policy. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  };
}

/** Whether a client would rather have HTML than JSON, by its `Accept` header: browsers name it, wallets do not. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const html = Math.max(qualityOf(accept, 'text/html'), qualityOf(accept, 'application/xhtml+xml'));
  return html > 0 && html >= qualityOf(accept, 'application/json');
}

/** The quality of a media type that is named; 0 for one that only a wildcard covers. */
function qualityOf(accept: string, mediaType: string): number {
  for (const entry of accept.split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    if (name !== mediaType) continue;
    const quality = parameters.map((parameter) => /^q=([01](?:\.[0-9]{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    return quality === undefined ? 1 : Number(quality);
  }
  return 0;
}
