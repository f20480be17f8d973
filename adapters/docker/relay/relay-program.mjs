/**
 * The relay beside a workload: forwards connections at ports of their common loopback to the platform proxy. PORTS are
 * separated by commas, SOCKET is the path of a Unix socket.
 */
import { connect, createServer } from 'node:net';

const { PORTS = '', SOCKET = '' } = process.env;

for (const port of PORTS.split(',').map(Number)) {
  listen(port, '127.0.0.1');
  // `localhost` is both; where the network has no IPv6, the other one has to do.
  listen(port, '::1');
}

function listen(port, host) {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: SOCKET, allowHalfOpen: true });
    for (const [one, other] of [
      [client, proxy],
      [proxy, client],
    ]) {
      one.pipe(other);
      one.once('error', () => other.destroy());
      one.once('close', () => other.destroySoon());
    }
  });
  server.once('error', (error) => console.error(`${host}:${port}: ${error.message}`));
  server.listen(port, host);
}
