import assert from 'node:assert/strict';
import { join } from 'node:path';
import { engineFolder, SOCKET_NAME } from '../../adapters/docker/build-engine/engine-container.ts';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { LABELS } from '../../adapters/docker/labels.ts';
import { collectText } from '../e2e/collect-text.ts';
import { temporalClient } from '../e2e/sample-service.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import type { Attacker } from './attacker.ts';
import type { HostileStack } from './hostile-stack.ts';
import {
  assertClean,
  assertDatabasesClean,
  assertFilesClean,
  assertImagesClean,
  imagesOfBuilds,
  type Secrets,
} from './secret-places.ts';
import type { Victim } from './victim.ts';

export interface Scene {
  readonly h: HostileStack;
  readonly victim: Victim;
  readonly attacker: Attacker;
}

/** What holds whatever is attempted. */
export interface Invariants {
  /** After each attempt: nothing was told, no part stopped, the other service serves as it did. */
  readonly check: () => Promise<void>;
}

export async function createInvariants({ h, victim, attacker }: Scene): Promise<Invariants> {
  const secrets = { ...h.secrets, ...victim.secrets };
  const processes = (): string =>
    JSON.stringify(Object.entries(h.stack.state()).map(([name, { pid, restarts }]) => [name, pid, restarts]));
  const before = { processes: processes(), victim: await victim.look() };
  let read = 0;
  return {
    async check() {
      for (; read < attacker.heard.length; read += 1) {
        assertClean(attacker.heard[read] ?? '', 'what the attacker got', secrets);
      }
      assert.equal(processes(), before.processes, 'a part stopped');
      // Their texts are too long to be shown as a difference.
      assert.ok((await victim.look()) === before.victim, 'another service changed');
    },
  };
}

/** Where nothing secret may lie at the end, besides what the attacker got. */
export const PLACES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'the database, but for the config of the other service': checkMongo,
  'the histories of workflows': checkTemporal,
  'the logs of the platform': ({ h, victim }) => assertFilesClean(join(h.dataDir, 'logs'), secretsOf(h, victim)),
  'the workspaces of builds': ({ h, victim }) => assertFilesClean(join(h.dataDir, 'workspaces'), secretsOf(h, victim)),
  'the layers of images of hostile services': checkImages,
};

const secretsOf = (h: HostileStack, victim: Victim): Secrets => ({ ...h.secrets, ...victim.secrets });

async function checkMongo({ h, victim }: Scene): Promise<void> {
  const secrets = secretsOf(h, victim);
  const { victimConfig: _, leakyConfig: __, ...others } = secrets;
  await assertDatabasesClean(await stackDatabaseUri(h.dataDir, h.stack.addresses.mongo), (collection) =>
    // Plain config is stored as it was given.
    /service|release/i.test(collection) ? others : secrets,
  );
}

async function checkTemporal({ h, victim }: Scene): Promise<void> {
  const secrets = secretsOf(h, victim);
  await using temporal = await temporalClient();
  const { workflow } = temporal.client;
  let count = 0;
  for await (const { workflowId, runId } of workflow.list()) {
    count += 1;
    assertClean(collectText(await workflow.getHandle(workflowId, runId).fetchHistory()), workflowId, secrets);
  }
  assert.ok(count > 20, 'the builds of the corpus are there');
}

/** Every layer and configuration of what hostile services had built. */
async function checkImages({ h, victim }: Scene): Promise<void> {
  const engine = createDockerClient(`unix://${join(engineFolder(h.dataDir), SOCKET_NAME)}`);
  const images = await imagesOfBuilds(engine, `${LABELS.stack}=${h.stackId}`);
  const names = images.flatMap(({ id, names: [name] }) => (id === victim.imageId || name === undefined ? [] : [name]));
  assert.ok(names.length >= 2, 'hostile services had images built');
  const hasLeaky = names.some((name) => name.includes('/leaky-'));
  assert.ok(hasLeaky, 'the one whose build is given a secret is among them');
  await assertImagesClean(engine, names, secretsOf(h, victim));
}
