import { join } from 'node:path';
import type { Db } from 'mongodb';
import type { ReadPart } from '../../domain/platform-backup/ports.ts';
import type { StoringServiceName } from '../../domain/services.ts';
import { compress } from './compressed.ts';
import { readDatabase } from './database-part.ts';
import { readFolder } from './folder-part.ts';

export interface PartsReaderOptions {
  readonly databaseOf: (service: StoringServiceName) => Promise<Db>;
  /** DATA_DIR */
  readonly dataDir: string;
}

/** Reads the parts of the platform, compressed. */
export function createPartsReader({ databaseOf, dataDir }: PartsReaderOptions): ReadPart {
  return (part, signal) =>
    compress(
      part.kind === 'folder'
        ? readFolder(join(dataDir, part.name), signal)
        : databaseStream(databaseOf(part.name), signal),
    );
}

async function* databaseStream(opening: Promise<Db>, signal: AbortSignal): AsyncGenerator<Buffer> {
  yield* readDatabase(await opening, signal);
}
