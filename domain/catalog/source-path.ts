/** True for a relative path that stays where it begins: no leading `/`, no `..`, no backslash, no drive, no control character. */
export function isInsidePath(path: string): boolean {
  if (path === '' || path.startsWith('/') || /^[A-Za-z]:/.test(path)) return false;
  if (/[\\\p{Cc}]/u.test(path) || path.length > 1_024) return false;
  return !path.split('/').includes('..');
}

/** Joins relative paths, leaving out `.` and empty parts; the root is `''`. */
export function joinInside(...paths: readonly string[]): string {
  return paths
    .flatMap((path) => path.split('/'))
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
