import type { RedisAddress } from '../config/redis-address.ts';

const noAuthority = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** What the client says when it has asked every Sentinel. */
const noSentinelHelped = 'All sentinels are unreachable';

/**
 * Returns why Redis is not used, as a code such as `ECONNREFUSED` or `WRONGPASS`.
 *
 * Not the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
 */
export function redisReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.message.includes('No such master')) return 'NO_PRIMARY';
  const code = /\b[A-Z]{3,}\b/.exec(error.message)?.[0];
  if (code !== undefined) return code;
  if (!error.message.startsWith(noSentinelHelped)) return error.name;
  return error.message.includes('Last error') ? 'NO_SENTINEL' : 'NO_PRIMARY';
}

/** Returns what to do about a reason why Redis is not used. */
export function redisRemedyOf(reason: string, { kind, tls }: Pick<RedisAddress, 'kind' | 'tls'>): string {
  const scheme = kind === 'single' ? '' : `+${kind}`;
  if (noAuthority.test(reason)) {
    return 'Its certificate is not signed by an authority that is known here: name the file of the authority in ssl_ca_certs of REDIS_URL.';
  }
  if (/ALERT|CERTIFICATE_REQUIRED/.test(reason)) {
    return 'It refuses this client: name a certificate that it accepts and its key in ssl_certfile and ssl_keyfile of REDIS_URL.';
  }
  switch (reason) {
    case 'WRONGPASS':
    case 'NOAUTH':
      return 'Check the user and the password in REDIS_URL; special characters are percent-encoded.';
    case 'NOPERM':
      return 'Give the user the commands and keys that docs/operate/stores.md lists.';
    case 'MOVED':
      return `It is a node of a Redis Cluster: write redis${tls ? 's' : ''}+cluster:// in REDIS_URL.`;
    case 'ERR':
      return kind === 'sentinel'
        ? 'What answers is no Sentinel: name the Sentinels, which usually listen on port 26379.'
        : 'It does not take the commands of the limits: check that it is a Redis or Valkey of a version that is still kept up.';
    case 'OOM':
      return 'Its memory is used up: give it more, or a server of its own to the limits.';
    case 'READONLY':
      return 'It is a replica: name the primary in REDIS_URL, or the Sentinels by redis+sentinel://.';
    case 'NO_PRIMARY':
      return 'The Sentinels answer, and know no primary of the name that is the path of REDIS_URL.';
    case 'NO_SENTINEL':
      return 'No Sentinel answers as it should: check their hosts and ports in REDIS_URL, sentinel_password, and whether they use TLS.';
    case 'CERT_HAS_EXPIRED':
      return 'Its certificate has expired: renew it, and check the clock of this machine.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Its certificate has another name than its host in REDIS_URL: use that name, or put it into ssl_servername.';
    case 'ECONNRESET':
      return tls
        ? 'It closed the connection: check the port, and whether it asks for a certificate, that of ssl_certfile and ssl_keyfile in REDIS_URL.'
        : `It closed the connection, as a port with TLS does: try rediss${scheme}:// in REDIS_URL.`;
    case 'ETIMEDOUT':
      return tls
        ? `It does not answer: check host, port and firewall; for a port without TLS write redis${scheme}:// in REDIS_URL.`
        : 'It does not answer: check host, port and firewall.';
    default:
      return 'Check host and port in REDIS_URL, and whether it runs.';
  }
}
