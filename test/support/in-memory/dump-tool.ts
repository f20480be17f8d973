import type { DumpTool } from '../../../domain/backups/ports.ts';
import { isScratch } from '../../../domain/backups/restore.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/parse-json.ts';

/** Rows of a database, by table. */
export type InMemoryDatabase = Readonly<Record<string, readonly string[]>>;

export interface InMemoryDumpTool extends DumpTool {
  readonly databases: Map<string, InMemoryDatabase>;
  /** What happens in the middle of a dump or restore of a database. */
  readonly faults: Map<string, () => Promise<void>>;
}

/** Databases of one engine in this process. An archive is the JSON of one database, in two chunks. */
export function createInMemoryDumpTool(): InMemoryDumpTool {
  const databases = new Map<string, InMemoryDatabase>();
  const faults = new Map<string, () => Promise<void>>();
  /** Scratch databases that have taken the place of another one. */
  const swapped = new Set<string>();
  /** The restore in place that goes on, by its database. */
  const overwriting = new Map<string, symbol>();
  /** Scratch databases that were restored to their end. */
  const whole = new Set<string>();
  const require = (name: string): InMemoryDatabase => {
    const found = databases.get(name);
    if (found === undefined) throw new FairleadError('DUMP_FAILED', `database "${name}" does not exist`);
    return found;
  };
  const figuresOf = (database: InMemoryDatabase) =>
    Object.fromEntries(Object.entries(database).map(([table, rows]) => [table, rows.length]));
  return {
    databases,
    faults,
    async dump(name, store, { signal }) {
      const database = require(name);
      const text = Buffer.from(JSON.stringify({ [name]: database }));
      async function* archive() {
        yield text.subarray(0, 10);
        await untilAborted(faults.get(name)?.() ?? Promise.resolve(), signal);
        signal.throwIfAborted();
        yield text.subarray(10);
      }
      return { stored: await store(archive()), figures: figuresOf(database) };
    },
    async restoreInto({ from, scratch }, archive, { signal }) {
      if (!isScratch(scratch)) throw new FairleadError('VALIDATION_FAILED', `${scratch} is no scratch database`);
      databases.set(scratch, {});
      whole.delete(scratch);
      databases.set(scratch, await read(from, archive, signal));
      whole.add(scratch);
    },
    async restoreInPlace(name, archive, { signal, isMeant = async () => true }) {
      require(name);
      const own = Symbol(name);
      overwriting.set(name, own);
      const ended = new FairleadError('CONFLICT', `The restore of ${name} has ended already`);
      if (!(await isMeant())) throw ended;
      const restored = await read(name, archive, signal);
      if (overwriting.get(name) !== own) throw ended;
      databases.set(name, restored);
    },
    async size(name) {
      const found = databases.get(name);
      return found === undefined ? null : { bytes: JSON.stringify(found).length };
    },
    figures: async (name) => figuresOf(require(name)),
    async swap({ live, scratch, kept }) {
      const replacement = databases.get(scratch);
      if (swapped.has(scratch)) {
        if (databases.has(live)) return;
        const gone = `${scratch} has taken the place of ${live}, and that is not there any more`;
        throw new FairleadError('RESTORE_FAILED', gone);
      }
      if (replacement === undefined) {
        throw new FairleadError('RESTORE_FAILED', `The database ${scratch} is not there: nothing was swapped`);
      }
      if (!whole.has(scratch)) {
        const text = `The database ${scratch} was not restored to its end: nothing was swapped`;
        throw new FairleadError('RESTORE_FAILED', text);
      }
      const old = databases.get(live);
      if (old !== undefined) databases.set(kept, old);
      databases.set(live, replacement);
      swapped.add(scratch);
      databases.delete(scratch);
    },
    async endSwap({ live, scratch }) {
      if (!isScratch(scratch)) throw new FairleadError('VALIDATION_FAILED', `${scratch} is no scratch database`);
      databases.delete(scratch);
      return swapped.has(scratch) && databases.has(live);
    },
    reopen: async (name) => void overwriting.delete(name),
    async drop(scratch) {
      if (!isScratch(scratch)) throw new FairleadError('VALIDATION_FAILED', `${scratch} is no scratch database`);
      databases.delete(scratch);
    },
  };

  async function read(
    from: string,
    archive: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<InMemoryDatabase> {
    const chunks: Uint8Array[] = [];
    // Its memory is used again for the next one.
    for await (const chunk of archive) chunks.push(Buffer.from(chunk));
    await untilAborted(faults.get(from)?.() ?? Promise.resolve(), signal);
    const parsed = parseJson(Buffer.concat(chunks).toString('utf8')) as Record<string, InMemoryDatabase> | undefined;
    const database = parsed?.[from];
    if (database === undefined) throw new FairleadError('RESTORE_FAILED', 'not an archive of that database');
    return database;
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
