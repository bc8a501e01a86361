const noAuthority = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/**
 * Returns why Redis is not used, as a code such as `ECONNREFUSED` or `WRONGPASS`.
 *
 * Not the message or the error itself: an error of the client holds the command, which may be AUTH with its password.
 */
export function redisReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name;
}

/** Returns what to do about a reason why the Redis of a `REDIS_URL` is not used. */
export function redisRemedyOf(reason: string, redisUrl: string): string {
  const isTls = redisUrl.startsWith('rediss:');
  if (noAuthority.test(reason)) {
    return 'Its certificate is not signed by an authority that is known here: name the file of the authority in NODE_EXTRA_CA_CERTS.';
  }
  if (/ALERT|CERTIFICATE_REQUIRED/.test(reason)) {
    return 'It asks for a certificate of the client, and gets none: let it accept the password alone (tls-auth-clients no).';
  }
  switch (reason) {
    case 'WRONGPASS':
    case 'NOAUTH':
      return 'Check the user and the password in REDIS_URL; special characters are percent-encoded.';
    case 'NOPERM':
      return 'Give the user the commands and keys that docs/operate/stores.md lists.';
    case 'MOVED':
    case 'CLUSTERDOWN':
      return 'It is a node of a Redis Cluster, which cannot be used: name a server that is none.';
    case 'ERR':
      return 'It does not take the commands of the limits: check that it is a Redis or Valkey of a version that is still kept up.';
    case 'OOM':
      return 'Its memory is used up: give it more, or a server of its own to the limits.';
    case 'READONLY':
      return 'It is a replica: name the primary in REDIS_URL.';
    case 'CERT_HAS_EXPIRED':
      return 'Its certificate has expired: renew it, and check the clock of this machine.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Its certificate has another name than its host in REDIS_URL: use that name.';
    case 'ECONNRESET':
      return isTls
        ? 'It closed the connection: check the port, and that it asks for no certificate of the client (tls-auth-clients no).'
        : 'It closed the connection, as a port with TLS does: try rediss:// in REDIS_URL.';
    case 'ETIMEDOUT':
      return isTls
        ? 'It does not answer: check host, port and firewall; for a port without TLS write redis:// in REDIS_URL.'
        : 'It does not answer: check host, port and firewall.';
    default:
      return 'Check host and port in REDIS_URL, and whether it runs.';
  }
}
