import type { EdgeError } from './error-page.ts';
import type { Finding } from './forward-request.ts';
import type { HostTarget } from './host-name.ts';
import { createRouteCache } from './route-cache.ts';

export const UNKNOWN_SERVICE: EdgeError = {
  status: 404,
  title: 'Nothing is deployed here',
  advice: 'Deploy it with fairlead deploy, or check the address.',
};
const LATER_SERVICE: EdgeError = {
  status: 404,
  title: 'Another service has this name by now',
  advice: 'Deploy the service that calls it again, if this is the one to call.',
};
const BROKEN_ROUTE: EdgeError = {
  status: 503,
  title: 'The route of this service cannot be read',
  advice: 'Deploy it again with fairlead deploy; the router’s log names the file.',
};

/**
 * Says where the workload of a service is at this moment, by its route. With the id of a service, the route has to be of
 * this one; those that an earlier version set do not tell.
 */
export function createDestinationOf(options: {
  readonly routesDirectory: string;
  readonly onError: (error: unknown) => void;
}): (host: HostTarget, serviceId?: string | null) => Finding {
  const findRoute = createRouteCache(options.routesDirectory);
  return (host, serviceId = null) => {
    try {
      const route = findRoute(host);
      if (route === null) return { error: UNKNOWN_SERVICE };
      const isOther = serviceId !== null && route.serviceId !== undefined && route.serviceId !== serviceId;
      return isOther ? { error: LATER_SERVICE } : { address: new URL(route.address) };
    } catch (error) {
      options.onError(error);
      return { error: BROKEN_ROUTE };
    }
  };
}
