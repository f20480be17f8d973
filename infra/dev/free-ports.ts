import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Ports below those that systems give to whoever asks for any (from 32768 on), and clear of the usual ones above. */
const FREE_RANGE = { first: 20_000, last: 26_999 };

/** Whether nobody listens on it. */
export async function isFree(port: number): Promise<boolean> {
  const listening = await listen(port);
  await listening?.close();
  return listening !== null;
}

/**
 * A port that no connection gets by chance, held until it is closed. Until this process ends, no other process that asks
 * here gets it: its program may take half a minute to listen, and may start again.
 */
export async function holdFreePort(): Promise<Listening> {
  for (;;) {
    const port = randomInt(FREE_RANGE.first, FREE_RANGE.last + 1);
    const listening = (await claimPort(port)) ? await listen(port) : null;
    if (listening !== null) return listening;
  }
}

/** Ports that were free a moment ago, all different, claimed as those of {@link holdFreePort}. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Listening[] = [];
  for (let index = 0; index < count; index += 1) held.push(await holdFreePort());
  await Promise.all(held.map(({ close }) => close()));
  return held.map(({ port }) => port);
}

export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Claims a number by its UDP port, which nothing here uses: the system gives that to one process and takes it back when
 * the process ends, however it ends. The TCP port stays free for the program that it is meant for.
 * @returns false where another call has it
 */
export function claimPort(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.unref();
    socket.once('error', (error) => answerTaken(error, () => resolve(false), reject));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

/** @returns null where somebody listens */
function listen(port: number): Promise<Listening | null> {
  return new Promise((resolve, reject) => {
    // Whoever calls before the part is there is refused, as where nobody listens.
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => answerTaken(error, () => resolve(null), reject));
    // A port that is held is no reason for a process to stay.
    server.unref();
    server.listen(port, '127.0.0.1', () =>
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });
}

/** A port that is taken, or is not ours to take, is an answer; that no socket can be had at all is a fault. */
function answerTaken(error: NodeJS.ErrnoException, taken: () => void, fail: (error: Error) => void): void {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') taken();
  else fail(error);
}
