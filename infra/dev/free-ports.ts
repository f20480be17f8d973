import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below those that systems give to whoever asks for any (from 32768 on), and clear of the usual ones above. */
const FREE_RANGE = { first: 20_000, last: 26_999 };

/** Whether nobody listens on it. */
export async function isFree(port: number): Promise<boolean> {
  const listening = await listen(port).catch(() => undefined);
  await listening?.close();
  return listening !== undefined;
}

/** A port that no connection gets by chance, held until it is closed. */
export async function holdFreePort(): Promise<Listening> {
  for (;;) {
    const listening = await listen(randomInt(FREE_RANGE.first, FREE_RANGE.last + 1)).catch(() => undefined);
    if (listening !== undefined) return listening;
  }
}

/** Ports that were free a moment ago, all different, for what no other program has to know. */
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

function listen(port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    // Whoever calls before the part is there is refused, as where nobody listens.
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    // A port that is held is no reason for a process to stay.
    server.unref();
    server.listen(port, '127.0.0.1', () =>
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });
}
