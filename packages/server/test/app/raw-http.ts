import { connect } from 'node:net';

/**
 * Sends bytes to a server over a bare socket, and hangs up once its reply is whole: for requests no HTTP client will send.
 *
 * Rejects when the server closes the connection before its reply is whole.
 */
export function exchangeRaw(url: string, request: string | Uint8Array): Promise<Response> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(received.toString())}`)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const reply = parseReply(received.toString('latin1'));
      if (!reply) return;
      resolve(reply);
      socket.destroy();
    });
  });
}

function parseReply(text: string): Response | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = text.slice(headEnd + 4);
  if (status === 100) return parseReply(rest);
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^.*?:/, '')]),
  );
  const length = Number(headers.get('content-length'));
  return rest.length < length
    ? undefined
    : new Response(status === 204 ? null : Buffer.from(rest.slice(0, length), 'latin1'), { status, headers });
}
