// Shorter parts of a path or a host are words such as `rpc` and `v2`.
const minPartLength = 8;

// A password or the value of a query is a secret at any length, but for one that is in every text.
const minCredentialLength = 3;

const maxMessageLength = 200;

/** What must be seen of no text: the parts of a node's URL, which for hosted nodes hold a key. */
export class UrlSecrets {
  /** The longest first, so that no part of another remains. */
  readonly #secrets: readonly string[];

  constructor(url: URL) {
    const { hostname, username, password, pathname, search } = url;
    const basic = Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString('base64');
    // Some providers put the customer's name in the host.
    const parts = [hostname, ...hostname.split('.'), ...pathname.split('/'), ...search.split(/[?&=]/)];
    const values = search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
    const secrets = [
      ...formsOf(parts, minPartLength),
      ...formsOf([username, password, ...values, basic], minCredentialLength),
    ];
    this.#secrets = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  }

  /**
   * Returns what a node says as one line of at most 200 characters without secrets: the node, or a gateway in front of it, may quote the
   * request's URL. Characters that are not shown, or that change how others are shown, become a space.
   */
  mask(message: string): string {
    const masked = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
    const line = masked.replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trim();
    return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1).toWellFormed()}…` : line;
  }
}

function formsOf(parts: readonly string[], minLength: number): readonly string[] {
  return parts.flatMap((part) => [part, decodeText(part)]).filter((part) => part.length >= minLength);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
