import type { EdgeError } from './error-page.ts';
import type { FindAddress } from './forward-request.ts';
import type { HostTarget } from './host-name.ts';
import { createRouteCache } from './route-cache.ts';

export const UNKNOWN_SERVICE: EdgeError = {
  status: 404,
  title: 'Nothing is deployed here',
  advice: 'Deploy it with fairlead deploy, or check the address.',
};
const BROKEN_ROUTE: EdgeError = {
  status: 503,
  title: 'The route of this service cannot be read',
  advice: 'Deploy it again with fairlead deploy; the router’s log names the file.',
};

/** Says where the workload of a service is at this moment, by its route. */
export function createDestinationOf(options: {
  readonly routesDirectory: string;
  readonly onError: (error: unknown) => void;
}): (host: HostTarget) => ReturnType<FindAddress> {
  const findRoute = createRouteCache(options.routesDirectory);
  return (host) => {
    try {
      const route = findRoute(host);
      return route === null ? { error: UNKNOWN_SERVICE } : { address: new URL(route.address) };
    } catch (error) {
      options.onError(error);
      return { error: BROKEN_ROUTE };
    }
  };
}
