import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import type { LockerDeps } from './locker/deps.ts';
import { lockerRoutes } from './locker/routes.ts';

export interface LockerOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
}

/** The locker: credentials of orgs and people on one port. */
export function createLockerApp(deps: LockerDeps, options: LockerOptions): Express {
  return createApp({
    ...options,
    title: apiTitle('locker'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: lockerRoutes(deps),
  });
}
