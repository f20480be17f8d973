import { openSocket, type Target } from '../dial.ts';
import { type Finding, failed, OK } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { createByteReader } from '../read-bytes.ts';

/** MongoDB, "Wire Protocol": the first command of a connection may be sent in this way by every server. */
const OP_QUERY = 2_004;
const OP_REPLY = 1;
const HEADER_BYTES = 16;
const REPLY_FIELDS_BYTES = 20;
const MOST_REPLY_BYTES = 64 * 1024;

/** The handshake of drivers, without a login. A member that is no primary and no secondary takes no work: it is down. */
export async function checkMongodb(target: Target, probe: Probe, signal: AbortSignal): Promise<Finding> {
  // Loaded with the first check of its kind.
  const { BSON } = await import('mongodb');
  const socket = await openSocket(target, probe, signal);
  try {
    probe.reads.allow(HEADER_BYTES + MOST_REPLY_BYTES);
    socket.write(query(BSON.serialize({ isMaster: 1, helloOk: true })));
    const read = createByteReader(socket);
    const header = await read(HEADER_BYTES);
    const length = header.readInt32LE(0);
    const isReply = header.readInt32LE(12) === OP_REPLY && length > HEADER_BYTES + REPLY_FIELDS_BYTES;
    if (!isReply || length > MOST_REPLY_BYTES) return failed('protocol', 'the server does not speak as MongoDB does');
    const reply = await read(length - HEADER_BYTES);
    return judge(BSON.deserialize(reply.subarray(REPLY_FIELDS_BYTES)));
  } catch (error) {
    if (error instanceof BSON.BSONError) return failed('protocol', 'the server does not speak as MongoDB does');
    throw error;
  } finally {
    socket.destroy();
  }
}

function judge({ ok, ismaster, isWritablePrimary, secondary, msg }: Readonly<Record<string, unknown>>): Finding {
  if (ok !== 1) return failed('protocol', 'the server refuses the handshake');
  const isServing = ismaster === true || isWritablePrimary === true || secondary === true || msg === 'isdbgrid';
  return isServing ? OK : failed('protocol', 'the server is neither a primary nor a secondary');
}

function query(command: Uint8Array): Buffer {
  const collection = Buffer.from('admin.$cmd\0');
  const body = Buffer.alloc(HEADER_BYTES + 4);
  body.writeInt32LE(body.length + collection.length + 8 + command.length, 0);
  body.writeInt32LE(1, 4);
  body.writeInt32LE(OP_QUERY, 12);
  const range = Buffer.alloc(8);
  range.writeInt32LE(-1, 4);
  return Buffer.concat([body, collection, range, command]);
}
