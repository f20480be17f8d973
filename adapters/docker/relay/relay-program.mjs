/**
 * The relay: forwards connections at ports of its network to a proxy of the platform. HOSTS and PORTS are separated by
 * commas, SOCKET is the path of a Unix socket.
 */
import { connect, createServer } from 'node:net';

const { HOSTS = '', PORTS = '', SOCKET = '' } = process.env;

const places = PORTS.split(',').flatMap((port) => HOSTS.split(',').map((host) => [host, Number(port)]));
const listening = places.map(([host, port]) => listen(port, host));
await Promise.all(listening);
console.log('listening');

/** Resolves in any case: where the network has no IPv6, the other address has to do. */
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
  return new Promise((resolve) => {
    server.once('error', (error) => {
      console.error(`${host}:${port}: ${error.message}`);
      resolve();
    });
    server.listen(port, host, resolve);
  });
}
