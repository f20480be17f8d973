import { BSON } from 'mongodb';

/** What an attack tries, by its name: `mongo`, `grpc` and `tls` are protocols, `http` a path. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly tries: 'mongo' | 'grpc' | readonly string[];
}

/**
 * A program that asks each target for data without a credential, by its own protocol: on the loopback, in a container also
 * at its gateways. It prints a line for each: `ATTACK <name>: data`, `: none` or `: unreachable`.
 */
export function loopbackAttack(targets: readonly Target[], from: 'machine' | 'container'): string {
  const message = mongoMessage({ listDatabases: 1, $db: 'admin' }).toString('base64');
  return `
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:http';
const gateways = ${from === 'machine'} ? [] : readFileSync('/proc/net/route', 'utf8').split('\\n').map((line) => line.split('\\t')[2] ?? '')
  .filter((hex) => /^[0-9A-F]{8}$/.test(hex) && hex !== '00000000')
  .map((hex) => hex.match(/../g).reverse().map((byte) => parseInt(byte, 16)).join('.'));
const MESSAGE = Buffer.from('${message}', 'base64');
const reachable = (host, port) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 3000 }, () => { socket.destroy(); resolve(true); });
  for (const end of ['error', 'timeout']) socket.once(end, () => { socket.destroy(); resolve(false); });
});
const mongo = (host, port) => new Promise((resolve) => {
  let heard = '';
  const socket = connect({ host, port, timeout: 3000 }, () => socket.write(MESSAGE));
  const end = () => { socket.destroy(); resolve(/databases|totalSize|sizeOnDisk/.test(heard)); };
  socket.on('data', (bytes) => { heard += bytes.toString('latin1'); if (heard.length > 100) end(); });
  for (const last of ['error', 'timeout', 'close']) socket.once(last, end);
});
const SERVICES = ['temporal.api.workflowservice.v1.WorkflowService/ListNamespaces',
  'temporal.server.api.historyservice.v1.HistoryService/DescribeHistoryHost',
  'temporal.server.api.matchingservice.v1.MatchingService/ListTaskQueuePartitions',
  'grpc.health.v1.Health/Check'];
const call = (address, path) => new Promise((resolve) => {
  const session = connectHttp2(address, { rejectUnauthorized: false });
  const end = (data) => { session.destroy(); resolve(data); };
  session.once('error', () => end(false));
  session.once('close', () => end(false));
  const stream = session.request({ ':method': 'POST', ':path': '/' + path, 'content-type': 'application/grpc', te: 'trailers' });
  stream.setTimeout(3000, () => end(false));
  stream.once('error', () => end(false));
  let status;
  stream.once('response', (headers) => { status = headers['grpc-status']; });
  stream.once('trailers', (headers) => { status = headers['grpc-status']; });
  // 12: the server does not know the call, which it told whoever asked.
  stream.once('end', () => end(status === '0' || status === '12' || status === '3'));
  stream.resume();
  stream.end(Buffer.alloc(5));
});
const grpc = async (host, port) => {
  for (const scheme of ['http', 'https']) for (const path of SERVICES) {
    if (await call(scheme + '://' + host + ':' + port, path)) return true;
  }
  return false;
};
const http = async (host, port, paths) => {
  for (const path of paths) {
    const answer = await new Promise((resolve) => {
      const headers = { host: 'localhost:' + port };
      const asked = request({ host, port, path, timeout: 3000, headers }, (reply) => { reply.resume(); resolve(reply.statusCode); });
      for (const last of ['error', 'timeout']) asked.once(last, () => { asked.destroy(); resolve(0); });
      asked.end();
    });
    if (answer >= 200 && answer < 400) return true;
  }
  return false;
};
for (const { name, port, tries } of ${JSON.stringify(targets)}) {
  let [isThere, gaveData] = [false, false];
  for (const host of ['127.0.0.1', ...gateways]) {
    if (!(await reachable(host, port))) continue;
    isThere = true;
    gaveData ||= await (tries === 'mongo' ? mongo(host, port) : tries === 'grpc' ? grpc(host, port) : http(host, port, tries));
  }
  console.log('ATTACK ' + name + ': ' + (gaveData ? 'data' : isThere ? 'none' : 'unreachable'));
}
console.log('ATTACK is over');
`;
}

/** A command as a client sends it (OP_MSG). */
function mongoMessage(command: BSON.Document): Buffer {
  const body = Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), BSON.serialize(command)]);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(2013, 12);
  return Buffer.concat([header, body]);
}
