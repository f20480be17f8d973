import type { Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const FLAGS_BYTES = 4;
const OP_MSG = 2_013;
/** Kinds of sections. */
const DOCUMENT = 0;
const LIST = 1;
const CHECKSUM_PRESENT = 1;
const CHECKSUM_BYTES = 4;

/** Hands over whole messages of MongoDB's wire protocol, each as it came. */
export function readMessages(socket: Socket, take: (message: Buffer) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = HEADER_BYTES;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) return;
    let pending = Buffer.concat(chunks);
    while (pending.length >= HEADER_BYTES && pending.length >= pending.readInt32LE(0)) {
      const message = pending.subarray(0, pending.readInt32LE(0));
      pending = pending.subarray(message.length);
      take(message);
    }
    wanted = pending.length >= HEADER_BYTES ? pending.readInt32LE(0) : HEADER_BYTES;
    chunks = [pending];
    bytes = pending.length;
  });
}

export const idOf = (message: Buffer): number => message.readInt32LE(4);

/** Id of the message that a message answers. */
export const answeredBy = (message: Buffer): number => message.readInt32LE(8);

/** The document of the command in a message; empty for a message of another kind, such as the first greeting. */
export function commandOf(message: Buffer): Readonly<Record<string, unknown>> {
  return (
    sectionsOf(message)
      .find((section) => section.kind === DOCUMENT)
      ?.read() ?? {}
  );
}

/** The lists that drivers send beside that document, such as the `updates` of an `update`. */
export function listsOf(message: Buffer): Readonly<Record<string, unknown>> {
  const lists = sectionsOf(message).filter(({ kind }) => kind === LIST);
  return Object.assign({}, ...lists.map(({ read }) => read()));
}

interface Section {
  readonly kind: number | undefined;
  readonly read: () => Record<string, unknown>;
}

function sectionsOf(message: Buffer): readonly Section[] {
  if (message.readInt32LE(12) !== OP_MSG) return [];
  const hasChecksum = (message.readInt32LE(HEADER_BYTES) & CHECKSUM_PRESENT) !== 0;
  const end = message.length - (hasChecksum ? CHECKSUM_BYTES : 0);
  const sections: Section[] = [];
  for (let at = HEADER_BYTES + FLAGS_BYTES; at < end; ) {
    const kind = message[at];
    const bytes = message.subarray(at + 1, at + 1 + message.readInt32LE(at + 1));
    sections.push({ kind, read: () => (kind === LIST ? listIn(bytes) : BSON.deserialize(bytes)) });
    at += 1 + bytes.length;
  }
  return sections;
}

/** A list of documents after its size and its name. */
function listIn(section: Buffer): Record<string, unknown> {
  const nameEnd = section.indexOf(0, 4);
  const documents: unknown[] = [];
  for (let at = nameEnd + 1; at < section.length; at += section.readInt32LE(at)) {
    documents.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))));
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}
