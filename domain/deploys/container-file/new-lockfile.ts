import type { AppDescription } from '../app/app-description.ts';

/** Where an image has the lockfile that its install wrote. */
export const LOCKFILE_FOLDER = '/lockfile';

const BEGIN = `RUN rm -rf ${LOCKFILE_FOLDER} && mkdir ${LOCKFILE_FOLDER} && `;

/**
 * Lays it aside as the install left it. Settings of the package manager may have it write none. Scripts of the source have
 * run before: only a regular file is taken, since a link may lead to anything, and nothing that they put into the folder.
 */
export function layLockfileAside({ newLockfile }: AppDescription): readonly string[] {
  if (newLockfile === null) return [];
  const isFile = `[ -f ${newLockfile} ] && [ ! -L ${newLockfile} ]`;
  return [`${BEGIN}if ${isFile}; then cp -P ${newLockfile} ${LOCKFILE_FOLDER}/; fi`];
}

/** True for the instruction of {@link layLockfileAside}, which needs no secret and is shown none. */
export function laysLockfileAside(instruction: string): boolean {
  return instruction.startsWith(BEGIN);
}

export function copyLockfile({ newLockfile }: AppDescription): readonly string[] {
  return newLockfile === null ? [] : [`COPY --from=build ${LOCKFILE_FOLDER} ${LOCKFILE_FOLDER}`];
}
