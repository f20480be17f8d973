import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import ipaddr from 'ipaddr.js';
import type { MachineShell } from './machine-shell.ts';
import { stackNetworks } from './workload-network.ts';

/** Networks that are not the internet (RFC 6890), and addresses at which clouds answer with a machine's credentials. */
const INNER_NETWORKS = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];

const TRANSPORTS = ['tcp', 'udp'];

/** An address or network, of which workloads reach one port or all. */
export interface OpenDestination {
  /** IPv4, such as `10.0.3.0/24`. */
  readonly network: string;
  /** Null: all of them. */
  readonly port: number | null;
}

export interface WorkloadFirewallOptions {
  readonly docker: Docker;
  readonly stackId: string;
  readonly shell: MachineShell;
  /** What workloads reach all the same, of this machine and of networks that are not the internet. */
  readonly open: readonly OpenDestination[];
  /** Of this machine: the public router, where others than this machine reach it. */
  readonly routerPort: number | null;
  /** A folder that a restart of the machine empties; see `volatileFolder`. Null where there is none. */
  readonly volatileFolder: string | null;
  /** Where this machine names its name servers; default: where engines look for them. */
  readonly resolverFiles?: readonly string[];
}

/** An engine that finds systemd's stub in the first gives containers the name servers behind it, of the second. */
const RESOLVER_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Keeps workloads from this machine and from networks that are not the internet. */
export interface WorkloadFirewall {
  /**
   * A file that is there once the rules were set since the machine started, and that workloads need for their start: else
   * the engine, which starts them again after a reboot, would let them run without the rules. Null where no folder is
   * emptied by a restart of the machine.
   */
  readonly gate: string | null;
  /**
   * Sets its rules for the networks of the stack. Idempotent: the rules are replaced in one act. To be repeated, because
   * a reboot, or another program of the machine, takes them away. @throws when the machine refuses
   */
  renew(signal: AbortSignal): Promise<void>;
  remove(signal: AbortSignal): Promise<void>;
}

/**
 * The firewall by rules of iptables, which engines use as well. What comes in from the bridge of the stack goes through two
 * chains of the stack's own: to this machine (INPUT), and through it (DOCKER-USER, which the engine leaves to others).
 */
export function createWorkloadFirewall(options: WorkloadFirewallOptions): WorkloadFirewall {
  const { docker, stackId, shell } = options;
  const folder = options.volatileFolder === null ? null : gateFolder(stackId, options.volatileFolder);
  const gate = folder === null ? null : join(folder, 'firewall-is-set');
  const opening = folder === null ? [] : [`mkdir -p ${folder}`, `: > ${gate}`];
  const closing = folder === null ? [] : [`rm -f ${gate}`, `rmdir ${folder} 2> /dev/null || true`];
  return {
    gate,
    renew: async (signal) => {
      const networks = await stackNetworks(docker, stackId);
      const bridges = await Promise.all(networks.map(({ Id }) => bridgeOf(docker, Id)));
      const rules = chains(stackId, { ...options, nameservers: await nameservers(options.resolverFiles) });
      await run(
        shell,
        [`iptables-restore --wait --noflush <<'RULES'\n${rules}\nRULES`, ...jumps(stackId, bridges), ...opening],
        signal,
      );
    },
    remove: (signal) => run(shell, [...closing, ...jumps(stackId, []), ...removals(stackId)], signal),
  };
}

/** In the folder that a restart of the machine empties. */
export const gateFolder = (stackId: string, volatileFolder: string): string =>
  join(volatileFolder, `fairlead-${stackId}`);

const run = (shell: MachineShell, commands: readonly string[], signal: AbortSignal): Promise<void> =>
  shell(['set -e', ...commands].join('\n'), signal);

const chainsOf = (stackId: string) => ({ INPUT: `FL-${stackId}-IN`, FORWARD: `FL-${stackId}-OUT` }) as const;

function chains(
  stackId: string,
  {
    open,
    routerPort,
    nameservers,
  }: Pick<WorkloadFirewallOptions, 'open' | 'routerPort'> & { nameservers: readonly string[] },
): string {
  const { INPUT: toMachine, FORWARD: through } = chainsOf(stackId);
  const refuse = '-j REJECT --reject-with icmp-admin-prohibited';
  const both = [
    '-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN',
    // The engine asks them from the network of the container.
    ...nameservers.flatMap((address) => TRANSPORTS.map((kind) => `-d ${address} -p ${kind} --dport 53 -j RETURN`)),
    ...open.flatMap(({ network, port }) =>
      port === null
        ? [`-d ${network} -j RETURN`]
        : TRANSPORTS.map((kind) => `-d ${network} -p ${kind} --dport ${port} -j RETURN`),
    ),
  ];
  const router = routerPort === null ? [] : [`-p tcp --dport ${routerPort} -j RETURN`];
  return [
    ...['*filter', `:${toMachine} - [0:0]`, `:${through} - [0:0]`],
    ...[...both, ...router, refuse].map((rule) => `-A ${toMachine} ${rule}`),
    ...[...both, ...INNER_NETWORKS.map((network) => `-d ${network} ${refuse}`)].map((rule) => `-A ${through} ${rule}`),
    'COMMIT',
  ].join('\n');
}

/** Commands that lead what comes in from the bridges, and from no other, into the chains. */
function jumps(stackId: string, bridges: readonly string[]): string[] {
  const { INPUT: toMachine, FORWARD: through } = chainsOf(stackId);
  return [
    'forward=FORWARD; if iptables --wait -S DOCKER-USER > /dev/null 2>&1; then forward=DOCKER-USER; fi',
    ...bridges.flatMap((bridge) =>
      [`INPUT -i ${bridge} -j ${toMachine}`, `$forward -i ${bridge} -j ${through}`].map(
        (rule) => `iptables --wait -C ${rule} 2> /dev/null || iptables --wait -I ${rule}`,
      ),
    ),
    removalOfOthers({ from: 'INPUT', to: toMachine, kept: bridges }),
    removalOfOthers({ from: '$forward', to: through, kept: bridges }),
    // Of the time before the engine made its own chain.
    `if [ $forward != FORWARD ]; then ${removalOfOthers({ from: 'FORWARD', to: through, kept: [] })}; fi`,
  ];
}

function removalOfOthers({ from, to, kept }: { from: string; to: string; kept: readonly string[] }): string {
  const others = kept.map((bridge) => `grep -v -- "-i ${bridge} " |`).join(' ');
  const remove = 'while read -r rule; do iptables --wait -D $rule || true; done';
  return `iptables --wait -S ${from} | grep -- '-j ${to}$' | ${others} sed 's/^-A //' | ${remove}`;
}

/** Of two that remove it at once, one finds it gone. */
function removals(stackId: string): string[] {
  return Object.values(chainsOf(stackId)).map((chain) => {
    const isGone = `! iptables --wait -S ${chain} > /dev/null 2>&1`;
    return `if iptables --wait -F ${chain} 2> /dev/null; then iptables --wait -X ${chain} || ${isGone}; fi`;
  });
}

/** The name of the machine's interface for a network. */
async function bridgeOf(docker: Docker, id: string): Promise<string> {
  const { Options: options } = await docker.getNetwork(id).inspect();
  return options?.['com.docker.network.bridge.name'] ?? `br-${id.slice(0, 12)}`;
}

/** Of this machine, as the engine gives them to containers. */
async function nameservers(files: readonly string[] = RESOLVER_FILES): Promise<string[]> {
  const text = (await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))).join('\n');
  const addresses = [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
  return addresses.filter((address) => ipaddr.IPv4.isValidFourPartDecimal(address));
}
