/** Where a relay listens in its network, and where that leads. */
export type RelayRoute = OutwardRoute | InwardRoute;

/** To a proxy of the platform. */
export interface OutwardRoute {
  readonly host: string;
  readonly port: number;
  /** Unix socket of the proxy. */
  readonly socket: string;
  /** Host and port to which the proxy is asked for a tunnel; without it the proxy gets what the client sends. */
  readonly to?: string;
}

/** To a program of the relay's own network. */
export interface InwardRoute {
  readonly host: string;
  readonly port: number;
  /** Port at which the program listens on the loopback. */
  readonly loopbackPort: number;
}
