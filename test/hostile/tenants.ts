import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { docker } from '../e2e/sample-service.ts';
import type { Files } from './attacker.ts';
import type { HostileStack } from './hostile-stack.ts';
import { SCAN_ROWS, type ScanFacts } from './scan-table.ts';
import { ANSWERS, UPGRADES } from './upstream-answers.ts';
import type { Victim } from './victim.ts';

export const program = (name: string): Promise<string> =>
  readFile(new URL(`programs/${name}.mjs`, import.meta.url), 'utf8');

/** Answers to send from a workload: those that end by themselves. */
export const SENT = { answers: ANSWERS.filter(({ open }) => open === undefined), upgrades: UPGRADES } as const;

export interface Surroundings extends AsyncDisposable {
  readonly facts: ScanFacts;
}

/** Puts a program on all addresses of this machine, and a container on the engine's default bridge. */
export async function placeNeighbours(h: HostileStack, victim: Victim): Promise<Surroundings> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const container = await docker.createContainer({
    Image: 'node:24-alpine',
    Cmd: ['node', '-e', 'require("net").createServer((one) => one.destroy()).listen(4000)'],
    HostConfig: { NetworkMode: 'bridge' },
  });
  await container.start();
  const neighbour = await container.inspect();
  const other = await docker.getContainer(victim.containerId).inspect();
  const [network] = Object.values(other.NetworkSettings.Networks);
  const published = Object.values(other.NetworkSettings.Ports).flat()[0]?.HostPort;
  const machine = Object.entries(networkInterfaces())
    // Networks of other containers come and go: an address that is the machine's no longer is somebody else's.
    .filter(([name]) => !name.startsWith('br-'))
    .flatMap(([, addresses = []]) => addresses)
    .flatMap(({ address, internal, scopeid }) => (internal || scopeid ? [] : [address]));
  const facts = {
    ports: h.stack.ports,
    machine,
    anywhere: (server.address() as AddressInfo).port,
    victim: { address: network?.IPAddress ?? '', name: other.Name.slice(1), published: Number(published) },
    neighbour: neighbour.NetworkSettings.Networks.bridge?.IPAddress ?? '',
  };
  const dispose = async (): Promise<void> => {
    server.close();
    await container.remove({ force: true });
  };
  return { facts, [Symbol.asyncDispose]: dispose };
}

/** The programs of the attack with what they look for, as files of an app. */
export async function attackFiles(h: HostileStack, victim: Victim, facts: ScanFacts): Promise<Files> {
  const hashes = Object.entries({ ...h.secrets, ...victim.secrets }).map(([kind, secret]) => {
    return [kind, createHash('sha256').update(secret).digest('hex')];
  });
  const targets = SCAN_ROWS.map((row) => [row.what, row.targets(facts)]);
  const encoded = (rows: readonly { readonly bytes: string }[]): string[] =>
    rows.map(({ bytes }) => Buffer.from(bytes, 'latin1').toString('base64'));
  return {
    'look.mjs': await program('look'),
    'scan.mjs': await program('scan'),
    'noise.mjs': await program('noise'),
    'server.mjs': await program('server'),
    'look.json': JSON.stringify({ hashes: Object.fromEntries(hashes), folders: [h.home, h.dataDir] }),
    'scan.json': JSON.stringify(Object.fromEntries(targets)),
    'answers.json': JSON.stringify({ answers: encoded(SENT.answers), upgrades: encoded(SENT.upgrades) }),
    unique: randomBytes(8).toString('hex'),
  };
}

export interface Scanned {
  readonly found: Readonly<Record<string, readonly string[]>>;
  /** Ports of the own network that something listens on. */
  readonly listening: readonly number[];
  readonly gateways: number;
}

/** What a scan printed, in a log or an answer. */
export function scanIn(text: string): Scanned {
  const json = /SCAN (\{.*\})/.exec(text)?.[1];
  if (json === undefined) throw new Error(`no scan in ${text.slice(-2_000)}`);
  return JSON.parse(json);
}
