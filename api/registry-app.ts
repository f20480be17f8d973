import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import { deployRoutes } from './registry/deploy-routes.ts';
import type { RegistryDeps } from './registry/deps.ts';
import { gatewayRoutes } from './registry/gateway-routes.ts';
import { createOwnRegistry } from './registry/own-registry.ts';
import { packageRoutes } from './registry/package-routes.ts';
import { pluginRoutes } from './registry/plugin-routes.ts';
import { serviceRoutes } from './registry/service-routes.ts';

export interface RegistryOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
}

/** The service registry: what is deployed, on one port. Images are pushed elsewhere, to the image registry. */
export function createRegistryApp(deps: RegistryDeps, options: RegistryOptions): Express {
  const registry = createOwnRegistry(deps);
  return createApp({
    ...options,
    title: apiTitle('registry'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      ...serviceRoutes(deps, registry),
      ...deployRoutes(deps, registry),
      ...gatewayRoutes(deps),
      ...pluginRoutes(deps, registry),
      ...packageRoutes(deps),
    ],
  });
}
