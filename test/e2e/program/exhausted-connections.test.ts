import { connect } from 'node:net';
import { test } from 'node:test';
import { startServer } from './cli-process.ts';

test('The log says when no file descriptor is left', { skip: process.platform !== 'linux' }, async (t) => {
  const { server, url } = await startServer(t, {}, { maxFileDescriptors: 64 });
  openConnections(t, url, 64);
  await server.waitFor(/"code":"EMFILE"[^\n]*no file descriptor is left[^\n]*raise ulimit -n/);
});

for (const host of ['127.0.0.1', 'localhost']) {
  test(`The log says how many connections to ${host} the bound has closed`, async (t) => {
    const { server, url } = await startServer(t, { HOST: host, MAX_CONNECTIONS: '3' });
    openConnections(t, url, 5);
    await server.waitFor(
      /"closed":\{"max_connections":[12],"waiting_bytes":0,"unread_reply":0\},"max_connections":3[^\n]*connections were closed by a bound/,
    );
  });
}

function openConnections(t: { after: (end: () => void) => void }, url: string, count: number): void {
  const { hostname, port } = new URL(url);
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    t.after(() => void socket.destroy());
  }
}
