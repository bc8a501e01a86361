import { connect } from 'node:net';
import { test } from 'node:test';
import { startServer } from './cli-process.ts';

test('The log says when no file descriptor is left', { skip: process.platform !== 'linux' }, async (t) => {
  const { server, url } = await startServer(t, {}, { maxFileDescriptors: 64 });
  openConnections(t, url, 64);
  await server.waitFor(/"code":"EMFILE"[^\n]*no file descriptor is left[^\n]*raise ulimit -n/);
});

function openConnections(t: { after: (end: () => void) => void }, url: string, count: number): void {
  const { hostname, port } = new URL(url);
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    t.after(() => void socket.destroy());
  }
}
