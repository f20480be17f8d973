import { createServer } from 'node:net';
import { FairleadError } from '../../domain/errors.ts';
import type { Env } from './project.ts';

/** Every port of a stack: its default and the variable that changes it. */
export const PORTS = {
  idp: { usual: 3001, variable: 'IDP_PORT', title: 'the identity provider' },
  api: { usual: 3002, variable: 'PORT', title: 'the API' },
  audit: { usual: 3005, variable: 'AUDIT_PORT', title: 'the audit ledger' },
  edge: { usual: 8000, variable: 'EDGE_PORT', title: 'the public router' },
  temporal: { usual: 7233, variable: 'FAIRLEAD_TEMPORAL_PORT', title: 'Temporal' },
  temporalUi: { usual: 8233, variable: 'FAIRLEAD_TEMPORAL_UI_PORT', title: 'the Temporal UI' },
  mongo: { usual: 27117, variable: 'FAIRLEAD_MONGO_PORT', title: 'MongoDB' },
  registry: { usual: 5050, variable: 'FAIRLEAD_REGISTRY_PORT', title: 'the image registry' },
  firstChain: { usual: 8545, variable: 'FAIRLEAD_CHAIN_PORT', title: 'the first chain of the audit ledger' },
  secondChain: { usual: 8546, variable: 'FAIRLEAD_SECOND_CHAIN_PORT', title: 'the second chain of the audit ledger' },
} as const;

export type PortName = keyof typeof PORTS;
export type Ports = Readonly<Record<PortName, number>>;

/**
 * Chooses the ports of a stack. `fixed`: the defaults or their variables, all of those needed free. `free`: any.
 * @throws FairleadError CONFLICT naming the port, what it is for and the variable to change
 */
export async function choosePorts(mode: 'fixed' | 'free', env: Env, needed: readonly PortName[]): Promise<Ports> {
  if (mode === 'free') return freePorts();
  const ports = {
    idp: readPort('idp', env),
    api: readPort('api', env),
    audit: readPort('audit', env),
    edge: readPort('edge', env),
    temporal: readPort('temporal', env),
    temporalUi: readPort('temporalUi', env),
    mongo: readPort('mongo', env),
    registry: readPort('registry', env),
    firstChain: readPort('firstChain', env),
    secondChain: readPort('secondChain', env),
  };
  for (const name of needed) {
    const { title, variable } = PORTS[name];
    if (await isFree(ports[name])) continue;
    throw new FairleadError(
      'CONFLICT',
      `port ${ports[name]} for ${title} is in use: stop what uses it, or choose another with ${variable}=<port>`,
    );
  }
  return ports;
}

function readPort(name: PortName, env: Env): number {
  const { usual, variable } = PORTS[name];
  const given = env[variable];
  if (!given) return usual;
  const port = Number(given);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new FairleadError('VALIDATION_FAILED', `${variable}=${given} is not a port: give a number from 1 to 65535`);
}

async function isFree(port: number): Promise<boolean> {
  const listening = await listen(port).catch(() => undefined);
  await listening?.close();
  return listening !== undefined;
}

async function freePorts(): Promise<Ports> {
  // All held at once, so that no two of them are the same.
  const held = await Promise.all(Object.keys(PORTS).map(() => listen(0)));
  const names = Object.keys(PORTS) as PortName[];
  await Promise.all(held.map(({ close }) => close()));
  return Object.fromEntries(names.map((name, index) => [name, held[index]?.port ?? 0])) as Record<PortName, number>;
}

function listen(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
  });
}
