import { compare, type Document, isEqual, isObject, valuesAt } from './values.ts';

export type Matcher = (document: unknown) => boolean;

/** One for the items of a list, as `$pull`, `$elemMatch` and `arrayFilters` have it. */
export function itemMatcher(condition: unknown): Matcher {
  if (!isObject(condition)) return (item) => isEqual(item, condition);
  return isOperators(condition) ? valueMatcher(condition) : documentMatcher(condition);
}

/** A filter in the database's language, as far as the stores of the identity provider speak it. @throws Error beyond that */
export function documentMatcher(filter: Document): Matcher {
  const parts = Object.entries(filter).map(([name, condition]): Matcher => {
    if (name === '$and') return every(filters(condition));
    if (name === '$or') return some(filters(condition));
    const path = name.split('.');
    const matches = valueMatcher(condition);
    if (path.length === 1) return (document) => matches(isObject(document) ? document[name] : undefined);
    if (isObject(condition) && ('$ne' in condition || '$not' in condition)) {
      return (document) => valuesAt(document, path).every(matches);
    }
    return (document) => valuesAt(document, path).some(matches);
  });
  return every(parts);
}

const filters = (list: unknown): Matcher[] => (list as Document[]).map(documentMatcher);

const every =
  (matchers: readonly Matcher[]): Matcher =>
  (value) => {
    for (const matches of matchers) if (!matches(value)) return false;
    return true;
  };

const some =
  (matchers: readonly Matcher[]): Matcher =>
  (value) =>
    matchers.some((matches) => matches(value));

const isOperators = (condition: Document): boolean => Object.keys(condition).some((name) => name.startsWith('$'));

function valueMatcher(condition: unknown): Matcher {
  if (condition instanceof RegExp) return inList((item) => typeof item === 'string' && condition.test(item));
  if (!isObject(condition) || !isOperators(condition)) return inList((item) => isEqual(item, condition));
  return every(Object.entries(condition).map(([name, wanted]) => operator(name, wanted)));
}

/** A list matches as a whole, or by any of its items. */
const inList =
  (matches: Matcher): Matcher =>
  (value) =>
    matches(value) || (Array.isArray(value) && value.some(matches));

const ordered = (wanted: unknown, isMeant: (order: number) => boolean): Matcher =>
  inList((item) => {
    const order = compare(item, wanted);
    return order !== null && isMeant(order);
  });

function operator(name: string, wanted: unknown): Matcher {
  if (name === '$gt') return ordered(wanted, (order) => order > 0);
  if (name === '$gte') return ordered(wanted, (order) => order >= 0);
  if (name === '$lt') return ordered(wanted, (order) => order < 0);
  if (name === '$lte') return ordered(wanted, (order) => order <= 0);
  if (name === '$in') return some((wanted as unknown[]).map(valueMatcher));
  if (name === '$exists') return (value) => (value !== undefined) === wanted;
  if (name === '$elemMatch') {
    const matches = itemMatcher(wanted);
    return (value) => Array.isArray(value) && value.some(matches);
  }
  if (name === '$ne' || name === '$not') {
    const matches = valueMatcher(wanted);
    return (value) => !matches(value);
  }
  throw new Error(`no such operator here: ${name}`);
}
