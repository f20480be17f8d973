import { FairleadError } from '../errors.ts';

/** A TCP socket on which a workload takes connections, in its own network. */
export interface ListeningSocket {
  /** Address it is bound to, such as `0.0.0.0`, `::` or `127.0.0.1`. */
  readonly host: string;
  readonly port: number;
}

/**
 * Where the port of a release comes from. `declared`: the author named it. `given`: nobody did, and the service is told
 * by PORT. `found`: the service listens there whatever it is told.
 */
export const PORT_RULES = ['declared', 'given', 'found'] as const;

export type PortRule = (typeof PORT_RULES)[number];

/** Where a service is asked. */
export interface Listener {
  readonly port: number;
  readonly portRule: PortRule;
  /** On the loopback of its container alone: its connections are forwarded to it. */
  readonly onLoopback: boolean;
}

/** Why a service cannot be reached, and what its author does about it. */
export interface Unreachable {
  readonly why: string;
  readonly remedy: string;
}

/** Of a service to which nothing can be forwarded. */
export function unreachableOnLoopback({ host, port }: ListeningSocket, wanted: number): Unreachable {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    why: `the service listens on ${address} only, where nothing outside its container reaches it`,
    remedy: `Listen on 0.0.0.0 and on the port in the variable PORT (${wanted}).`,
  };
}

/** @returns HEALTH_CHECK_FAILED: what cannot be forwarded to */
export function notForwarded({ port }: Pick<Listener, 'port'>): FairleadError {
  const { why, remedy } = unreachableOnLoopback({ host: '127.0.0.1', port }, port);
  return new FairleadError('HEALTH_CHECK_FAILED', `The readiness probe failed, ${why}.\n${remedy}`);
}

/**
 * What the sockets of a workload that does not answer at its port tell. `loopback`: nothing outside its container reaches
 * it. `other-port`: it can be reached, at another port.
 */
export type PortFinding =
  | ({ readonly kind: 'loopback' } & ListeningSocket)
  | { readonly kind: 'other-port'; readonly port: number };

/** Where programs usually serve their metrics and debuggers, and nobody their users. */
const NOT_FOR_USERS: ReadonlySet<number> = new Set([9090, 9091, 9100, 9113, 9121, 9187, 9229, 9230, 9464]);

/** True for a port that a program may open long before the one for its users. */
export function isLikelyForUsers(port: number): boolean {
  return !NOT_FOR_USERS.has(port);
}

/** @returns null where nothing listens, or something does where the service is asked */
export function findPort(
  sockets: readonly ListeningSocket[],
  { port, onLoopback }: Pick<Listener, 'port' | 'onLoopback'>,
): PortFinding | null {
  const reachable = sockets.filter((socket) => !isLoopback(socket)).map((socket) => socket.port);
  const own = sockets.find((socket) => socket.port === port);
  if (reachable.includes(port) || (onLoopback && own !== undefined)) return null;
  const likely = reachable.filter(isLikelyForUsers);
  // Of a server in front of another one, the one in front is for its users.
  if (own !== undefined && likely.length === 0) return { kind: 'loopback', ...own };
  // Other ports for metrics and debuggers mostly are above the one for their users.
  if (reachable.length > 0) return { kind: 'other-port', port: Math.min(...(likely.length > 0 ? likely : reachable)) };
  const [lowest] = sockets.toSorted((a, b) => a.port - b.port);
  return lowest === undefined ? null : { kind: 'loopback', ...lowest };
}

function isLoopback({ host }: ListeningSocket): boolean {
  return host.startsWith('127.') || host === '::1';
}
