import { posix } from 'node:path';
import { isLockfile, LOCKFILE_LIMIT_BYTES } from '../../domain/deploys/build-lockfile.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import { showsSecret } from '../../domain/deploys/lockfile-secrets.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';

/**
 * Keeps the lockfile that the install of an image wrote with the build, so that its author can commit it. No build fails by
 * it: what is in the way is a warning. Idempotent: it is kept under the id of the build.
 * @param hidden what the install had, and the lockfile must not show
 */
export async function keepLockfile(
  deps: Pick<DeploysDeps, 'images' | 'builds'>,
  { build, facts: { newLockfile, imageTag }, signal, onLine, warn }: StepContext,
  hidden: readonly string[],
): Promise<Pick<BuildFacts, 'lockfile'>> {
  if (newLockfile === undefined || imageTag === undefined) return {};
  const { buildId } = build;
  const name = posix.basename(newLockfile);
  try {
    const text = await deps.images.readText(imageTag, newLockfile, LOCKFILE_LIMIT_BYTES, signal);
    if (text === null) return {};
    if (!isLockfile({ name, text })) {
      warn(`${name}, which the install wrote, is not kept: it is no lockfile`);
      return {};
    }
    if (showsSecret(text, hidden)) {
      warn(`${name}, which the install wrote, is not kept: it shows a secret, such as a token in an address`);
      return {};
    }
    await deps.builds.keepLockfile(build, { name, text });
    onLine(
      `${name}, which the install wrote, is kept: \`fairlead lockfile ${buildId} --write\` puts it beside package.json`,
    );
    return { lockfile: { name, buildId } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FairleadError)) throw error;
    warn(`${name}, which the install wrote, could not be kept: ${error.message}`);
    return {};
  }
}
