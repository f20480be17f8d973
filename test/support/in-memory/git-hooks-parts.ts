import type { GitHooksActivityDeps } from '../../../activities/git-hooks/deps.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import type { BuildRecord } from '../../../domain/deploys/build.ts';
import {
  type GitConnection,
  parseRepository,
  sealingContext,
  TOKEN_KEY,
} from '../../../domain/git-hooks/connection.ts';
import type { GitDelivery } from '../../../domain/git-hooks/delivery.ts';
import { connectionRecord, deliveryRecord, ruleRecord } from '../../ports/git-hooks/records.ts';
import { buildRecord } from '../../ports/records.ts';
import { createInMemoryAudit } from './audit-recorder.ts';
import { createInMemoryBuildStore } from './build-store.ts';
import { createInMemoryDeployCommands } from './deploy-commands.ts';
import { createInMemoryGitHookCommands } from './git-hook-commands.ts';
import {
  createInMemoryGitConnectionStore,
  createInMemoryGitDeliveryStore,
  createInMemoryHeadStore,
} from './git-hook-stores.ts';
import { createInMemoryGitHost } from './git-host.ts';
import { createInMemoryGitIdentities, createInMemoryMembers } from './git-identities.ts';
import { createInMemoryRefs } from './ref-reader.ts';
import { createInMemoryServiceStore } from './service-store.ts';

export const MAIN = 'refs/heads/main';

/** What the activities of pushes work with, in this process: asking for a build makes its record. */
export function createGitHooksParts() {
  const now = () => new Date();
  const builds = createInMemoryBuildStore({ now });
  const deploys = createInMemoryDeployCommands();
  const services = createInMemoryServiceStore({ now });
  const refs = createInMemoryRefs();
  const gitHost = createInMemoryGitHost();
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const gitConnections = createInMemoryGitConnectionStore();
  const gitDeliveries = createInMemoryGitDeliveryStore({ now });
  const parts = {
    ...{ builds, services, refs, gitHost, cipher, gitConnections, gitDeliveries, newId, now },
    gitHeads: createInMemoryHeadStore(),
    gitIdentities: createInMemoryGitIdentities(),
    members: createInMemoryMembers(),
    gitHookCommands: createInMemoryGitHookCommands(),
    platformGitUrl: null,
    consoleUrl: 'https://console.example',
    audit: createInMemoryAudit(),
    commands: {
      async request(request) {
        const asked = await deploys.request(request);
        const { buildId: id, serviceId, service, environment, org, source, requestedBy } = request;
        if (!asked.deduplicated) {
          await builds.create(buildRecord({ id, serviceId, service, environment, org, source, requestedBy }));
        }
        return asked;
      },
    },
  } satisfies GitHooksActivityDeps;
  let made = 0;

  /** A connected service of its own, whose repository is empty. */
  async function connected(changes: Partial<GitConnection> = {}, rules = [ruleRecord()]) {
    made += 1;
    const service = `shop-${made}`;
    const gitUrl = `https://git.example/acme/${service}.git`;
    const { address, key } = parseRepository(gitUrl, null);
    const serviceId = `svc_${service}`;
    await services.upsert({ id: serviceId, name: service, org: 'acme' }, { gitUrl });
    const connection = connectionRecord({
      repository: address,
      repositoryKey: key,
      services: [{ serviceId, service, rules }],
      ...changes,
    });
    await gitConnections.insert(connection);
    return { connection, service, serviceId, address };
  }

  /** The API token of a connection, sealed as it is stored. */
  const sealToken = (connectionId: string, token: string) =>
    cipher.seal(token, sealingContext(connectionId, TOKEN_KEY));

  async function delivered(connectionId: string, changes: Partial<GitDelivery> = {}): Promise<string> {
    const delivery = deliveryRecord({ connectionId, ref: MAIN, ...changes });
    await gitDeliveries.insert(delivery);
    return delivery.id;
  }

  const end = (id: string, changes: Partial<BuildRecord> = {}) =>
    builds.finish(id, {
      ...{ status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: now() },
      ...(changes as object),
    });

  return { ...parts, deploys, connected, delivered, sealToken, end };
}

export type GitHooksParts = ReturnType<typeof createGitHooksParts>;
