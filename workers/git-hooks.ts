import { createGitHooksActivities } from '../activities/git-hooks/index.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { createRefReader } from '../adapters/git/ref-reader.ts';
import { createGitHost } from '../adapters/git-host/git-host.ts';
import { createMemberDirectory } from '../adapters/idp/member-directory.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createGitConnectionStore } from '../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../adapters/mongo/git-hooks/heads.ts';
import { createGitIdentityStore } from '../adapters/mongo/git-identities/identities.ts';
import { createDeployCommands } from '../adapters/temporal/deploy-commands.ts';
import { createGitHookCommands } from '../adapters/temporal/git-hook-commands.ts';
import { gitHooksSchedules } from '../workflows/git-hooks/schedules.ts';
import { composeAudit } from './deploys.ts';
import { defineModule } from './module.ts';
import { remoteOptions } from './remote-options.ts';

const now = () => new Date();

/** Pushes that deploy. Git may be slow: what asks it takes no slot from a deploy. */
export const gitHooks = defineModule({
  name: 'git-hooks',
  section: deploysWorkerSection,
  schedules: gitHooksSchedules,
  queue: 'own',
  slots: () => 16,
  async compose(parts) {
    const { env, settings, connect, client, subprocessEnv } = parts;
    const { urls, providerKey } = settings;
    const { db } = await connect('builder');
    const gitConnections = createGitConnectionStore({ db });
    const cipher = env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY);
    return createGitHooksActivities({
      services: createServiceStore({ db, now }),
      builds: createBuildStore({ db, now }),
      gitConnections,
      gitDeliveries: createGitDeliveryStore({ db, now }),
      gitHeads: createHeadStore({ db }),
      gitHookCommands: createGitHookCommands(client),
      commands: createDeployCommands(client),
      refs: createRefReader(remoteOptions(env, { connections: gitConnections, cipher, subprocessEnv })),
      gitIdentities: createGitIdentityStore({ db }),
      members:
        urls.idp === undefined || providerKey === undefined
          ? null
          : createMemberDirectory({ url: urls.idp, internalKey: providerKey }),
      gitHost: createGitHost({ platformGitUrl: env.GIT_URL ?? null, now }),
      cipher,
      platformGitUrl: env.GIT_URL ?? null,
      consoleUrl: urls.console ?? null,
      audit: composeAudit(parts),
      newId,
      now,
    });
  },
});
