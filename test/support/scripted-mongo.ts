import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A server of MongoDB's wire protocol that answers as a test says: what a replica set says while it fails over. */
export interface ScriptedMongo {
  readonly uri: string;
  readonly close: () => Promise<void>;
}

type Document = Readonly<Record<string, unknown>>;

const HEADER_BYTES = 16;
const OPCODES = { reply: 1, query: 2004, message: 2013 } as const;
const HELLO: Document = {
  ...{ ok: 1, helloOk: true, isWritablePrimary: true, ismaster: true, minWireVersion: 0, maxWireVersion: 21 },
  ...{ maxBsonObjectSize: 16 * 1024 ** 2, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
};

/** What it answers to each command but the handshake. */
export type Answer = (command: Document) => Document;

export async function startScriptedMongo(answer: Answer): Promise<ScriptedMongo> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
        const length = received.readInt32LE(0);
        socket.write(answerTo(received.subarray(0, length), answer));
        received = received.subarray(length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { uri: `mongodb://127.0.0.1:${port}/test?directConnection=true`, close };
}

/** What it sends to a message of a client. */
export function answerTo(request: Buffer, answer: Answer): Buffer {
  const id = request.readInt32LE(4);
  // The first handshake is a query.
  if (request.readInt32LE(12) === OPCODES.query)
    return packed(OPCODES.reply, id, Buffer.alloc(20).fill(1, 16, 17), HELLO);
  const start = HEADER_BYTES + 5;
  const command = BSON.deserialize(request.subarray(start, start + request.readInt32LE(start)));
  const isHandshake = 'hello' in command || 'ismaster' in command;
  return packed(OPCODES.message, id, Buffer.alloc(5), isHandshake ? HELLO : answer(command));
}

/** @param prefix what stands before the document: flags and counts of a reply, flags and kind of a message */
function packed(opcode: number, responseTo: number, prefix: Buffer, document: Document): Buffer {
  const body = Buffer.concat([prefix, BSON.serialize(document)]);
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [at, value] of [HEADER_BYTES + body.length, 1, responseTo, opcode].entries())
    header.writeInt32LE(value, 4 * at);
  return Buffer.concat([header, body]);
}
