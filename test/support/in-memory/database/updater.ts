import { itemMatcher } from './matcher.ts';
import { compare, type Document, isEqual, isObject, stored } from './values.ts';

export interface UpdateOptions {
  readonly arrayFilters?: readonly Document[];
}

type Change = (before: unknown) => unknown;

/**
 * The document after an update in the database's language, as far as the stores of the identity provider speak it; what it
 * was stays as it is. @throws Error beyond that
 */
export function updated(
  before: Document,
  update: Document,
  { arrayFilters = [] }: UpdateOptions,
  isNew = false,
): Document {
  let document = before;
  for (const [operator, fields] of Object.entries(update)) {
    if (operator === '$setOnInsert' && !isNew) continue;
    for (const [path, operand] of Object.entries(fields as Document)) {
      if (operand === undefined) continue;
      document = changedAt(document, path.split('.'), changeOf(operator, operand), arrayFilters) as Document;
    }
  }
  return document;
}

function changedAt(value: unknown, path: readonly string[], change: Change, filters: readonly Document[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  const chosen = /^\$\[(\w+)\]$/.exec(name)?.[1];
  if (chosen !== undefined) {
    const matches = itemMatcher(filterOf(chosen, filters));
    return (value as unknown[]).map((item) => (matches(item) ? changedAt(item, rest, change, filters) : item));
  }
  const parent = isObject(value) ? value : {};
  const after = changedAt(parent[name], rest, change, filters);
  if (after !== undefined) return { ...parent, [name]: after };
  const { [name]: _, ...others } = parent;
  return others;
}

/** `{ 'used.id': 1 }` of the identifier `used` is `{ id: 1 }` of the item. */
function filterOf(identifier: string, filters: readonly Document[]): Document {
  const prefix = `${identifier}.`;
  const found = filters.find((filter) => Object.keys(filter).every((name) => name.startsWith(prefix))) ?? {};
  return Object.fromEntries(Object.entries(found).map(([name, wanted]) => [name.slice(prefix.length), wanted]));
}

const itemsOf = (operand: unknown): readonly unknown[] =>
  isObject(operand) && '$each' in operand ? (operand.$each as unknown[]) : [operand];

function changeOf(operator: string, operand: unknown): Change {
  if (operator === '$set' || operator === '$setOnInsert') return () => stored(operand);
  if (operator === '$unset') return () => undefined;
  if (operator === '$inc') return (before) => ((before as number | undefined) ?? 0) + (operand as number);
  if (operator === '$max')
    return (before) => (before === undefined || (compare(operand, before) ?? 1) > 0 ? operand : before);
  if (operator === '$push')
    return (before) => [...((before as unknown[] | undefined) ?? []), ...itemsOf(stored(operand))];
  if (operator === '$addToSet') {
    return (before) => {
      const list = [...((before as unknown[] | undefined) ?? [])];
      for (const item of itemsOf(operand)) if (!list.some((one) => isEqual(one, item))) list.push(item);
      return list;
    };
  }
  if (operator === '$pull') {
    const matches = itemMatcher(operand);
    return (before) => ((before as unknown[] | undefined) ?? []).filter((item) => !matches(item));
  }
  throw new Error(`no such operator here: ${operator}`);
}
