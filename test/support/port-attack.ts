/**
 * A program for a RUN instruction. It tries ports of this machine straight, by the loopback and by the gateway, and by the
 * proxy that the build was given. Each that answers is printed as `REACHED …`, then what the proxy says to the metadata
 * address, then `tried <count>, reached <count>`.
 */
export const portAttack = (ports: readonly number[]): string => `
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
const gateways = readFileSync('/proc/net/route', 'utf8').split('\\n').map((line) => line.split('\\t')[2] ?? '')
  .filter((hex) => /^[0-9A-F]{8}$/.test(hex) && hex !== '00000000')
  .map((hex) => hex.match(/../g).reverse().map((byte) => parseInt(byte, 16)).join('.'));
const proxy = new URL(process.env.http_proxy ?? 'http://127.0.0.1:1');
const call = (host, port, first) => new Promise((resolve) => {
  let [connected, heard] = [false, ''];
  const socket = connect({ host, port: Number(port) }, () => {
    connected = true;
    if (first === undefined) socket.destroy();
    else socket.write(first);
  });
  socket.setTimeout(5000, () => socket.destroy());
  socket.on('data', (bytes) => {
    heard += bytes;
    if (heard.includes('\\r\\n')) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve({ connected, heard: heard.split('\\r\\n')[0] }));
});
const byProxy = (head) => call(proxy.hostname, proxy.port, head + ' HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n');
const passed = ({ heard }) => heard !== '' && !heard.startsWith('HTTP/1.1 403 ');
let [tried, reached] = [0, 0];
const attack = async (host, port) => {
  const ways = {
    straight: (await call(host.replace(/[\\[\\]]/g, ''), port)).connected,
    CONNECT: passed(await byProxy('CONNECT ' + host + ':' + port)),
    GET: passed(await byProxy('GET http://' + host + ':' + port + '/')),
  };
  for (const [way, isOpen] of Object.entries(ways)) {
    tried += 1;
    if (!isOpen) continue;
    reached += 1;
    console.log('REACHED ' + way + ' ' + host + ':' + port);
  }
};
// Side by side: what drops packets answers no try within its limit.
for (const host of ['127.0.0.1', '[::1]', ...gateways]) await Promise.all(${JSON.stringify(ports)}.map((port) => attack(host, port)));
console.log('metadata: ' + (await byProxy('GET http://169.254.169.254/')).heard);
console.log('gateways: ' + gateways.length);
console.log('tried ' + tried + ', reached ' + reached);
`;
