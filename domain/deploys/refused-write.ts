import type { FailureClass } from './failure-class.ts';

/** What programs name that they may write to. Quotes nothing that needs a quote. */
const PATH = String.raw`((?:\/|\.{1,2}\/|[\w@-])[\w./@+-]{0,200})`;
/** The refusal of a root that is read-only, and of a file or folder that is another user's. */
const REFUSED = '(?:read-only file system|permission denied)';
const CALLS = 'mkdir|mkdtemp|open|unlink|rename|copyfile|rmdir|symlink|link|truncate|l?chmod|chown|utime|lutime';

/** How Node.js, shells, Go and servers written in C say what they could not do, and to what. */
const byNode = (codes: string, calls: string): string => `(?:${codes}): [^\\n]{0,60}?, (?:${calls}) '${PATH}'`;
const byShell = (doing: string): string => `(?:cannot|can't) ${doing} ['‘"]?${PATH}['’"]?: ${REFUSED}`;
const byCall = (calls: string): string =>
  `\\b(?:${calls})(?:\\(\\))? "?${PATH}"?:? (?:failed \\((?:13|30): )?${REFUSED}`;

const WRITTEN = patterns(
  byNode('EROFS|EACCES', CALLS),
  byNode('ENOENT', 'mkdir'),
  // Python.
  `\\[Errno (?:13|30)\\] ${REFUSED}: '${PATH}'`,
  byShell('(?:create(?: directory| regular file)?|touch|remove|move)'),
  byCall('mkdir|open'),
);

/** And how databases and others do, which do not say where. */
const UNNAMED =
  /EROFS|read-only file ?system|SQLITE_(?:READONLY|CANTOPEN)|readonly database|unable to open (?:the )?database file/i;

/** A program that writes where it may not when it starts: its root is read-only, and it is not root. */
export const REFUSED_WRITE: FailureClass = {
  printed: new RegExp([...WRITTEN, UNNAMED].map(({ source }) => source).join('|'), 'i'),
  remedies: { start: ({ input }) => writesTo(writtenPath(input)) },
};

/** A file or folder that it could not write; null where no line names one. */
function writtenPath(text: string): string | null {
  for (const pattern of WRITTEN) {
    const path = pattern.exec(text)?.[1];
    if (path !== undefined) return path;
  }
  return null;
}

/** How they say that they could not make a folder. One that was there already would be told otherwise. */
const UNMADE = patterns(byNode('EROFS|EACCES|ENOENT', 'mkdir'), byShell('create directory'), byCall('mkdir'));

function patterns(...sources: readonly string[]): readonly RegExp[] {
  return sources.map((source) => new RegExp(source, 'i'));
}

/**
 * The folder that a program could not make on its read-only root. It is in no image, so nothing is hidden by a folder in memory
 * in its place.
 * @returns its whole path, or one from the working folder of the image; null where no line names one, or one of the system
 */
export function unmadeFolder(lines: readonly string[]): string | null {
  for (const line of lines) {
    for (const pattern of UNMADE) {
      const path = pattern
        .exec(line)?.[1]
        ?.replace(/^(?:\.\/)+/, '')
        .replace(/\/+$/, '');
      if (path !== undefined && isOwnFolder(path)) return path;
    }
  }
  return null;
}

/** From a working folder of `/` as well. */
const OF_THE_SYSTEM = /^\/?(?:(?:proc|sys|dev)(?:\/|$)|(?:etc|usr|bin|sbin|lib|lib64|var|home|root|opt)$)/;

function isOwnFolder(path: string): boolean {
  return (
    /^\/?[\w@+-][\w.@+-]*(?:\/[\w@.+-]+)*$/.test(path) &&
    !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path) &&
    !OF_THE_SYSTEM.test(path)
  );
}

const IN_CATALOG = 'in platform.io/writable-paths in catalog-info.yaml; it is empty at each start';

/** Folders of the system are none that a catalog can make writable. */
function writesTo(path: string | null): string {
  if (path === null) {
    return `It writes to a folder that is read-only: write to /tmp, or name the folder ${IN_CATALOG}.`;
  }
  if (/^\/(?:proc|sys|dev|etc)\//.test(path)) {
    return `It writes to ${path}, which is read-only and stays so: write to /tmp, or to a folder of its own such as /data, and name that one ${IN_CATALOG}.`;
  }
  if (!path.startsWith('/')) {
    return `It writes to ${path} in its working folder, which is read-only: write to /tmp, or name that folder with its whole path, such as /app/data, ${IN_CATALOG}.`;
  }
  return `It writes to ${path}, which is read-only: write to /tmp, or name the folder ${IN_CATALOG}.`;
}
