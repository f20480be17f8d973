import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What monitors of a bench are pointed at, as a process of its own that says its port: `/hang` never answers. */
const server = createServer((request, response) => {
  if (request.url !== '/hang') response.end('fine');
});
server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
