import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { ROUTER_ADDRESS } from '../domain/status-page/router-address.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import { incidentChangeRoutes } from './incidents/change-routes.ts';
import type { IncidentsDeps } from './incidents/deps.ts';
import { incidentRoutes } from './incidents/incident-routes.ts';
import { changeRoutes } from './monitors/change-routes.ts';
import { createRoute } from './monitors/create-route.ts';
import type { MonitorsDeps } from './monitors/deps.ts';
import { heartbeatRoutes } from './monitors/heartbeat-routes.ts';
import { historyRoutes } from './monitors/history-routes.ts';
import { maintenanceRoutes } from './monitors/maintenance-routes.ts';
import { metricsRoute } from './monitors/metrics-route.ts';
import { monitorRoutes } from './monitors/monitor-routes.ts';
import { recurringRoutes } from './monitors/recurring-routes.ts';
import { registerRoute } from './monitors/register-route.ts';
import { reportRoutes } from './monitors/report-routes.ts';
import { rotateTokenRoute } from './monitors/rotate-token-route.ts';
import { secretRoutes } from './monitors/secret-routes.ts';
import { unregisterRoute } from './monitors/unregister-route.ts';
import { channelRoutes } from './notifications/channel-routes.ts';
import { deliveryRoutes } from './notifications/delivery-routes.ts';
import type { NotificationsDeps } from './notifications/deps.ts';
import { escalationRoutes } from './notifications/escalation-routes.ts';
import { channelLinkRoutes } from './notifications/link-routes.ts';
import { quietRoutes } from './notifications/quiet-routes.ts';
import { badgeRoutes } from './status-page/badge-routes.ts';
import type { DashboardDeps, DashboardSignIn } from './status-page/dashboard/deps.ts';
import { dashboardRoutes, monitorErrorPage } from './status-page/dashboard/routes.ts';
import { feedRoutes } from './status-page/feed-routes.ts';
import { statuspageRoutes } from './status-page/json-routes.ts';
import { statusPageRoutes } from './status-page/page-routes.ts';
import { pulseStatusRoute } from './status-page/pulse-status-route.ts';
import type { StatusReader } from './status-page/status-reader.ts';
import { subscribeRoutes } from './status-page/subscribe-routes.ts';
import { subscriberAdminRoutes } from './status-page/subscriber-admin-routes.ts';
import type { SubscriberDeps } from './status-page/subscriber-deps.ts';
import { subscriberLinkRoutes } from './status-page/subscriber-link-routes.ts';

/** What the modules of the uptime monitor need. */
export type MonitorDeps = MonitorsDeps &
  IncidentsDeps &
  NotificationsDeps &
  SubscriberDeps &
  Pick<DashboardDeps, 'deploys'>;

export interface MonitorOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
  readonly reader: StatusReader;
  /** How people sign in to the dashboard. */
  readonly pages: Omit<DashboardSignIn, 'authenticate'>;
}

/** The uptime monitor: what is watched, incidents, whom they are told, and the public status page, on one port. */
export function createMonitorApp(deps: MonitorDeps, options: MonitorOptions): Express {
  const { reader, pages, authenticate } = options;
  const statusDeps = { ...deps, log: options.log };
  return createApp({
    ...options,
    trustedProxies: [...(options.trustedProxies ?? []), ROUTER_ADDRESS],
    errorPage: monitorErrorPage,
    title: apiTitle('monitor'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      registerRoute(deps),
      unregisterRoute(deps),
      pulseStatusRoute(statusDeps, reader),
      ...monitorRoutes(deps),
      createRoute(deps),
      ...changeRoutes(deps),
      ...maintenanceRoutes(deps),
      ...recurringRoutes(deps),
      rotateTokenRoute(deps),
      ...secretRoutes(deps),
      ...historyRoutes(deps),
      ...reportRoutes(deps),
      ...heartbeatRoutes(deps),
      metricsRoute(deps),
      ...incidentRoutes(deps),
      ...incidentChangeRoutes(deps),
      ...channelRoutes(deps),
      ...quietRoutes(deps),
      ...escalationRoutes(deps),
      ...deliveryRoutes(deps),
      ...channelLinkRoutes(deps),
      ...statuspageRoutes(statusDeps, reader),
      ...feedRoutes(statusDeps, reader),
      ...badgeRoutes(statusDeps),
      ...subscribeRoutes(deps, reader),
      ...subscriberLinkRoutes(deps),
      ...subscriberAdminRoutes(deps),
      ...statusPageRoutes(statusDeps, reader),
      ...dashboardRoutes({ ...deps, ...pages, authenticate }),
    ],
  });
}
