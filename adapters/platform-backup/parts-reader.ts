import { join } from 'node:path';
import type { Db } from 'mongodb';
import { LEFT_OUT } from '../../domain/platform-backup/parts.ts';
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
        : databaseStream(databaseOf(part.name), signal, LEFT_OUT[part.name]),
    );
}

async function* databaseStream(
  opening: Promise<Db>,
  signal: AbortSignal,
  leftOut?: readonly string[],
): AsyncGenerator<Buffer> {
  yield* readDatabase(await opening, signal, leftOut);
}
