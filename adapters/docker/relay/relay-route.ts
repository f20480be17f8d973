/** Where a relay listens in its network, and where that leads. */
export interface RelayRoute {
  readonly host: string;
  readonly port: number;
  /** Unix socket of a proxy of the platform. */
  readonly socket: string;
  /** Host and port to which the proxy is asked for a tunnel; without it the proxy gets what the client sends. */
  readonly to?: string;
}
