import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** An address with TLS in front of a service, as libraries want that take links with `https:` only. */
export interface SecureFront {
  url: string;
  /** Where requests are passed on to; to be set before the first. */
  target: string;
  close(): void;
}

/** Opens a port with a certificate made on the spot, which this process then trusts. Needs `openssl`. */
export async function openSecureFront(): Promise<SecureFront> {
  const { key, cert } = makeCertificate();
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  const front: SecureFront = { url: '', target: '', close: () => undefined };
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const passed = request(front.target + incoming.url, { method: incoming.method, headers: incoming.headers });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  front.url = `https://127.0.0.1:${port}`;
  front.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return front;
}

function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'splwright-certificate-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
