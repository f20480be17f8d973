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

/** @returns null where nothing listens, or something does at the port */
export function findPort(sockets: readonly ListeningSocket[], port: number): PortFinding | null {
  const reachable = sockets.filter((socket) => !isLoopback(socket)).map((socket) => socket.port);
  if (reachable.includes(port)) return null;
  const own = sockets.find((socket) => socket.port === port);
  if (own !== undefined) return { kind: 'loopback', ...own };
  const likely = reachable.filter(isLikelyForUsers);
  // Other ports for metrics and debuggers mostly are above the one for their users.
  if (reachable.length > 0) return { kind: 'other-port', port: Math.min(...(likely.length > 0 ? likely : reachable)) };
  const [lowest] = sockets.toSorted((a, b) => a.port - b.port);
  return lowest === undefined ? null : { kind: 'loopback', ...lowest };
}

function isLoopback({ host }: ListeningSocket): boolean {
  return host.startsWith('127.') || host === '::1';
}
