import { randomUUID } from 'node:crypto';
import { type IndexDescription, MongoServerError } from 'mongodb';
import { documentMatcher } from './matcher.ts';
import { type UpdateOptions, updated } from './updater.ts';
import { compare, type Document, isObject, stored } from './values.ts';

interface WriteOptions extends UpdateOptions {
  readonly upsert?: boolean;
  readonly returnDocument?: 'before' | 'after';
}

/** One field of an index by which documents are found: those that have a text there. */
interface Lookup {
  readonly field: string;
  readonly byValue: Map<string, Set<unknown>>;
}

/**
 * A collection of documents by `_id`. A stored document is never changed, so what is read needs no copy. Unique indexes
 * refuse; of every index the first field finds documents by a text that a filter asks for.
 */
export function createCollection() {
  const documents = new Map<unknown, Document>();
  const lookups: Lookup[] = [];
  const unique: { readonly fields: readonly string[]; readonly taken: Map<string, unknown> }[] = [];

  const keyOf = (document: Document, fields: readonly string[]): string =>
    JSON.stringify(fields.map((field) => document[field] ?? null));

  function put(document: Document): void {
    const id = document._id;
    const before = documents.get(id);
    for (const { fields, taken } of unique) {
      const holder = taken.get(keyOf(document, fields));
      if (holder !== undefined && holder !== id) throw duplicate();
    }
    if (before !== undefined) unlist(before);
    documents.set(id, document);
    for (const { fields, taken } of unique) taken.set(keyOf(document, fields), id);
    for (const { field, byValue } of lookups) for (const text of textsOf(document[field])) list(byValue, text, id);
  }

  function unlist(document: Document): void {
    for (const { fields, taken } of unique) taken.delete(keyOf(document, fields));
    for (const { field, byValue } of lookups) {
      for (const text of textsOf(document[field])) {
        const ids = byValue.get(text);
        ids?.delete(document._id);
        if (ids?.size === 0) byValue.delete(text);
      }
    }
  }

  function remove(document: Document): void {
    unlist(document);
    documents.delete(document._id);
  }

  /** Documents among which all that match are: few where the filter names an id, or a text of an index. */
  function candidates(filter: Document): Iterable<Document> {
    const ids = idsOf(filter._id) ?? lookUp(filter);
    if (ids === null) return documents.values();
    return ids.map((id) => documents.get(id)).filter((document) => document !== undefined);
  }

  function lookUp(filter: Document): readonly unknown[] | null {
    for (const { field, byValue } of lookups) {
      const values = idsOf(filter[field]);
      if (values !== null) return [...new Set(values.flatMap((value) => [...(byValue.get(String(value)) ?? [])]))];
    }
    return null;
  }

  function* matching(filter: Document): Generator<Document> {
    const matches = documentMatcher(filter);
    for (const document of candidates(filter)) if (matches(document)) yield document;
  }

  const first = (filter: Document): Document | null => matching(filter).next().value ?? null;

  function firstAlone(filter: Document): Document[] {
    const found = first(filter);
    return found === null ? [] : [found];
  }

  function write(
    filter: Document,
    change: (before: Document, isNew: boolean) => Document,
    options: WriteOptions,
    many = false,
  ) {
    const found = many ? [...matching(filter)] : firstAlone(filter);
    const [before = null] = found;
    let after: Document | null = null;
    for (const document of found) {
      after = change(document, false);
      put(after);
    }
    const inserts = before === null && options.upsert === true;
    if (inserts) {
      const made = change(equalities(filter), true);
      after = { ...made, _id: made._id ?? randomUUID() };
      if (documents.has(after._id)) throw duplicate();
      put(after);
    }
    return { before, after, matchedCount: found.length, modifiedCount: found.length, upsertedCount: inserts ? 1 : 0 };
  }

  const byUpdate = (update: Document, options: WriteOptions) => (before: Document, isNew: boolean) =>
    updated(before, update, options, isNew);

  return {
    async createIndexes(indexes: readonly IndexDescription[]): Promise<void> {
      for (const { key, unique: isUnique } of indexes) {
        const fields = Object.keys(key).filter((field) => !field.includes('.'));
        const [field] = fields;
        if (isUnique === true && !unique.some((one) => String(one.fields) === String(fields))) {
          unique.push({ fields, taken: new Map() });
        }
        if (field !== undefined && !lookups.some((one) => one.field === field))
          lookups.push({ field, byValue: new Map() });
      }
      for (const document of documents.values()) put(document);
    },
    async findOne(filter: Document = {}): Promise<Document | null> {
      return first(filter);
    },
    find: (filter: Document = {}) => createCursor(() => [...matching(filter)]),
    async countDocuments(filter: Document = {}): Promise<number> {
      return [...matching(filter)].length;
    },
    async insertOne(document: Document): Promise<void> {
      const made = stored({ ...document, _id: document._id ?? randomUUID() }) as Document;
      if (documents.has(made._id)) throw duplicate();
      put(made);
    },
    async updateOne(filter: Document, update: Document, options: WriteOptions = {}) {
      return write(filter, byUpdate(update, options), options);
    },
    async updateMany(filter: Document, update: Document, options: WriteOptions = {}) {
      return write(filter, byUpdate(update, options), options, true);
    },
    async findOneAndUpdate(filter: Document, update: Document, options: WriteOptions = {}) {
      const { before, after } = write(filter, byUpdate(update, options), options);
      return options.returnDocument === 'after' ? after : before;
    },
    async replaceOne(filter: Document, document: Document, options: WriteOptions = {}) {
      return write(filter, ({ _id }) => ({ ...(stored(document) as Document), _id }), options);
    },
    async deleteOne(filter: Document): Promise<{ deletedCount: number }> {
      const document = first(filter);
      if (document !== null) remove(document);
      return { deletedCount: document === null ? 0 : 1 };
    },
    async deleteMany(filter: Document): Promise<{ deletedCount: number }> {
      const found = [...matching(filter)];
      found.forEach(remove);
      return { deletedCount: found.length };
    },
  };
}

