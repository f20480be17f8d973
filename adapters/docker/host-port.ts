import { createServer } from 'node:net';
import type Docker from 'dockerode';
import { FairleadError } from '../../domain/errors.ts';
import { LABELS } from './labels.ts';

/** Below the ephemeral ports, so that no outgoing connection takes one while its container is down. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;

/** Picks host ports for containers; a port is kept for its caller until it is released. */
export interface HostPorts {
  /** A port that no container of the engine claims and nothing listens on. */
  pick(): Promise<number>;
  release(port: number): void;
}

export function createHostPorts(docker: Docker): HostPorts {
  const picked = new Set<number>();
  return {
    pick: async () => {
      const claimed = await claimedPorts(docker);
      const start = Math.floor(Math.random() * PORT_COUNT);
      for (let step = 0; step < PORT_COUNT; step += 1) {
        const port = FIRST_PORT + ((start + step) % PORT_COUNT);
        if (claimed.has(port) || picked.has(port)) continue;
        picked.add(port);
        if (await isFree(port)) return port;
        picked.delete(port);
      }
      const text = `No free port from ${FIRST_PORT} to ${FIRST_PORT + PORT_COUNT - 1}: stop what listens there`;
      throw new FairleadError('INSTALL_FAILED', text, { retryable: true });
    },
    release: (port) => {
      picked.delete(port);
    },
  };
}

/** True for the engine's words about a host port that is taken. */
export function saysPortTaken(message: string): boolean {
  return /port is already allocated|address already in use/i.test(message);
}

/** Ports of all containers, stopped ones as well: those come back on their port. */
async function claimedPorts(docker: Docker): Promise<Set<number>> {
  const containers = await docker.listContainers({ all: true, filters: { label: [LABELS.hostPort] } });
  return new Set(containers.map((container) => Number(container.Labels[LABELS.hostPort])));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
