import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { FairleadError } from '../../domain/errors.ts';
import type { Env } from './project.ts';
import { errorLine, type Reporter } from './terminal.ts';

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

/** Those that programs of the stack listen on; what the environment names instead needs none. */
type Needed = readonly PortName[];

/** Ports below those that systems give to whoever asks for any (from 32768 on), and clear of the usual ones above. */
const FREE_RANGE = { first: 20_000, last: 26_999 };
const TRIES = 5;

/**
 * Starts a stack on its ports. `fixed`: the defaults or their variables, all of those needed free. `free`: any, held until
 * `start` calls `handOver`; where one is taken in the moment before its program listens, the stack is started again on
 * others.
 * @param start leaves nothing running when it fails
 * @throws FairleadError CONFLICT naming the port, what it is for and the variable to change; whatever `start` throws
 */
export async function startOnPorts<T>(
  mode: 'fixed' | 'free',
  { env, needed, report }: { env: Env; needed: Needed; report: Reporter },
  start: (ports: Ports, handOver: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (mode === 'fixed') return await start(await fixedPorts(env, needed), async () => {});
  for (let tries = 1; ; tries += 1) {
    const { ports, release } = await holdFreePorts();
    try {
      return await start(ports, release);
    } catch (error) {
      await release();
      if (tries === TRIES || !(await anyTaken(ports, needed))) throw error;
      report.line(`a port was taken before its program had it: starting again on others (${errorLine(error)})`);
    }
  }
}

/** The defaults or what their variables say. @throws FairleadError CONFLICT, VALIDATION_FAILED */
export async function fixedPorts(env: Env, needed: Needed): Promise<Ports> {
  const ports = portsFrom((name) => readPort(name, env));
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

/** Free ports, all different, which nobody else gets until they are released. */
export async function holdFreePorts(): Promise<{ ports: Ports; release: () => Promise<void> }> {
  const held: Listening[] = [];
  for (const _name of Object.keys(PORTS)) held.push(await holdFreePort());
  let next = 0;
  const ports = portsFrom(() => held[next++]?.port ?? 0);
  return { ports, release: async () => void (await Promise.all(held.splice(0).map(({ close }) => close()))) };
}

function portsFrom(portOf: (name: PortName) => number): Ports {
  const names = Object.keys(PORTS) as PortName[];
  return Object.fromEntries(names.map((name) => [name, portOf(name)])) as Record<PortName, number>;
}

function readPort(name: PortName, env: Env): number {
  const { usual, variable } = PORTS[name];
  const given = env[variable];
  if (!given) return usual;
  const port = Number(given);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new FairleadError('VALIDATION_FAILED', `${variable}=${given} is not a port: give a number from 1 to 65535`);
}

/** Whether somebody else has one of the ports of a start that failed: nothing of ours runs any more. */
async function anyTaken(ports: Ports, needed: Needed): Promise<boolean> {
  const free = await Promise.all(needed.map((name) => isFree(ports[name])));
  return free.includes(false);
}

async function isFree(port: number): Promise<boolean> {
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

interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

function listen(port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) }),
    );
  });
}
