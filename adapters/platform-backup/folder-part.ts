import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { BSON } from 'mongodb';
import { z } from 'zod';
import { damaged, describingFrame, eachFrame, endFrame, FRAMES } from './frames.ts';

/** Half a file, as those who write them name it. */
const PARTIAL = '.partial';
const PIECE_BYTES = 256 * 1024;

/** A folder as a stream of {@link FRAMES}: its files as they are at that moment. One that is not there is an empty one. */
export async function* readFolder(folder: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const counts: { name: string; count: number }[] = [];
  for (const path of await filesBelow(folder)) {
    signal.throwIfAborted();
    const file: FileHandle | null = await open(path).catch(missing(null));
    // It went meanwhile.
    if (file === null) continue;
    const name = relative(folder, path).split(sep).join('/');
    let count = 0;
    try {
      yield Buffer.concat(describingFrame(FRAMES.collection, { name, options: {} }));
      // One that grows has what it had.
      const { size } = await file.stat();
      const pieces =
        size === 0
          ? []
          : file.createReadStream({ start: 0, end: size - 1, highWaterMark: PIECE_BYTES, autoClose: false });
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        yield Buffer.concat(describingFrame(FRAMES.document, { piece }));
        count += 1;
      }
    } finally {
      await file.close();
    }
    counts.push({ name, count });
  }
  yield Buffer.concat(endFrame(counts));
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(missing([]));
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(PARTIAL))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const pieceSchema = z.object({ piece: z.instanceof(Uint8Array) });

/** Writes the files of a folder, which is made, over what is there. @throws NOT_RESTORABLE */
export async function writeFolder(folder: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let current: { readonly path: string; readonly file: FileHandle } | null = null;
  const finish = async (): Promise<void> => {
    const done = current;
    current = null;
    if (done === null) return;
    await done.file.sync().finally(() => done.file.close());
    await rename(`${done.path}${PARTIAL}`, done.path);
  };
  try {
    await eachFrame(body, {
      begin: async ({ name }) => {
        await finish();
        current = await begin(join(folder, ...wordsOf(name)));
      },
      document: async (bytes) => {
        await current?.file.writeFile(pieceSchema.parse(BSON.deserialize(bytes, { promoteBuffers: true })).piece);
      },
      end: finish,
    });
  } finally {
    await (current as { readonly file: FileHandle } | null)?.file.close();
  }
}

/** @throws NOT_RESTORABLE for a name that leads out of the folder */
function wordsOf(name: string): readonly string[] {
  const words = name.split('/');
  if (words.some((word) => ['', '.', '..'].includes(word) || word.includes('\0'))) throw damaged();
  return words;
}

async function begin(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(`${path}${PARTIAL}`, { force: true });
  return { path, file: await open(`${path}${PARTIAL}`, 'wx', 0o600) };
}

function missing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}
