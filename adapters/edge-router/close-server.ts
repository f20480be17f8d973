import type { Server } from 'node:http';

/**
 * Takes no more requests, lets those in flight end for `graceMs`, then cuts them.
 * @param cutOthers at that moment also ends what the server no longer counts as its own, such as tunnels
 */
export async function closeServer(server: Server, graceMs: number, cutOthers: () => void = () => {}): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    cutOthers();
    server.closeAllConnections();
  }, graceMs);
  await promise;
  clearTimeout(timer);
}
