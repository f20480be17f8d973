import { createServer, type Socket } from 'node:net';
import { type Answer, createNeo4jState, Neo4jFailure, type Neo4jState } from './neo4j-state.ts';
import { packStructure, type Structure, unpackStructure } from './packstream.ts';

const PREAMBLE = 20;
const BOLT_4_4 = Buffer.from([0, 0, 4, 4]);
const MESSAGES = { hello: 0x01, goodbye: 0x02, reset: 0x0f, run: 0x10, pull: 0x3f } as const;

export interface Neo4jStandIn {
  readonly uri: string;
  readonly state: Neo4jState;
  stop(): Promise<void>;
}

/**
 * Speaks Bolt 4.4 as a Neo4j server does, and knows the statements that the platform gives one. What these mean, it has from
 * Neo4j's manual: no server of the Enterprise Edition can be had where the tests run.
 */
export async function startNeo4jStandIn(
  options: { readonly edition?: 'community' | 'enterprise'; readonly asksForPasswords?: boolean } = {},
): Promise<Neo4jStandIn> {
  const state = createNeo4jState(options);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    uri: `bolt://127.0.0.1:${port}`,
    state,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Reply = readonly [tag: number, ...fields: unknown[]];

const success = (fields: object = {}): Reply => [0x70, fields];

function serve(socket: Socket, state: Neo4jState): void {
  socket.setNoDelay(true);
  const connection = state.connect(() => socket.destroy());
  const answerTo = createSession(connection);
  let bytes: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  socket.on('close', () => connection.close());
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isGreeted) {
      if (bytes.length < PREAMBLE) return;
      bytes = bytes.subarray(PREAMBLE);
      isGreeted = true;
      socket.write(BOLT_4_4);
    }
    for (let message = nextMessage(bytes); message !== null; message = nextMessage(bytes)) {
      bytes = message.rest;
      const asked = unpackStructure(message.body);
      if (asked.tag === MESSAGES.goodbye) socket.end();
      else for (const reply of answerTo(asked)) socket.write(chunked(reply));
    }
  });
}

/** After a failure every message is ignored until the client has said that it knows. */
function createSession(connection: ReturnType<Neo4jState['connect']>): (asked: Structure) => readonly Reply[] {
  let hasFailed = false;
  let answer: Answer | null = null;
  const work = ({ tag, fields }: Structure): readonly Reply[] => {
    const [first, second, third] = fields as [never, never, { readonly db?: string }?];
    if (tag === MESSAGES.hello) {
      connection.login(first);
      return [success({ server: 'Neo4j/5.26.0', connection_id: connection.id })];
    }
    if (tag === MESSAGES.run) {
      answer = connection.run(third?.db ?? '', first, second);
      return [success({ fields: [...answer.fields], t_first: 0 })];
    }
    if (tag !== MESSAGES.pull) throw new Neo4jFailure('Neo.ClientError.Request.Invalid', `no message ${tag}`);
    const rows = (answer?.rows ?? []).map((row): Reply => [0x71, row]);
    return [...rows, success({ has_more: false, type: 'r', t_last: 0 })];
  };
  return (asked) => {
    if (asked.tag === MESSAGES.reset) hasFailed = false;
    if (hasFailed) return [[0x7e]];
    if (asked.tag === MESSAGES.reset) return [success()];
    try {
      return work(asked);
    } catch (error) {
      if (!(error instanceof Neo4jFailure)) throw error;
      hasFailed = true;
      return [[0x7f, { code: error.code, message: error.message }]];
    }
  };
}

/** A message in chunks of at most 65,535 bytes, and the end of it. */
function chunked([tag, ...fields]: Reply): Buffer {
  const body = packStructure({ tag, fields });
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += 0xffff) {
    const chunk = body.subarray(at, at + 0xffff);
    const head = Buffer.alloc(2);
    head.writeUInt16BE(chunk.length);
    chunks.push(head, chunk);
  }
  return Buffer.concat([...chunks, Buffer.from([0, 0])]);
}

/** The first message of what has arrived; null while it is not whole. */
function nextMessage(bytes: Buffer): { readonly body: Buffer; readonly rest: Buffer } | null {
  const chunks: Buffer[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const size = bytes.readUInt16BE(at);
    at += 2;
    if (size === 0 && chunks.length > 0) return { body: Buffer.concat(chunks), rest: Buffer.from(bytes.subarray(at)) };
    if (at + size > bytes.length) return null;
    if (size > 0) chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return null;
}
