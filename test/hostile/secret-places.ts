import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import type Docker from 'dockerode';
import { MongoClient } from 'mongodb';

/** Looks for planted secrets where a stack keeps something. */

/** By what each is. */
export type Secrets = Readonly<Record<string, string>>;

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

/**
 * Every document of every database of the stack.
 * @param secretsOf what may not be in a collection, by its name
 */
export async function assertDatabasesClean(uri: string, secretsOf: (collection: string) => Secrets): Promise<void> {
  const mongo = await MongoClient.connect(uri);
  try {
    const { databases } = await mongo.db().admin().listDatabases();
    assert.ok(databases.length >= 3, 'the databases of the services are there');
    for (const { name } of databases) {
      for (const collection of await mongo.db(name).collections()) {
        const text = JSON.stringify(await collection.find().toArray());
        assertClean(text, `${name}.${collection.collectionName}`, secretsOf(collection.collectionName));
      }
    }
  } finally {
    await mongo.close();
  }
}

/** Every file below the folder; what is compressed, such as logs of the day before, as it was. @returns how many there are */
export async function assertFilesClean(folder: string, secrets: Secrets): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const stored = await readFile(path);
    // What is being written may end in the middle.
    const bytes = name.endsWith('.gz') ? gunzipSync(stored, { finishFlush: constants.Z_SYNC_FLUSH }) : stored;
    assertClean(bytes.toString('latin1'), path, secrets);
  }
  return files.length;
}

/** Images with the label, of the engine that builds. */
export async function imagesOfBuilds(engine: Docker, label: string) {
  const images = await engine.listImages({ filters: { label: [label] } });
  return images.map(({ Id: id, RepoTags }) => ({ id, names: RepoTags ?? [] }));
}

/** Every layer and configuration of images, as an engine saves them: not compressed. */
export async function assertImagesClean(engine: Docker, names: readonly string[], secrets: Secrets): Promise<void> {
  const needles = Object.entries(secrets).flatMap(([kind, secret]) =>
    formsOf(secret).map((form) => [kind, Buffer.from(form)] as const),
  );
  const longest = Math.max(...needles.map(([, needle]) => needle.length));
  let kept = Buffer.alloc(0);
  for await (const chunk of await saved(engine, names)) {
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
