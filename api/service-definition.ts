import type { Client } from '@temporalio/client';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { ServiceSettings } from '../adapters/env/http-service.ts';
import type { EnvSection, ReadSection } from '../adapters/env.ts';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import type { ServiceName, StoringServiceName } from '../domain/services.ts';
import type { AppOptions } from './http/create-app.ts';
import type { HealthOptions } from './http/health.ts';
import type { ServerOptions } from './http/server.ts';

/** What an HTTP service is besides its row in `domain/services.ts`; `start-service.ts` does all the rest. */
export interface ServiceDefinition<Section extends EnvSection = EnvSection, Name extends ServiceName = ServiceName> {
  readonly name: Name;
  /** Variables that it reads besides those of every service. */
  readonly section: Section;
  /** What must answer for its health to be good. */
  readonly needs: readonly ('mongo' | 'temporal')[];
  /** Requests of one address in a minute, unless REQUESTS_PER_MINUTE says otherwise. */
  readonly requestsPerMinute: number;
  /** Builds what its routes need, and the app. What it opens besides, it gives to `opened`. */
  compose(parts: ServiceParts<ReadSection<Section>, Name>): Promise<ComposedService>;
}

/** Options of every service's app: callers, limits, log and health. */
export type ServiceAppOptions = Omit<AppOptions, 'title' | 'version' | 'health' | 'routes'> & {
  readonly health: HealthOptions;
};

export interface ServiceParts<Env, Name extends ServiceName = ServiceName> {
  readonly env: Env;
  readonly settings: ServiceSettings;
  /** Its public address: as given, or the default of this machine. */
  readonly publicUrl: string;
  /** Null for a service without a database. */
  readonly mongo: Name extends StoringServiceName ? MongoConnection : null;
  /** The client of Temporal, which connects when it is first used. */
  readonly temporal: () => Client;
  readonly app: ServiceAppOptions;
  readonly log: Logger;
  /** Of the process; null where nobody reads them. */
  readonly metrics: ProcessMetrics | null;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  /** Closes what is put here, the last first: when the service has stopped, or when the rest of its start fails. */
  readonly opened: AsyncDisposableStack;
}

export interface ComposedService {
  readonly app: Express;
  readonly upgrade?: ServerOptions['upgrade'];
}

/** Gives a definition the types of its own variables. */
export function defineService<Section extends EnvSection, const Name extends ServiceName>(
  definition: ServiceDefinition<Section, Name>,
): ServiceDefinition<Section, Name> {
  return definition;
}
