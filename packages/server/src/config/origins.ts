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
