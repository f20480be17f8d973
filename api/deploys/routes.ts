import type { Route } from '../http/define-route.ts';
import { createLogPlaces } from '../logs/log-places.ts';
import { type PlatformLogRoutesDeps, platformLogRoutes } from '../logs/platform-log-routes.ts';
import { type BuildRoutesDeps, buildRoutes } from './build-routes.ts';
import { type RuntimeRoutesDeps, runtimeRoutes } from './runtime-routes.ts';
import { type ServiceLogRoutesDeps, serviceLogRoutes } from './service-log-routes.ts';
import { type TriggerRoutesDeps, triggerRoutes } from './trigger-routes.ts';

export type DeploysDeps = BuildRoutesDeps &
  RuntimeRoutesDeps &
  ServiceLogRoutesDeps &
  PlatformLogRoutesDeps &
  TriggerRoutesDeps;

/** Builds: what starts them, then what shows, follows, cancels and repeats them; what services and the platform print, and how services are. */
export function deploysRoutes(deps: DeploysDeps): readonly Route[] {
  const places = createLogPlaces();
  return [
    ...triggerRoutes(deps),
    ...buildRoutes(deps, places),
    ...serviceLogRoutes(deps, places),
    ...platformLogRoutes(deps, places),
    ...runtimeRoutes(deps),
  ];
}
