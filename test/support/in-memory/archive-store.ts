import { createHash } from 'node:crypto';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { ArchiveStore } from '../../../domain/deploys/source-ports.ts';
import { type KeptUpload, makeRoom, UPLOAD_QUOTA, type UploadQuota } from '../../../domain/deploys/upload-quota.ts';
import { FairleadError } from '../../../domain/errors.ts';

export interface InMemoryArchiveStore extends ArchiveStore {
  readonly ids: () => readonly string[];
}

interface ArchiveOptions {
  readonly now: Clock;
  readonly quota?: UploadQuota;
}

/** Uploaded archives in this process. */
export function createInMemoryArchiveStore({ now, quota = UPLOAD_QUOTA }: ArchiveOptions): InMemoryArchiveStore {
  const archives = new Map<string, { readonly org: string; readonly content: Buffer; readonly savedAt: Date }>();
  return {
    async save(content, { limitBytes, org, isNeeded }) {
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of content) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > limitBytes) throw new FairleadError('PAYLOAD_TOO_LARGE', 'The archive is too large');
        chunks.push(Uint8Array.from(chunk));
      }
      const id = newId('archive');
      const whole = Buffer.concat(chunks);
      archives.set(id, { org, content: whole, savedAt: now() });
      const kept = [...archives].flatMap(([keptId, archive]) =>
        archive.org === org ? [{ id: keptId, sizeBytes: archive.content.length, savedAt: archive.savedAt }] : [],
      );
      const remove = async (upload: KeptUpload) => void archives.delete(upload.id);
      try {
        await makeRoom(kept, { org, quota, now: now(), isNeeded, remove });
      } catch (error) {
        archives.delete(id);
        throw error;
      }
      return { id, sha256: createHash('sha256').update(whole).digest('hex'), sizeBytes };
    },
    async open(id) {
      const archive = archives.get(id);
      if (archive === undefined) {
        throw new FairleadError('SOURCE_MISSING', `The uploaded archive ${id} no longer exists; upload it again`);
      }
      return inOnePiece(archive.content);
    },
    async prune(before, isNeeded, signal) {
      let removed = 0;
      for (const [id, { savedAt }] of archives) {
        signal.throwIfAborted();
        if (savedAt >= before || (await isNeeded(id))) continue;
        archives.delete(id);
        removed += 1;
      }
      return removed;
    },
    ids: () => [...archives.keys()],
  };
}

async function* inOnePiece(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}
