import type { EdgeError } from './error-page.ts';
import { refusalOf } from './forward-headers.ts';
import type { FindAddress } from './forward-request.ts';
import { createForwardingServer, type EdgeTimeouts, type ForwardingServer } from './forwarding-server.ts';
import { parseHost } from './host-name.ts';
import { createRouteCache, type FindRoute } from './route-cache.ts';

export interface EdgeServerOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts>;
}

const UNKNOWN: EdgeError = {
  status: 404,
  title: 'Nothing is deployed here',
  advice: 'Deploy it with fairlead deploy, or check the address.',
};
const BROKEN_ROUTE: EdgeError = {
  status: 503,
  title: 'The route of this service cannot be read',
  advice: 'Deploy it again with fairlead deploy; the router’s log names the file.',
};

/**
 * The local router: reaches each service by its host name. The route is looked up for every request, so that a switch
 * needs no word to this process.
 */
export function createEdgeServer(options: EdgeServerOptions): ForwardingServer {
  const { routesDirectory, domain, onError, timeouts } = options;
  return createForwardingServer({
    find: createFinder(createRouteCache(routesDirectory), domain, onError),
    onError,
    timeouts,
  });
}

function createFinder(findRoute: FindRoute, domain: string, onError: (error: unknown) => void): FindAddress {
  return (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const host = parseHost(request.headers.host, domain);
    if (host === null) return { error: UNKNOWN };
    try {
      const route = findRoute(host);
      return route === null ? { error: UNKNOWN } : { address: new URL(route.address) };
    } catch (error) {
      onError(error);
      return { error: BROKEN_ROUTE };
    }
  };
}
