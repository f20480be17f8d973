import { createHash } from 'node:crypto';
import { decompress } from '../../../adapters/platform-backup/compressed.ts';
import { checkFrames } from '../../../adapters/platform-backup/frames.ts';
import {
  manifestKeyOf,
  openSealed,
  type RecoveryKey,
  unsealInstallationKeys,
} from '../../../adapters/platform-backup/recovery-key.ts';
import { FairleadError } from '../../../domain/errors.ts';
import {
  type Manifest,
  type ManifestPart,
  readManifest,
  requireKeys,
} from '../../../domain/platform-backup/manifest.ts';
import { partContext, partName, platformParts } from '../../../domain/platform-backup/parts.ts';
import { listedBackups, MANIFEST_FILE } from '../../../domain/platform-backup/places.ts';
import type { BackupPlace } from '../../../domain/platform-backup/ports.ts';

export interface OpenBackupOptions {
  readonly place: Pick<BackupPlace, 'list' | 'get'>;
  readonly recoveryKey: RecoveryKey;
  /** The newest complete one where it says nothing. */
  readonly backupId: string | undefined;
  /** Of this platform. */
  readonly version: string;
}

/** A backup that can be restored, as far as its manifest and its keys tell. */
export interface OpenedBackup {
  readonly manifest: Manifest;
  /** Of the installation. */
  readonly keys: Readonly<Record<string, string>>;
  /** The content of a part. @throws NOT_RESTORABLE for one that was changed; nothing of a changed chunk is given out */
  read(name: string): AsyncIterable<Uint8Array>;
  /** Reads every part to its end, as a restore does, and compares its size and SHA-256. @throws NOT_RESTORABLE */
  verify(onPart: (part: ManifestPart) => void): Promise<void>;
}

const LONGEST_MANIFEST = 4 * 1024 ** 2;

/** Finds a backup and opens its keys; it writes nothing. @throws NOT_RESTORABLE saying why, OBJECT_STORE_… */
export async function openBackup(options: OpenBackupOptions): Promise<OpenedBackup> {
  const { place, recoveryKey, version } = options;
  const { id, folder } = await findBackup(options);
  const text = await readText(await place.get(`${folder}${MANIFEST_FILE}`));
  const manifestKey = manifestKeyOf(recoveryKey);
  const manifest = readManifest(text, manifestKey, version);
  if (manifest.id !== id) throw refused(`The folder ${folder} has the manifest of ${manifest.id}`);
  const keys = await unsealInstallationKeys(recoveryKey, manifest.sealedKeys);
  requireKeys(manifest, keys, manifestKey);
  requireParts(manifest);
  const partOf = (name: string): ManifestPart => {
    const part = manifest.parts.find((one) => one.name === name);
    if (part === undefined) throw refused(`${id} has no ${name}`);
    return part;
  };
  return {
    ...{ manifest, keys },
    read: (name) => content(partOf(name)),
    async verify(onPart) {
      for (const part of manifest.parts) {
        onPart(part);
        await checkFrames(content(part));
      }
    },
  };

  /** What was read is compared once all of it was. */
  async function* content({ name, file, bytes, sha256 }: ManifestPart): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let size = 0;
    async function* stored(): AsyncGenerator<Uint8Array> {
      for await (const piece of await place.get(`${folder}${file}`)) {
        hash.update(piece);
        size += piece.byteLength;
        yield piece;
      }
    }
    yield* decompressed(openSealed(stored(), { recoveryKey, context: partContext(id, name) }), name);
    if (size !== bytes || hash.digest('hex') !== sha256)
      throw refused(`${file} is not what was stored: it has another SHA-256`);
  }
}

async function* decompressed(body: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* decompress(body);
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    throw new FairleadError('NOT_RESTORABLE', `${name} cannot be read: ${String(error)}`, { cause: error });
  }
}

async function findBackup({
  place,
  backupId,
}: OpenBackupOptions): Promise<{ readonly id: string; readonly folder: string }> {
  const objects: { readonly key: string; readonly modifiedAt: Date }[] = [];
  for await (const { key, modifiedAt } of place.list('')) objects.push({ key, modifiedAt });
  const all = listedBackups(objects);
  const complete = all.filter(({ isComplete }) => isComplete);
  const found = complete.find(({ id }) => backupId === undefined || id === backupId);
  if (found !== undefined) return found;
  const has = complete.length === 0 ? 'none' : complete.map(({ id }) => id).join(', ');
  const half = all.length - complete.length;
  throw refused(
    `${backupId === undefined ? 'There is no complete backup of the platform' : `There is no complete backup ${backupId}`}: complete there ${has}, half-written ${half}`,
  );
}

/** A manifest of ours that lacks a part of this version is one of a version that had fewer services: their databases stay empty. */
function requireParts({ parts, id }: Manifest): void {
  const known = platformParts().map(partName);
  const unknown = parts.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw refused(`${id} has parts that this version does not know: ${unknown.join(', ')}`);
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > LONGEST_MANIFEST) throw refused('Its manifest is longer than one of ours');
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).toString('utf8');
}

function refused(reason: string): FairleadError {
  return new FairleadError('NOT_RESTORABLE', reason);
}
