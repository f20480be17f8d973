import type { Framework } from '../../catalog/catalog.ts';
import { FairleadError } from '../../errors.ts';
import { type ContainerFile, readContainerFile } from './read-container-file.ts';

/** The user an image runs as, before a `:group`; null when nothing in the file sets one that can be known. */
export function finalUser(file: ContainerFile): { readonly name: string | null; readonly line: number } | null {
  const user = file.finalChain.find((stage) => stage.user !== null)?.user ?? null;
  return user === null ? null : { name: user.value?.split(':')[0] ?? null, line: user.line };
}

/**
 * Refuses an image that would run as root, or as a user whose number is not known (spec 2, step 4: "The final USER must
 * be a number other than 0, except for the static framework"). A file without USER has the user of its base image,
 * which counts as root. Returns the user's number; for the static framework what stands there, or null.
 *
 * @throws CONTAINER_ROOT_USER, CONTAINER_FILE_INVALID
 */
export function checkUser(
  text: string,
  options: { readonly framework: Framework | null; readonly fileName: string },
): string | null {
  const file = readContainerFile(text, options.fileName);
  const user = finalUser(file);
  if (options.framework === 'static') return user?.name ?? null;
  const last = file.finalChain[0];
  const remedy = 'set a number other than 0 as the last USER, such as "USER 1001"';
  if (user === null) {
    const line = last?.line ?? 1;
    throw refused(
      options.fileName,
      line,
      `the final stage has no USER, so the image runs as its base image's user, root; ${remedy}`,
    );
  }
  const { name, line } = user;
  if (name !== null && /^0*[1-9]\d{0,9}$/.test(name)) return name;
  const runs = name === 'root' || (name !== null && /^0+$/.test(name)) ? 'runs as root' : 'has a user without a number';
  throw refused(options.fileName, line, `USER ${name ?? '(a variable without a value)'}: the image ${runs}; ${remedy}`);
}

function refused(file: string, line: number, message: string): FairleadError {
  return new FairleadError('CONTAINER_ROOT_USER', `${file}:${line}: ${message}`, { details: { file, line } });
}
