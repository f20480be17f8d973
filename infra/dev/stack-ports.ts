import { FairleadError } from '../../domain/errors.ts';
import { SERVICE_ROWS, type ServiceName } from '../../domain/services.ts';
import { holdFreePort, isFree, type Listening } from './free-ports.ts';
import type { PortRow } from './parts/embedded-part.ts';
import { PART_ROWS, type PartPort } from './parts.ts';
import type { Env } from './project.ts';
import { errorLine, type Reporter } from './terminal.ts';

/** The ports of a stack: of each service by its name, of the public router's two listeners, and of the embedded parts. */
export type PortName = ServiceName | 'edge' | 'edgeTls' | PartPort;
export type Ports = Readonly<Record<PortName, number>>;

/** The one table of ports. */
export const PORTS = Object.fromEntries([
  ...SERVICE_ROWS.map(({ name, title, defaultPort, portVariable }) => {
    return [name, { usual: defaultPort, variable: portVariable, title: `the ${title}` }];
  }),
  ['edge', { usual: 8000, variable: 'EDGE_PORT', title: 'the public router' }],
  ['edgeTls', { usual: 8443, variable: 'EDGE_TLS_PORT', title: 'the public router over TLS' }],
  ...PART_ROWS.flatMap(({ ports }) => Object.entries(ports)),
]) as Readonly<Record<PortName, PortRow>>;

const NAMES = Object.keys(PORTS) as PortName[];

/** The ports of the parts that start with the stack, and of the platform; what the environment names instead needs none. */
export function neededPorts(env: Env): readonly PortName[] {
  const idle = PART_ROWS.filter(({ starts, replacedBy }) => starts !== 'always' || env[replacedBy]);
  const unneeded = new Set(idle.flatMap(({ ports }) => Object.keys(ports)));
  if (!servesTls(env)) unneeded.add('edgeTls');
  return NAMES.filter((name) => !unneeded.has(name));
}

/** Whether the router listens over TLS: where certificates are issued, or its port is named. */
export function servesTls(env: Env): boolean {
  return Boolean(env.ACME_DIRECTORY_URL || env[PORTS.edgeTls.variable]);
}

/** The ports of one stack, from its start to its end. */
export interface StackPorts {
  readonly ports: Ports;
  /** Gives ports up for programs to listen on, and leaves the others held. @throws FairleadError CONFLICT as fixedPorts */
  readonly handOver: (names: readonly string[]) => Promise<void>;
  /** Gives up those that are still held. */
  readonly release: () => Promise<void>;
}

const TRIES = 5;

/**
 * Starts a stack on its ports. `fixed`: the defaults or their variables, all of those needed free. `free`: any, held until
 * `start` hands them over; where one is taken in the moment before its program listens, the stack is started again on
 * others.
 * @param needed handed over by `start`; the others are for parts that start later, or never
 * @param start leaves nothing running and no port held when it fails
 * @throws FairleadError CONFLICT naming the port, what it is for and the variable to change; whatever `start` throws
 */
export async function startOnPorts<T>(
  mode: 'fixed' | 'free',
  { env, needed, report }: { env: Env; needed: readonly PortName[]; report: Reporter },
  start: (ports: StackPorts) => Promise<T>,
): Promise<T> {
  if (mode === 'fixed') {
    const ports = await fixedPorts(env, needed);
    return await start({ ports, handOver: (names) => requireFree(ports, names), release: async () => {} });
  }
  for (let tries = 1; ; tries += 1) {
    const held = await holdFreePorts();
    try {
      return await start(held);
    } catch (error) {
      await held.release();
      if (tries === TRIES || !(await anyTaken(held.ports, needed))) throw error;
      report.line(`a port was taken before its program had it: starting again on others (${errorLine(error)})`);
    }
  }
}

/** The defaults or what their variables say. @throws FairleadError CONFLICT, VALIDATION_FAILED */
export async function fixedPorts(env: Env, needed: readonly PortName[]): Promise<Ports> {
  const ports = portsFrom((name) => readPort(name, env));
  await requireFree(ports, needed);
  return ports;
}

/** Free ports, all different, which nobody else gets until they are handed over or released. */
export async function holdFreePorts(): Promise<StackPorts> {
  const held = new Map<string, Listening>();
  for (const name of NAMES) held.set(name, await holdFreePort());
  const handOver = async (names: readonly string[]): Promise<void> => {
    const holders = names.flatMap((name) => held.get(name) ?? []);
    for (const name of names) held.delete(name);
    await Promise.all(holders.map(({ close }) => close()));
  };
  const ports = portsFrom((name) => held.get(name)?.port ?? 0);
  return { ports, handOver, release: () => handOver([...held.keys()]) };
}

function portsFrom(portOf: (name: PortName) => number): Ports {
  return Object.fromEntries(NAMES.map((name) => [name, portOf(name)])) as Record<PortName, number>;
}

function readPort(name: PortName, env: Env): number {
  const { usual, variable } = PORTS[name];
  const given = env[variable];
  if (!given) return usual;
  const port = Number(given);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new FairleadError('VALIDATION_FAILED', `${variable}=${given} is not a port: give a number from 1 to 65535`);
}

async function requireFree(ports: Ports, names: readonly string[]): Promise<void> {
  for (const name of NAMES.filter((one) => names.includes(one))) {
    const { title, variable } = PORTS[name];
    if (await isFree(ports[name])) continue;
    throw new FairleadError(
      'CONFLICT',
      `port ${ports[name]} for ${title} is in use: stop what uses it, or choose another with ${variable}=<port>`,
    );
  }
}

/** Whether somebody else has one of the ports of a start that failed: nothing of ours runs any more. */
async function anyTaken(ports: Ports, needed: readonly PortName[]): Promise<boolean> {
  const free = await Promise.all(needed.map((name) => isFree(ports[name])));
  return free.includes(false);
}
