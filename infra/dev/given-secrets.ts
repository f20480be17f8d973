import { readSecrets } from '../../adapters/env.ts';
import { envSections } from './platform-variables.ts';
import type { Env } from './project.ts';

/**
 * Values of the environment that no log of the stack may hold, whichever of its programs prints them: keys, the tokens of
 * git, of the registry and of vendors, and the passwords of the databases' administrators.
 */
export async function givenSecrets(env: Env): Promise<readonly string[]> {
  return readSecrets(Object.values(await envSections()), env);
}
