import { parse } from 'yaml';
import { z } from 'zod';
import { FairleadError } from '../errors.ts';
import type { DomainMap, MapEntry } from './domain-map.ts';
import { normaliseDomain } from './domain-name.ts';

/** The most lines of a map. */
export const MOST_MAP_ENTRIES = 20_000;

/** A longer map has to be JSON: YAML is read at a tenth of its pace, and nothing else runs meanwhile. */
const MOST_YAML_CHARACTERS = 1_000_000;

const word = z.string().trim().min(1).max(100);
const entrySchema = z.looseObject({
  domain: z.string().max(2_000),
  family: word.nullish(),
  role: word.nullish(),
  ignored: z.boolean().nullish(),
  reason: z.string().max(500).nullish(),
});
const linesSchema = z.array(z.unknown()).max(MOST_MAP_ENTRIES);
const mapSchema = z.union([linesSchema, z.looseObject({ domains: linesSchema }).transform(({ domains }) => domains)]);

/**
 * Reads a domain map: JSON or YAML, a list of domains, or `domains` with one. A line is a domain, or `{ domain, family?,
 * role?, ignored?, reason? }`. A bad line is left out and told; a map without a good line is refused, since all domains
 * would leave with it.
 * @throws DOMAIN_MAP_UNREADABLE
 */
export function readDomainMap(text: string): DomainMap {
  const lines = mapSchema.safeParse(parseText(text));
  if (!lines.success) {
    throw unreadable(`is not a list of at most ${MOST_MAP_ENTRIES} domains, in JSON or YAML`);
  }
  const entries = new Map<string, MapEntry>();
  const invalid: { text: string; reason: string }[] = [];
  for (const line of lines.data) {
    const entry = readLine(line);
    if ('reason' in entry && !('domain' in entry)) invalid.push(entry);
    else if (entries.has(entry.domain))
      invalid.push({ text: entry.domain, reason: 'is there twice; the first counts' });
    else entries.set(entry.domain, entry);
  }
  if (entries.size === 0) throw unreadable('has no domain');
  return { entries: [...entries.values()], invalid };
}

type BadLine = DomainMap['invalid'][number];

function readLine(line: unknown): MapEntry | BadLine {
  const read = entrySchema.safeParse(typeof line === 'string' ? { domain: line } : line);
  if (!read.success) return { text: JSON.stringify(line)?.slice(0, 100) ?? '', reason: 'is no domain with its fields' };
  const { domain: text, family = null, role = null, ignored, reason = null } = read.data;
  const found = normaliseDomain(text);
  if ('refused' in found) return { text: text.slice(0, 100), reason: `is ${found.refused}` };
  return { domain: found.domain, family, role, ignored: ignored === true, reason };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}

function parseYaml(text: string): unknown {
  if (text.length > MOST_YAML_CHARACTERS) {
    throw unreadable(`has more than ${MOST_YAML_CHARACTERS} characters of YAML: a map of that length has to be JSON`);
  }
  try {
    // No aliases: a few lines could stand for gigabytes. Keys are not compared: each would be with all others.
    return parse(text, { maxAliasCount: 0, uniqueKeys: false, logLevel: 'silent' });
  } catch {
    return null;
  }
}

function unreadable(why: string): FairleadError {
  return new FairleadError('DOMAIN_MAP_UNREADABLE', `The domain map ${why}; nothing was changed`);
}
