import { once } from 'node:events';
import type { Server } from 'node:http';
import { FairleadError } from '../../domain/errors.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Names the port to whoever has to change it. */
  readonly portVariable: string;
}

/** Has a server listen. @throws CONFLICT when the port is in use */
export async function listen(server: Server, { host, port, portVariable }: ListenAddress): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const message = `Cannot listen on ${host}:${port}: choose another ${portVariable} or end what uses it`;
    throw new FairleadError('CONFLICT', message, { cause });
  }
}

/** Ends a server at once, with the connections that it has. */
export async function closeAtOnce(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
