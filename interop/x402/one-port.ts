import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The JSON-RPC and the WebSocket of a node behind one port, as `x402` 1.2 expects them. */
export interface OnePort {
  url: string;
  close(): void;
}

/** Opens a port that passes WebSockets on to one port of this machine and everything else to another. */
export async function openOnePort(rpcPort: number, webSocketPort: number): Promise<OnePort> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('data', (head) => {
      const isWebSocket = /^upgrade: websocket/im.test(head.toString('latin1'));
      const upstream = connect(isWebSocket ? webSocketPort : rpcPort, '127.0.0.1');
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
