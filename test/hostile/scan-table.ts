import { SERVICE_ROWS } from '../../domain/services.ts';
import { PORTS, type PortName, type Ports } from '../../infra/dev/stack-ports.ts';

/**
 * What programs of strangers reach over the network, as `docs/threat-model.md` says and as the corpus observes it. `door`
 * is meant to be open, `open` is known to be, `as-machine` is as far as the machine reaches and is not tried.
 */
type Verdict = 'closed' | 'door' | 'open' | 'as-machine';

/** From where: a RUN instruction in the stack's engine of builds and in the machine's, a workload without credentials and with them. */
export const PLACES_SCANNED = ['build', 'machine', 'workload', 'granted'] as const;
export type PlaceScanned = (typeof PLACES_SCANNED)[number];

interface Target {
  readonly host: string;
  readonly port: number;
}

/** What is known only when the stack runs. */
export interface ScanFacts {
  readonly ports: Ports;
  /** Addresses of this machine but for its loopback. */
  readonly machine: readonly string[];
  /** Port of a program that listens on all addresses of this machine. */
  readonly anywhere: number;
  /** Another workload, and the port it is published at. */
  readonly victim: { readonly address: string; readonly name: string; readonly published: number };
  /** A container of somebody else on the engine's default bridge. */
  readonly neighbour: string;
}

export interface ScanRow {
  readonly what: string;
  readonly targets: (facts: ScanFacts) => readonly Target[];
  readonly verdicts: Readonly<Record<PlaceScanned, Verdict>>;
}

const everywhere = (verdict: Verdict): ScanRow['verdicts'] => ({
  build: verdict,
  machine: verdict,
  workload: verdict,
  granted: verdict,
});

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
const isDoor = (name: string): boolean =>
  SERVICE_ROWS.some((row) => row.name === name && row.reachableFromWorkloads && row.injectedAs !== null);
const NAMES = Object.keys(PORTS) as PortName[];
const DOORS = NAMES.filter(isDoor);
const OTHERS = NAMES.filter((name) => !isDoor(name));

const cross = (hosts: readonly string[], ports: readonly number[]): readonly Target[] =>
  hosts.flatMap((host) => ports.map((port) => ({ host, port })));
const portsOf = ({ ports }: ScanFacts, names: readonly PortName[]): readonly number[] =>
  names.map((name) => ports[name]);

export const SCAN_ROWS: readonly ScanRow[] = [
  {
    what: '`localhost`: every port of the stack but those of the next row',
    targets: (facts) => cross(LOOPBACK, portsOf(facts, OTHERS)),
    verdicts: everywhere('closed'),
  },
  {
    what: '`localhost`: services whose address a workload may be given',
    targets: (facts) => cross(LOOPBACK, portsOf(facts, DOORS)),
    verdicts: { ...everywhere('closed'), granted: 'door' },
  },
  {
    what: 'all of these by the gateway and by the addresses of the machine',
    targets: (facts) => cross(['gateway', ...facts.machine], portsOf(facts, NAMES)),
    verdicts: everywhere('closed'),
  },
  {
    what: 'programs of the machine that listen on all addresses, by the gateway and by the addresses of the machine',
    targets: ({ machine, anywhere }) => cross(['gateway', ...machine], [anywhere]),
    verdicts: { ...everywhere('closed'), machine: 'open' },
  },
  {
    what: 'another workload, by its address and by the name of its container',
    targets: ({ victim }) => cross([victim.address, victim.name], [4000]),
    verdicts: everywhere('closed'),
  },
  {
    what: 'another workload, by the port that is published for the router',
    targets: ({ machine, victim }) => cross(['gateway', ...LOOPBACK, ...machine], [victim.published]),
    verdicts: everywhere('closed'),
  },
  {
    what: 'containers of others on the default bridge of the engine',
    targets: ({ neighbour }) => cross([neighbour], [4000]),
    verdicts: { ...everywhere('closed'), machine: 'open' },
  },
  {
    what: 'metadata addresses and private networks',
    targets: () => cross(['169.254.169.254', 'fd00:ec2::254', 'metadata.google.internal'], [80]),
    verdicts: { ...everywhere('closed'), machine: 'as-machine' },
  },
];

const WORDS: Readonly<Record<Verdict, string>> = {
  closed: 'closed',
  door: 'open, as declared',
  open: '**open**',
  'as-machine': '**as from the machine**',
};

/** The table of the page. */
export function renderScanTable(): string {
  const head = ['reached from', '`RUN`', "`RUN` in the machine's engine", 'workload', 'workload with credentials'];
  const rows = SCAN_ROWS.map(({ what, verdicts }) => [what, ...PLACES_SCANNED.map((place) => WORDS[verdicts[place]])]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
