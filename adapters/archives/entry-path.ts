import { FairleadError } from '../../domain/errors.ts';

const MAX_COMPONENT_BYTES = 255;

/**
 * The components of an entry's name below the root; empty for the root itself.
 * @throws ARCHIVE_INVALID for names that could leave the root or mean different things on different systems.
 */
export function entryPath(name: string, maxBytes: number): readonly string[] {
  if (name.includes('\0')) throw badEntry(name, 'has a NUL character in its name');
  if (name.includes('\\')) throw badEntry(name, 'has a backslash in its name');
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw badEntry(name, 'has an absolute path');
  if (Buffer.byteLength(name) > maxBytes) throw badEntry(name, `has a path longer than ${maxBytes} bytes`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badEntry(name, 'leads out of the archive with ".."');
  if (parts.some((part) => Buffer.byteLength(part) > MAX_COMPONENT_BYTES)) {
    throw badEntry(name, `has a name longer than ${MAX_COMPONENT_BYTES} bytes`);
  }
  return parts;
}

/**
 * Checks a symbolic link by its text alone and returns how many directories below the root its ".." lead to.
 *
 * Steps up may only stand at the front of the target: from a real directory they reach a real directory, and the names
 * after them descend, through links that were held to the same rule. So no chain of links leaves the root, whatever
 * order they come in.
 *
 * @param depth how many directories below the root the link itself is.
 * @throws ARCHIVE_INVALID
 */
export function checkLinkTarget(name: string, target: string, depth: number): number {
  if (target === '' || target.includes('\0')) throw badEntry(name, 'is a symbolic link without a valid target');
  if (target.includes('\\')) throw badEntry(name, 'is a symbolic link with a backslash in its target');
  if (target.startsWith('/')) throw badEntry(name, 'is a symbolic link to an absolute path');
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const firstName = parts.findIndex((part) => part !== '..');
  const up = firstName === -1 ? parts.length : firstName;
  if (up > depth) throw badEntry(name, 'is a symbolic link that leads out of the archive');
  if (parts.indexOf('..', up) !== -1) throw badEntry(name, 'is a symbolic link with ".." after a name in its target');
  return depth - up;
}

/** The refusal of an entry, which is named so that its owner finds it; odd characters are shown escaped. */
export function badEntry(name: string, what: string): FairleadError {
  const shown = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  return new FairleadError('ARCHIVE_INVALID', `Archive entry ${shown} ${what}; remove it from the archive`, {
    details: { entry: name.slice(0, 200) },
  });
}