function list(byValue: Lookup['byValue'], text: string, id: unknown): void {
  const ids = byValue.get(text);
  if (ids === undefined) byValue.set(text, new Set([id]));
  else ids.add(id);
}

/** A text, and the texts in a list. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** What a filter says that a field is: its value, or one of a list; null where it says no such thing. */
function idsOf(condition: unknown): readonly unknown[] | null {
  if (typeof condition === 'string') return [condition];
  return isObject(condition) &&
    Array.isArray(condition.$in) &&
    condition.$in.every((value) => typeof value === 'string')
    ? [...new Set(condition.$in)]
    : null;
}

/** Fields that an upsert takes from its filter. */
function equalities(filter: Document): Document {
  return Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => !name.startsWith('$') && !isObject(value)),
  );
}

function duplicate(): MongoServerError {
  return new MongoServerError({ message: 'E11000 duplicate key error', code: 11_000 });
}

function createCursor(read: () => Document[]) {
  let order: readonly [string, number][] = [];
  let skipped = 0;
  let most = Number.POSITIVE_INFINITY;
  const cursor = {
    sort(fields: Record<string, number>) {
      order = Object.entries(fields);
      return cursor;
    },
    skip(count: number) {
      skipped = count;
      return cursor;
    },
    limit(count: number) {
      most = count;
      return cursor;
    },
    async toArray(): Promise<Document[]> {
      const found = read();
      if (order.length > 0) found.sort((a, b) => byOrder(order, a, b));
      return skipped === 0 && found.length <= most ? found : found.slice(skipped, skipped + most);
    },
  };
  return cursor;
}

function byOrder(order: readonly [string, number][], a: Document, b: Document): number {
  for (const [field, direction] of order) {
    const difference = compare(a[field], b[field]) ?? 0;
    if (difference !== 0) return difference * direction;
  }
  return 0;
}
