import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { MongoClient } from 'mongodb';
import { engineFolder, SOCKET_NAME } from '../../adapters/docker/build-engine/engine-container.ts';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { LABELS } from '../../adapters/docker/labels.ts';
import { collectText } from '../e2e/collect-text.ts';
import { temporalClient } from '../e2e/sample-service.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import type { Attacker } from './attacker.ts';
import type { HostileStack } from './hostile-stack.ts';
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
export const PLACES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'the database, but for the config of the other service': checkMongo,
  'the histories of workflows': checkTemporal,
  'the logs of the platform': ({ h, victim }) => checkFiles(join(h.dataDir, 'logs'), secretsOf(h, victim)),
  'the workspaces of builds': ({ h, victim }) => checkFiles(join(h.dataDir, 'workspaces'), secretsOf(h, victim)),
  'the layers of images of hostile services': checkImages,
};

const secretsOf = (h: HostileStack, victim: Victim): Secrets => ({ ...h.secrets, ...victim.secrets });

type Secrets = Readonly<Record<string, string>>;

/** A secret as it is, as base64, and as git sends it. */
function formsOf(secret: string): readonly string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [secret, base64(secret).replace(/=+$/, ''), base64(`oauth2:${secret}`)];
}

export function assertClean(text: string, where: string, secrets: Secrets): void {
  for (const [kind, secret] of Object.entries(secrets)) {
    for (const form of formsOf(secret)) {
      const at = text.indexOf(form);
      assert.equal(at, -1, `the secret ${kind} is in ${where}: …${text.slice(Math.max(0, at - 200), Math.max(0, at))}`);
    }
  }
}

async function checkMongo({ h, victim }: Scene): Promise<void> {
  const secrets = secretsOf(h, victim);
  const mongo = await MongoClient.connect(await stackDatabaseUri(h.dataDir, h.stack.addresses.mongo));
  try {
    const { databases } = await mongo.db().admin().listDatabases();
    assert.ok(databases.length >= 3, 'the databases of the services are there');
    for (const { name } of databases) {
      for (const collection of await mongo.db(name).collections()) {
        const text = JSON.stringify(await collection.find().toArray());
        const { victimConfig: _, leakyConfig: __, ...others } = secrets;
        // Plain config is stored as it was given.
        const isConfig = /service|release/i.test(collection.collectionName);
        assertClean(text, `${name}.${collection.collectionName}`, isConfig ? others : secrets);
      }
    }
  } finally {
    await mongo.close();
  }
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

async function checkFiles(folder: string, secrets: Secrets): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    assertClean(await readFile(path, 'latin1'), path, secrets);
  }
}

/** Every layer and configuration of what hostile services had built, as the engine of builds saves them: not compressed. */
async function checkImages({ h, victim }: Scene): Promise<void> {
  const docker = createDockerClient(`unix://${join(engineFolder(h.dataDir), SOCKET_NAME)}`);
  const images = await docker.listImages({ filters: { label: [`${LABELS.stack}=${h.stackId}`] } });
  const names = images.flatMap(({ Id, RepoTags }) => (Id === victim.imageId ? [] : (RepoTags ?? []).slice(0, 1)));
  assert.ok(names.length >= 2, 'hostile services had images built');
  // The build that is given a secret keeps it in its own image.
  const { leakyBuild: _, ...others } = secretsOf(h, victim);
  const needles = Object.entries(others).flatMap(([kind, secret]) =>
    formsOf(secret).map((form) => [kind, Buffer.from(form)] as const),
  );
  const longest = Math.max(...needles.map(([, needle]) => needle.length));
  let kept = Buffer.alloc(0);
  for await (const chunk of await saved(docker, names)) {
    const bytes = Buffer.concat([kept, chunk as Buffer]);
    for (const [kind, needle] of needles) assert.ok(!bytes.includes(needle), `the secret ${kind} is in a layer`);
    kept = bytes.subarray(-longest);
  }
}

/** The images as one tar, each layer once. */
async function saved(docker: Docker, names: readonly string[]): Promise<NodeJS.ReadableStream> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadableStream>();
  const options = { names };
  const call = { path: '/images/get?', method: 'GET', options, isStream: true, statusCodes: { 200: true } };
  docker.modem.dial(call, (error: unknown, stream: unknown) => {
    if (error === null) resolve(stream as NodeJS.ReadableStream);
    else reject(error);
  });
  return await promise;
}
