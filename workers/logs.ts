import { join } from 'node:path';
import { workloadRedactor } from '../activities/deploys/redaction.ts';
import { createLogsActivities } from '../activities/logs/index.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createDockerClient } from '../adapters/docker/docker-client.ts';
import { createWorkloadRuntime } from '../adapters/docker/workload-runtime.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { createServiceLogs } from '../adapters/log-files/service-logs.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createReleaseStore } from '../adapters/mongo/deploys/releases.ts';
import { logsSchedules } from '../workflows/logs/schedules.ts';
import { composeClusterRuntime } from './cluster.ts';
import { platformSecrets } from './deploys.ts';
import { defineModule } from './module.ts';
import { composeServiceDatabases } from './service-databases.ts';

const now = () => new Date();

/** Collects what services print. Every worker can, one does: the queue is of its own so that it takes no slot from a deploy. */
export const logs = defineModule({
  name: 'logs',
  section: deploysWorkerSection,
  schedules: logsSchedules,
  queue: 'own',
  slots: () => 1,
  async compose({ env, settings, client, connect, logger }) {
    const { db } = await connect('builder');
    const services = createServiceStore({ db, now });
    const redaction = {
      services,
      releases: createReleaseStore({ db }),
      cipher: env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
      databases: composeServiceDatabases(env, db, client),
      settings: { platformSecrets: platformSecrets({ env, settings }) },
    };
    return createLogsActivities({
      // Only listed and followed here: nothing is started, so no firewall and no platform are needed.
      runtime:
        composeClusterRuntime(env) ??
        createWorkloadRuntime({
          docker: createDockerClient(env.DOCKER_HOST),
          stackId: env.STACK_ID,
          registry: { address: env.DOCKER_REGISTRY },
          now,
        }),
      logs: createServiceLogs({
        directory: join(env.DATA_DIR, 'service-logs'),
        orgOf: async (serviceId) => (await services.find(serviceId))?.org ?? null,
      }),
      builds: createBuildStore({ db, now }),
      services,
      redactorOf: (serviceId, { releaseId }) => workloadRedactor(redaction, { serviceId, releaseId }),
      warn: (problem, message) => logger.warn(problem, message),
    });
  },
});
