import type { Route } from '../http/define-route.ts';
import { type BuildRoutesDeps, buildRoutes } from './build-routes.ts';
import { createLogPlaces } from './log-places.ts';
import { type RuntimeRoutesDeps, runtimeRoutes } from './runtime-routes.ts';
import { type ServiceLogRoutesDeps, serviceLogRoutes } from './service-log-routes.ts';
import { type TriggerRoutesDeps, triggerRoutes } from './trigger-routes.ts';

export type DeploysDeps = BuildRoutesDeps & RuntimeRoutesDeps & ServiceLogRoutesDeps & TriggerRoutesDeps;

/** Builds: what starts them, then what shows, follows, cancels and repeats them; what services print, and how they are. */
export function deploysRoutes(deps: DeploysDeps): readonly Route[] {
  const places = createLogPlaces();
  return [
    ...triggerRoutes(deps),
    ...buildRoutes(deps, places),
    ...serviceLogRoutes(deps, places),
    ...runtimeRoutes(deps),
  ];
}
