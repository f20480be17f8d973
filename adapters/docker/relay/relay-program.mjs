/**
 * The relay: forwards connections at addresses of its network to proxies of the platform. ROUTES is a list of
 * `{host, port, socket, to}` in JSON: where it listens, and the Unix socket it leads to. With `to`, a host and port, the
 * proxy there is asked for a tunnel to it (CONNECT); without, it gets what the client sends. `{host, port, loopbackPort}`
 * leads inward instead, to a program of the same network that listens on the loopback alone.
 *
 * With NAMES, `{socket, ports}`, programs that know no proxy get through as well. The relay answers as their name server
 * (RFC 1035): each name has an address of 198.18.0.0/15, which is nobody's (RFC 2544) and is routed to the relay. What
 * connects to it at one of the ports gets a tunnel to that name.
 */
import { connect, createServer } from 'node:net';

const routes = JSON.parse(process.env.ROUTES ?? '[]');
const names = JSON.parse(process.env.NAMES ?? 'null');
/** By address of a client, so that nobody changes what a name of others means: the names it asked for, oldest first. */
const asked = new Map();
/** Of its little memory these take a half, when each name is as long as names get. */
const MOST_CLIENTS = 128;
const MOST_NAMES = 128;
/** Connections of one client at once: the proxy takes a bounded number, which one client alone must not use up. */
const perClient = Number(process.env.PER_CLIENT ?? Number.POSITIVE_INFINITY);
/** Of all clients together: a workload may come from many addresses. Those that come inward take no place of the others. */
const most = Number(process.env.CONNECTIONS ?? Number.POSITIVE_INFINITY);
const outward = { byAddress: new Map(), all: 0, perClient };
const inward = { byAddress: new Map(), all: 0, perClient: Number.POSITIVE_INFINITY };
const LOOPBACK = ['127.0.0.1', '::1'];

await Promise.all([...routes.map(listen), ...(names === null ? [] : listenForNames(names))]);
console.log('listening');

function listenForNames({ socket, ports }) {
  const all = '0.0.0.0';
  return [answerNames(all), ...ports.map((port) => listen({ host: all, port, socket, to: nameOf }))];
}

/** Resolves in any case: where the network has no IPv6, the other address has to do. */
function listen({ host, port, socket, to, loopbackPort }) {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy());
    if (loopbackPort !== undefined) {
      if (admit(client, inward)) lead(client, loopbackPort, LOOPBACK);
      return;
    }
    if (!admit(client, outward)) return;
    const target = typeof to === 'function' ? to(client) : to;
    if (target === null) client.destroy();
    else if (target === undefined) join(client, connect({ path: socket, allowHalfOpen: true }));
    else tunnel(client, socket, target);
  });
  return new Promise((resolve) => {
    server.once('error', (error) => {
      console.error(`${host}:${port}: ${error.message}`);
      resolve();
    });
    server.listen(port, host, resolve);
  });
}

/** False when there are too many connections: this one is closed, so that its program tries again or says so. */
function admit(client, counts) {
  const { remoteAddress: address } = client;
  const { byAddress } = counts;
  const open = byAddress.get(address) ?? 0;
  if (open >= counts.perClient || counts.all >= most) {
    client.destroy();
    return false;
  }
  byAddress.set(address, open + 1);
  counts.all += 1;
  client.once('close', () => {
    counts.all -= 1;
    const left = byAddress.get(address) - 1;
    if (left > 0) byAddress.set(address, left);
    else byAddress.delete(address);
  });
  return true;
}

/** `localhost` is one of them, or both. */
function lead(client, port, [host, ...others]) {
  const program = connect({ host, port, allowHalfOpen: true });
  const goOn = () => {
    if (others.length > 0 && !client.destroyed) lead(client, port, others);
    else client.destroy();
  };
  program.once('error', goOn);
  program.once('connect', () => {
    program.off('error', goOn);
    join(client, program);
  });
  client.once('close', () => program.destroy());
}

async function tunnel(client, socketPath, to) {
  // Not every relay needs it, and it takes time to load.
  const { request } = await import('node:http');
  if (client.destroyed) return;
  const outgoing = request({ socketPath, method: 'CONNECT', path: to, headers: { host: to } });
  outgoing.once('connect', ({ statusCode }, remote, head) => {
    if (statusCode !== 200) {
      remote.destroy();
      client.destroy();
      return;
    }
    if (head.length > 0) client.write(head);
    join(client, remote);
  });
  outgoing.once('response', () => client.destroy());
  outgoing.on('error', () => client.destroy());
  client.once('close', () => outgoing.destroy());
  outgoing.end();
}

function join(client, proxy) {
  for (const [one, other] of [
    [client, proxy],
    [proxy, client],
  ]) {
    one.pipe(other);
    one.once('error', () => other.destroy());
    one.once('close', () => other.destroySoon());
  }
}

/** The name, with the port, that a client means by the address it connected to; null for none that it asked for. */
function nameOf({ remoteAddress, localAddress, localPort }) {
  const known = asked.get(remoteAddress);
  for (const [name, address] of known ?? []) if (address === localAddress) return `${name}:${localPort}`;
  return null;
}

async function answerNames(host) {
  const { createSocket } = await import('node:dgram');
  const server = createSocket('udp4', (query, client) => {
    // Nobody can be answered at port 0, which a query may come from.
    const answer = client.port === 0 ? null : answerTo(query, client.address);
    if (answer !== null) server.send(answer, client.port, client.address);
  });
  return new Promise((resolve, reject) => server.once('error', reject).bind(53, host, resolve));
}

const A_RECORD = 1;
const HEADER_BYTES = 12;
const NOT_FOUND = 3;

/** An answer to the one question of a query; null for what is none. */
function answerTo(query, client) {
  const labels = [];
  let at = HEADER_BYTES;
  for (let size = query[at]; size > 0 && size < 64; size = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  const end = at + 5;
  if (query.length < end || query[at] !== 0 || query.readUInt16BE(4) !== 1) return null;
  const name = labels.join('.').toLowerCase();
  const isHost = labels.length > 1 && /^[a-z0-9_.-]{1,253}$/.test(name);
  const isAddress = isHost && query.readUInt16BE(at + 1) === A_RECORD;
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | (isHost ? 0 : NOT_FOUND), 2);
  header.writeUInt16BE(isAddress ? 1 : 0, 6);
  header.fill(0, 8);
  const record = isAddress ? addressRecord(addressFor(client, name)) : Buffer.alloc(0);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), record]);
}

/** The name of the question, type A, class IN, for 60 s. */
function addressRecord(address) {
  return Buffer.from([0xc0, HEADER_BYTES, 0, A_RECORD, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
}

function addressFor(client, name) {
  const known = asked.get(client) ?? new Map();
  const address = known.get(name) ?? unusedAddress(known);
  // The last to be used is the last to go.
  asked.delete(client);
  known.delete(name);
  if (asked.size >= MOST_CLIENTS) asked.delete(asked.keys().next().value);
  if (known.size >= MOST_NAMES) known.delete(known.keys().next().value);
  asked.set(client, known.set(name, address));
  return address;
}

/** Addresses come in turn; there are many more than names that are kept. */
function unusedAddress(known) {
  known.next = ((known.next ?? 0) + 1) % (1 << 17);
  const number = (198 << 24) + (18 << 16) + known.next;
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
}
