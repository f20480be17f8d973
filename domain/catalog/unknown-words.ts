import { z } from 'zod';
import { formatPath } from './read-yaml.ts';

/** Words that the contract has without a meaning that it says: dropped without a word (spec 1, catalog rule 1; spec 2). */
const WITHOUT_MEANING: readonly string[] = ['auth.branding', 'auth.passport.branding', 'seo.pages'];
/** For those who read the file, in any section. */
const FOR_READERS = 'description';
/** Says it in words of its own. */
const ELSEWHERE: readonly string[] = ['databases'];
/** More than these help nobody; the rest are counted. */
const MOST_SAID = 20;

/**
 * Warnings about words inside of sections that no part of the schema knows, such as a typing error: what stands there is
 * ignored. Words for sections themselves are another's matter, which knows versions of the format.
 *
 * @param spec the schema of `spec` @param value what the file has there, which the schema takes
 */
export function unknownWords(spec: z.ZodObject, value: object): readonly string[] {
  const found: string[] = [];
  for (const [section, schema] of Object.entries(spec.shape)) {
    const given: unknown = Object.getOwnPropertyDescriptor(value, section)?.value;
    if (given !== undefined && !ELSEWHERE.includes(section)) collect(schema as z.ZodType, given, [section], found);
  }
  if (found.length <= MOST_SAID) return found;
  return [
    ...found.slice(0, MOST_SAID),
    `and ${found.length - MOST_SAID} more words of spec are not known and are ignored`,
  ];
}

function collect(schema: z.ZodType, value: unknown, path: readonly PropertyKey[], found: string[]): void {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(inner.element as z.ZodType, item, [...path, index], found);
  }
  // Of a choice, the mapping is the one with words.
  if (inner instanceof z.ZodUnion) {
    const mapping = inner.options.find((option) => unwrapped(option as z.ZodType) instanceof z.ZodObject);
    if (mapping !== undefined) collect(mapping as z.ZodType, value, path, found);
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const known = Object.keys(inner.shape);
  for (const [word, below] of Object.entries(value)) {
    const here = [...path, word];
    if (known.includes(word)) collect(inner.shape[word] as z.ZodType, below, here, found);
    else if (word !== FOR_READERS && !WITHOUT_MEANING.includes(here.join('.')))
      found.push(`${formatPath(['spec', ...here])} is not known and is ignored; known there: ${known.join(', ')}`);
  }
}

/** What takes the value as the file has it. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodPipe ? unwrapped(schema.in as z.ZodType) : schema;
}
