import { open } from 'node:fs/promises';
import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import ipaddr from 'ipaddr.js';
import type { ListeningSocket } from '../../domain/deploys/listening.ts';
import { decodeLogFrames } from './log-frames.ts';

/** Tables of the sockets of a network (proc_net(5)). Those that listen come first in each. */
const TABLES = ['net/tcp', 'net/tcp6'];
const TABLE_LIMIT_BYTES = 64 * 1024;
const EXEC_LIMIT_MS = 5_000;
const LISTEN = '0A';
/** The engine's name server in a container. */
const NAME_SERVER = '127.0.0.11';

/**
 * The TCP sockets that listen in the network of a running container. The kernel's tables are read by the id of its
 * process, which takes no program in the image and no process in the container; where the engine runs elsewhere (another
 * machine, a virtual one), the image's `cat` reads them.
 * @returns null where neither is possible
 */
export async function listeningSockets(
  docker: Docker,
  container: ContainerInspectInfo,
): Promise<readonly ListeningSocket[] | null> {
  const text = (await readByProcess(container)) ?? (await readInside(docker, container));
  return text === null ? null : parseTables(text);
}

/** Null when the process of that id is not one of the container: then the id is of another machine. */
async function readByProcess({ Id, State }: ContainerInspectInfo): Promise<string | null> {
  try {
    const place = `/proc/${State.Pid}`;
    if (!(await readStart(`${place}/cgroup`)).includes(Id)) return null;
    return (await Promise.all(TABLES.map((name) => readStart(`${place}/${name}`)))).join('');
  } catch {
    // Another machine's, or one that this user may not look into.
    return null;
  }
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for (let size = 0; size < TABLE_LIMIT_BYTES; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(TABLE_LIMIT_BYTES - size));
      if (bytesRead === 0) break;
      parts.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    return Buffer.concat(parts).toString('latin1');
  } finally {
    await file.close();
  }
}

/** The program is the image's: what it prints is bounded, and decides only which port of its own container is used. */
async function readInside(docker: Docker, { Id }: ContainerInspectInfo): Promise<string | null> {
  try {
    const command = ['cat', ...TABLES.map((name) => `/proc/self/${name}`)];
    const exec = await docker.getContainer(Id).exec({ Cmd: command, AttachStdout: true });
    const stream = await exec.start({});
    const deadline = setTimeout(() => stream.destroy(), EXEC_LIMIT_MS);
    try {
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of stream) {
        parts.push(part as Buffer);
        size += (part as Buffer).length;
        if (size > TABLES.length * TABLE_LIMIT_BYTES) break;
      }
      const text = decodeLogFrames(Buffer.concat(parts));
      return text.includes('local_address') ? text : null;
    } finally {
      clearTimeout(deadline);
      stream.destroy();
    }
  } catch {
    // No such program, or the container has just ended: the next look tells.
    return null;
  }
}

/**
 * Lines such as `0: 0100007F:0BB8 00000000:0000 0A …`: address and port in hex, and the state. Port 0, which nothing
 * listens on, is left out: the program that prints the tables may be the image's.
 */
export function parseTables(text: string): ListeningSocket[] {
  const lines = text.matchAll(
    /^\s*\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) /gm,
  );
  return [...lines]
    .filter(([, , , state]) => state === LISTEN)
    .map(([, address = '', port = '']) => ({ host: hostOf(address), port: Number.parseInt(port, 16) }))
    .filter(({ host, port }) => host !== NAME_SERVER && port > 0);
}

/** Words of 32 bits in the byte order of the processor, which is little-endian wherever engines commonly run. */
function hostOf(hex: string): string {
  const bytes = [...Buffer.from(hex, 'hex').swap32()];
  return ipaddr.process(ipaddr.fromByteArray(bytes).toString()).toString();
}
