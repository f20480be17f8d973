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
import { lookAtPlace } from '../../../domain/platform-backup/look.ts';
import {
  type Manifest,
  type ManifestPart,
  requireKeys,
  requireReadable,
} from '../../../domain/platform-backup/manifest.ts';
import { partContext, partName, platformParts } from '../../../domain/platform-backup/parts.ts';
import type { GenuineBackup } from '../../../domain/platform-backup/places.ts';
import type { BackupPlace } from '../../../domain/platform-backup/ports.ts';

export interface OpenBackupOptions {
  readonly place: Pick<BackupPlace, 'list' | 'get'>;
  readonly recoveryKey: RecoveryKey;
  /** Where it says nothing: the newest complete one, unless that is old. */
  readonly backupId: string | undefined;
  /** Of this platform. */
  readonly version: string;
  readonly now: Date;
}

/** A backup that can be restored, as far as its manifest and its keys tell. */
export interface OpenedBackup {
  readonly manifest: Manifest;
  /** How long ago it was begun, in words. */
  readonly age: string;
  /** Of the installation. */
  readonly keys: Readonly<Record<string, string>>;
  /** The content of a part. @throws NOT_RESTORABLE for one that was changed; nothing of a changed chunk is given out */
  read(name: string): AsyncIterable<Uint8Array>;
  /** Reads every part to its end, as a restore does, and compares its size and SHA-256. @throws NOT_RESTORABLE */
  verify(onPart: (part: ManifestPart) => void): Promise<void>;
}

/** A backup is made each night: an older newest one may be all that somebody has left there. */
const OLD_MS = 2 * 86_400_000;

/** Of a message. */
const MOST_NAMED = 10;

/** Finds a backup and opens its keys; it writes nothing. @throws NOT_RESTORABLE saying why, OBJECT_STORE_… */
export async function openBackup(options: OpenBackupOptions): Promise<OpenedBackup> {
  const { place, recoveryKey, version, now } = options;
  const manifestKey = manifestKeyOf(recoveryKey);
  const { folder, manifest: proven } = await findBackup(options, manifestKey);
  const manifest = requireReadable(proven, version);
  const { id } = manifest;
  const keys = await unsealInstallationKeys(recoveryKey, manifest.sealedKeys);
  requireKeys(manifest, keys, manifestKey);
  requireParts(manifest);
  const partOf = (name: string): ManifestPart => {
    const part = manifest.parts.find((one) => one.name === name);
    if (part === undefined) throw refused(`${id} has no ${name}`);
    return part;
  };
  return {
    ...{ manifest, keys, age: ageOf(manifest.startedAt, now) },
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

/** By what the manifests say that the platform wrote. A name at the place says nothing: whoever may write there has chosen it. */
async function findBackup(
  { place, backupId, now }: OpenBackupOptions,
  manifestKey: Uint8Array,
): Promise<GenuineBackup> {
  const { folders, genuine, strange } = await lookAtPlace(place, manifestKey);
  const found = genuine.find(({ manifest: { id } }) => backupId === undefined || id === backupId);
  if (found !== undefined) {
    const { id, startedAt } = found.manifest;
    if (backupId !== undefined || now.getTime() - Date.parse(startedAt) <= OLD_MS) return found;
    const begun = `the newest backup there, ${id}, was begun ${startedAt}, ${ageOf(startedAt, now)}`;
    throw refused(`It may not be the newest that was made: ${begun}. Give --backup ${id} to restore it nevertheless`);
  }
  const sought = backupId === undefined ? 'no complete backup of the platform' : `no complete backup ${backupId}`;
  const has = named(genuine.map(({ manifest: { id } }) => id)) || 'none';
  const half = folders.filter(({ isComplete }) => !isComplete).length;
  const others = named(strange.map(({ folder, reason }) => `${folder} (${reason})`));
  throw refused(
    `There is ${sought}: complete there ${has}, half-written ${half}${others === '' ? '' : `, not of this recovery key ${others}`}`,
  );
}

function named(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? [`and ${names.length - MOST_NAMED} more`] : [];
  return [...names.slice(0, MOST_NAMED), ...more].join(', ');
}

const AGES = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function ageOf(startedAt: string, now: Date): string {
  const ms = now.getTime() - Date.parse(startedAt);
  if (ms < -60_000) return 'after the time of this machine';
  const [unit, unitMs] = AGES.find(([, each]) => ms >= each) ?? ['minute', 60_000];
  const count = Math.max(0, Math.floor(ms / unitMs));
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** A manifest of ours that lacks a part of this version is one of a version that had fewer services: their databases stay empty. */
function requireParts({ parts, id }: Manifest): void {
  const known = platformParts().map(partName);
  const unknown = parts.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw refused(`${id} has parts that this version does not know: ${unknown.join(', ')}`);
}

function refused(reason: string): FairleadError {
  return new FairleadError('NOT_RESTORABLE', reason);
}
