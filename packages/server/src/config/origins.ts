const httpsOrigin = /^https:\/\/[a-z0-9.-]+(?::[0-9]+)?$/;
const loopbackHost = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/** Whether a text is the origin of pages on https, as browsers write it; it needs no quotes in a header. */
export function isHttpsOrigin(text: string): boolean {
  return httpsOrigin.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Returns the origin that a URL is, with or without a slash at its end; undefined unless it is https, or http of this machine. */
export function publicOriginOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  // The rest of it would be lost, and a password would end up in QR codes.
  if (href !== `${origin}/`) return undefined;
  return protocol === 'https:' || (protocol === 'http:' && loopbackHost.test(hostname)) ? origin : undefined;
}

/** The entry that stands for every origin. */
const anyOrigin = '*';

// Browsers write the scheme and the host in lower case. Apps with a web view have schemes of their own, such as capacitor://localhost.
const customOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::[0-9]+)?$/;

/** Whether a text is an origin exactly as browsers send it, or `*`. */
export function isOrigin(text: string): boolean {
  if (text === anyOrigin) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? text === origin : customOrigin.test(text);
}
