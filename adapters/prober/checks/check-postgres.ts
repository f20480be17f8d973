import type { Socket } from 'node:net';
import { openSocket, openTls, type Target } from '../dial.ts';
import { cutOff, type Finding, failed, OK } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { createByteReader } from '../read-bytes.ts';

/** PostgreSQL, "Message Formats": SSLRequest, and the version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const VERSION_3 = 0x0003_0000;
/** Servers log a login that is not gone on with: this is who they name. */
const STARTUP = startupMessage({
  user: 'fairlead_monitor',
  database: 'postgres',
  application_name: 'fairlead-monitor',
});
const MOST_ERROR_BYTES = 8 * 1024;
/** It starts, stops, or has no connection left; any other error is one about the login, which was not meant to be let in. */
const NOT_SERVING: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300']);

/** A connection up to where the server asks for the password, by TLS where it offers that. There is no login. */
export async function checkPostgres(target: Target, probe: Probe, signal: AbortSignal): Promise<Finding> {
  const plain = await openSocket(target, probe, signal);
  let socket: Socket = plain;
  try {
    plain.write(SSL_REQUEST);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    plain.once('data', resolve).once('close', () => reject(cutOff()));
    const offer = (await promise).toString('latin1');
    // More than the one letter would be what somebody else put before the handshake (CVE-2021-23222).
    if (offer !== 'S' && offer !== 'N') return failed('protocol', 'the server does not speak as PostgreSQL does');
    plain.pause();
    if (offer === 'S') {
      const servername = target.host;
      socket = await openTls(plain, probe, { servername, rejectUnauthorized: false, signal });
    }
    socket.write(STARTUP);
    return await judgeFirst(createByteReader(socket));
  } finally {
    socket.destroy();
    plain.destroy();
  }
}

async function judgeFirst(read: (bytes: number) => Promise<Buffer>): Promise<Finding> {
  const head = await read(5);
  const type = String.fromCharCode(head[0] ?? 0);
  if (type === 'R') return OK;
  const length = head.readUInt32BE(1) - 4;
  if (type !== 'E' || length < 1 || length > MOST_ERROR_BYTES) {
    return failed('protocol', 'the server does not speak as PostgreSQL does');
  }
  const fields = (await read(length)).toString('utf8').split('\0');
  const state = fields.find((field) => field.startsWith('C'))?.slice(1, 6) ?? '';
  return NOT_SERVING.has(state) ? failed('protocol', `PostgreSQL takes no connections (${state})`) : OK;
}

function startupMessage(parameters: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(parameters).flat();
  const body = Buffer.from(`${texts.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(VERSION_3, 4);
  return Buffer.concat([head, body]);
}
