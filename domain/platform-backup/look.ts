import { FairleadError } from '../errors.ts';
import { proveManifest } from './manifest.ts';
import {
  type GenuineBackup,
  genuineBackup,
  type ListedFolder,
  listedFolders,
  MANIFEST_FILE,
  newestFirst,
  type PlacedObject,
} from './places.ts';
import type { BackupPlace } from './ports.ts';

const LONGEST_MANIFEST = 4 * 1024 ** 2;

/** A folder that is named as one of a backup, and whose manifest is not one that the platform wrote for it. */
export interface StrangeFolder {
  readonly id: string;
  readonly folder: string;
  readonly reason: string;
}

export interface PlaceLook {
  readonly folders: readonly ListedFolder[];
  /** The newest first, by what their manifests say. */
  readonly genuine: readonly GenuineBackup[];
  readonly strange: readonly StrangeFolder[];
}

/** Reads every manifest of a place. Whoever may write there chooses names: what the platform made is told by the manifest key alone. */
export async function lookAtPlace(
  place: Pick<BackupPlace, 'list' | 'get'>,
  manifestKey: Uint8Array,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PlaceLook> {
  const folders = await listFolders(place, options);
  const genuine: GenuineBackup[] = [];
  const strange: StrangeFolder[] = [];
  for (const listed of folders) {
    const { id, folder, isComplete } = listed;
    if (!isComplete) continue;
    try {
      const text = await readText(await place.get(`${folder}${MANIFEST_FILE}`, options));
      genuine.push(genuineBackup(listed, proveManifest(text, manifestKey)));
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'NOT_RESTORABLE') throw error;
      strange.push({ id, folder, reason: error.message });
    }
  }
  return { folders, genuine: genuine.sort(newestFirst), strange };
}

/** The folders of backups at a place, by their names alone. */
export async function listFolders(
  place: Pick<BackupPlace, 'list'>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly ListedFolder[]> {
  const objects: PlacedObject[] = [];
  for await (const { key, bytes, modifiedAt } of place.list('', options)) objects.push({ key, bytes, modifiedAt });
  return listedFolders(objects);
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > LONGEST_MANIFEST) throw new FairleadError('NOT_RESTORABLE', 'Its manifest is longer than one of ours');
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).toString('utf8');
}
