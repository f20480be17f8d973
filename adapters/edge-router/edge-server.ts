import { createDestinationOf, UNKNOWN_SERVICE } from './destination-of.ts';
import { refusalOf } from './forward-headers.ts';
import type { FindAddress } from './forward-request.ts';
import { createForwardingServer, type EdgeTimeouts, type ForwardingServer } from './forwarding-server.ts';
import { parseHost } from './host-name.ts';

export interface EdgeServerOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts>;
}

/**
 * The local router: reaches each service by its host name. The route is looked up for every request, so that a switch
 * needs no word to this process.
 */
export function createEdgeServer(options: EdgeServerOptions): ForwardingServer {
  const { domain, onError, timeouts } = options;
  const destinationOf = createDestinationOf(options);
  const find: FindAddress = (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const host = parseHost(request.headers.host, domain);
    return host === null ? { error: UNKNOWN_SERVICE } : destinationOf(host);
  };
  return createForwardingServer({ find, onError, timeouts });
}
