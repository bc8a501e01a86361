import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { assertInstalled } from './not-installed.ts';
import type { Cleanup } from './service.ts';

/** Files of an authority of the test's own, and of what it has signed. */
export interface Certificates {
  /** The folder of all of them, which any user may read. */
  folder: string;
  /** The certificate of the authority. */
  ca: string;
  /** That of a server, which is `localhost`, `*.limits.test` and 127.0.0.1 alone, and its key. */
  server: KeyPair;
  /** That of a client named `tester`. */
  client: KeyPair;
  /** Signs another certificate for these names, in place of the files of the server. */
  renewServer(alternativeNames: string): void;
}

/** The files of a certificate and of its private key. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** Makes this process trust an authority until the end of the test, as `NODE_EXTRA_CA_CERTS` does for a whole process. */
export function trustAuthority(t: { after: (finish: () => void) => void }, ca: string): void {
  const before = getCACertificates();
  setDefaultCACertificates([...before, readFileSync(ca, 'utf8')]);
  t.after(() => setDefaultCACertificates(before));
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority and two certificates, and deletes them with the test. Throws without `openssl`. */
export function makeCertificates(t: Cleanup): Certificates {
  assertInstalled('openssl', 'openssl');
  const folder = mkdtempSync(join(tmpdir(), 'splwright-tls-'));
  chmodSync(folder, 0o755);
  t.after(async () => rmSync(folder, { recursive: true }));
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl('req', '-x509', ...curve, '-days', '2', '-subj', '/CN=test-authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  const sign = (name: string, commonName: string, alternativeNames: string): KeyPair => {
    openssl('req', ...curve, '-subj', `/CN=${commonName}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(file('names'), `subjectAltName=${alternativeNames}\n`);
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...authority, '-out', `${name}.pem`);
    // Servers run as other users than the test.
    chmodSync(file(`${name}.key`), 0o644);
    return { cert: file(`${name}.pem`), key: file(`${name}.key`) };
  };
  return {
    folder,
    ca: file('ca.pem'),
    server: sign('server', 'server', 'DNS:localhost,DNS:*.limits.test,IP:127.0.0.1'),
    client: sign('client', 'tester', 'DNS:tester'),
    renewServer: (alternativeNames) => void sign('server', 'server', alternativeNames),
  };
}
