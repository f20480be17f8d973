import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { EnvSection, ReadSection, WorkerSettings } from '../adapters/env.ts';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import type { ProcessEnv } from '../adapters/process/base-env.ts';
import type { ScheduleDefinition } from '../domain/schedule.ts';
import type { StoringServiceName } from '../domain/services.ts';

/** What a module brings to the worker process; `all.ts` folds the list of them. */
export interface WorkerModule<Section extends EnvSection = EnvSection> {
  readonly name: string;
  /** Variables that it reads besides those of every worker. */
  readonly section: Section;
  /** Kept by the workers that serve the module. */
  readonly schedules: readonly ScheduleDefinition[];
  /** The same schedules, at the times that variables say; absent where none does. */
  schedulesBy?(env: ReadSection<Section>): readonly ScheduleDefinition[];
  /** `shared`: every worker serves it. `own`: its activities wait on a queue of their own for one that has its settings. */
  readonly queue: 'shared' | 'own';
  /**
   * How many of its activities run at once in one worker. Long work belongs on a queue of its own: there, whatever waits
   * or runs for hours takes no slot from a deploy.
   */
  slots(env: ReadSection<Section>): number;
  /** Queues besides its own, with the same activities and slots that they have to themselves: one kind of its work fills none of another's. */
  readonly moreQueues?: readonly ModuleQueue<Section>[];
  /** Builds its activities on real adapters; null without its settings, which only a module with an own queue may be. */
  compose(parts: WorkerParts<ReadSection<Section>>): Promise<object | null>;
}

export type ModuleQueue<Section extends EnvSection = EnvSection> = Pick<WorkerModule<Section>, 'name' | 'slots'>;

export interface WorkerParts<Env> {
  readonly env: Env;
  readonly settings: WorkerSettings;
  /** The database of a service; asked again, the same connection. @throws UNAVAILABLE */
  readonly connect: (service: StoringServiceName) => Promise<MongoConnection>;
  readonly client: Client;
  readonly logger: Logger;
  /** Of the process; null where nobody reads them. */
  readonly metrics: ProcessMetrics | null;
  /** What a subprocess may see of the environment. */
  readonly subprocessEnv: ProcessEnv;
  /** Closes what is put here when the worker has ended, the last first. */
  readonly opened: AsyncDisposableStack;
}

/** Gives a module the types of its own variables. */
export function defineModule<Section extends EnvSection>(module: WorkerModule<Section>): WorkerModule<Section> {
  return module;
}
