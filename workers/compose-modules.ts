import {
  type EnvSection,
  type ReadSection,
  readSection,
  readSubprocessEnv,
  readWorkerEnv,
  type WorkerSettings,
} from '../adapters/env.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { readTogether } from '../adapters/read-variables.ts';
import type { ActivityQueue } from '../adapters/temporal/worker.ts';
import type { StoringServiceName } from '../domain/services.ts';
import { moduleTaskQueue } from '../domain/task-queue.ts';
import type { WorkerModule, WorkerParts } from './module.ts';

type Env = ReadSection<EnvSection>;
type Environments = Readonly<Record<string, Env>>;

/** The environment of the worker and of its modules. @throws VALIDATION_FAILED listing every bad variable of all */
export function readModules(modules: readonly WorkerModule[]): {
  readonly settings: WorkerSettings;
  readonly environments: Environments;
} {
  return readTogether({
    settings: () => readWorkerEnv(),
    environments: () =>
      readTogether(Object.fromEntries(modules.map(({ name, section }) => [name, () => readSection(section)]))),
  });
}

export interface ServedModules {
  /** Those that this worker has settings for. */
  readonly modules: readonly WorkerModule[];
  /** For the shared queue. */
  readonly activities: object;
  /** How many of these run at once: what each module of the shared queue asks for. */
  readonly slots: number;
  /** Those of each served module with a queue of its own. */
  readonly activityQueues: readonly ActivityQueue[];
}

/** Builds the modules on real adapters. What they open is closed by `opened`. */
export async function composeModules(
  modules: readonly WorkerModule[],
  environments: Environments,
  parts: Pick<WorkerParts<unknown>, 'settings' | 'client' | 'logger' | 'opened' | 'metrics'>,
): Promise<ServedModules> {
  const connect = databases(parts);
  const subprocessEnv = readSubprocessEnv();
  const served: { readonly module: WorkerModule; readonly activities: object; readonly env: Env }[] = [];
  for (const module of modules) {
    const env = environments[module.name] ?? {};
    const activities = await module.compose({ ...parts, env, connect, subprocessEnv });
    if (activities !== null) served.push({ module, activities, env });
  }
  const own = served.filter(({ module }) => module.queue === 'own');
  const shared = served.filter(({ module }) => module.queue === 'shared');
  return {
    modules: served.map(({ module }) => module),
    // All of them: versions before 0.2 scheduled the activities of every module there.
    activities: Object.assign({}, ...served.map(({ activities }) => activities)),
    slots: shared.reduce((sum, { module, env }) => sum + module.slots(env), 0),
    activityQueues: own.flatMap(({ module, activities, env }) =>
      [module, ...(module.moreQueues ?? [])].map((queue) => ({
        ...{ taskQueue: moduleTaskQueue(queue.name), activities, slots: queue.slots(env) },
      })),
    ),
  };
}

/** One connection to each database that is asked for. */
function databases({ settings, opened, metrics }: Pick<WorkerParts<unknown>, 'settings' | 'opened' | 'metrics'>) {
  const connections = new Map<StoringServiceName, Promise<MongoConnection>>();
  return (service: StoringServiceName): Promise<MongoConnection> => {
    const connecting = connections.get(service) ?? connect(service);
    connections.set(service, connecting);
    return connecting;
  };

  async function connect(service: StoringServiceName): Promise<MongoConnection> {
    const { uri, database } = settings.databases[service];
    const mongo = await connectMongo(uri, `fairlead-worker-${service}`, database);
    opened.defer(() => mongo.close());
    metrics?.pool(service, () => mongo.pool());
    return mongo;
  }
}
