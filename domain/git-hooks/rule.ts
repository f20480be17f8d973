import { parseBranchName } from '../deploys/git-url.ts';
import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';

export const REF_KINDS = ['branch', 'tag'] as const;

export type RefKind = (typeof REF_KINDS)[number];

/** Which pushes deploy a service, and to which environment. */
export interface DeployRule {
  readonly kind: RefKind;
  /** Name of the branch or tag; `*` stands for any characters, `/` as well. */
  readonly pattern: string;
  readonly environment: Environment;
  /** Globs of git, from the root of the repository; `!` in front leaves paths out. Empty: every change counts. */
  readonly paths: readonly string[];
}

const PREFIXES: Readonly<Record<RefKind, string>> = { branch: 'refs/heads/', tag: 'refs/tags/' };

/** A branch or tag by its full name, such as `refs/heads/main`. */
export interface Ref {
  readonly kind: RefKind;
  readonly name: string;
}

/** Null for what is neither a branch nor a tag, such as `refs/pull/7/head`, or no name that git takes. */
export function parseRef(text: string): Ref | null {
  for (const [kind, prefix] of Object.entries(PREFIXES) as [RefKind, string][]) {
    if (!text.startsWith(prefix)) continue;
    const name = text.slice(prefix.length);
    return isRefName(name) ? { kind, name } : null;
  }
  return null;
}

export function formatRef({ kind, name }: Ref): string {
  return PREFIXES[kind] + name;
}

/** True when the rule is about the branch or tag. In time proportional to the lengths, whatever the pattern is. */
export function matchesRef({ kind, pattern }: Pick<DeployRule, 'kind' | 'pattern'>, ref: Ref): boolean {
  return kind === ref.kind && matchesPattern(pattern, ref.name);
}

/** True for a pattern that names one branch or tag. */
export function namesOneRef({ pattern }: Pick<DeployRule, 'pattern'>): boolean {
  return !pattern.includes('*');
}

/**
 * A pattern as people write it.
 * @throws VALIDATION_FAILED naming `field`
 */
export function parsePattern(text: string, field: string): string {
  // Each star stands for at least one character that is fine anywhere.
  if (isRefName(text.replaceAll('*', 'x')) && !text.includes('**')) return text;
  const message = `${field}: give the name of a branch or tag, such as main or release/*; * stands for any characters`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field, message }] });
}

/**
 * A glob of paths, which git reads.
 * @throws VALIDATION_FAILED naming `field`
 */
export function parsePathGlob(text: string, field: string): string {
  const path = text.replace(/^!/, '');
  const isOdd = path === '' || text.length > 300 || /^[/:]|(^|\/)\.\.(\/|$)|\\/.test(path) || hasControl(text);
  if (!isOdd) return text;
  const message = `${field}: give a path from the root of the repository, such as services/api/** or !docs/**`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field, message }] });
}

/** What an author writes into the message of a commit that is not to be deployed. */
const SKIP_MARKS = ['[skip deploy]', '[skip ci]', '[ci skip]', '[no ci]'] as const;

/** The mark by which the message of a commit asks not to be deployed; null when it has none. */
export function skipMark(message: string): string | null {
  const text = message.toLowerCase();
  return SKIP_MARKS.find((mark) => text.includes(mark)) ?? null;
}

function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function isRefName(name: string): boolean {
  try {
    return parseBranchName(name) === name;
  } catch {
    return false;
  }
}

function hasControl(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}
