import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepDeadSessions } from '../../git/sweep-sessions.ts';

/** A Unix socket that leads to one address, while it is open. */
export interface ServiceSocket extends AsyncDisposable {
  /** Folder that holds the socket alone. */
  readonly folder: string;
  readonly name: string;
}

const PREFIX = 'fairlead-tests-';
const NAME = 'service';
/** Tests ask one after the other. */
const MOST_CONNECTIONS = 8;

/**
 * Opens a socket through which a container without a network reaches one address of this machine.
 * @param address such as `http://127.0.0.1:20001`
 */
export async function openServiceSocket(address: string): Promise<ServiceSocket> {
  const { hostname: host, port } = new URL(address);
  const open = new Set<Socket>();
  await sweepDeadSessions(tmpdir(), PREFIX);
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const server = createServer((client) => {
    const service = connect({ host, port: Number(port) });
    for (const socket of [client, service]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
    // What one side ends or breaks, the other side sees as such.
    client.on('error', () => service.destroy()).once('close', () => service.destroy());
    service.on('error', () => client.destroy()).once('close', () => client.end());
    client.pipe(service).pipe(client);
  });
  server.maxConnections = MOST_CONNECTIONS;
  const close = async (): Promise<void> => {
    server.close();
    for (const socket of open) socket.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    server.listen(join(folder, NAME));
    await once(server, 'listening');
    // Its user is another one in the container.
    await chmod(folder, 0o711);
    await chmod(join(folder, NAME), 0o666);
  } catch (error) {
    await close();
    throw error;
  }
  return { folder, name: NAME, [Symbol.asyncDispose]: close };
}
