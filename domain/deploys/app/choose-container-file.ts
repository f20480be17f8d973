import type { Framework } from '../../catalog/catalog.ts';
import { FairleadError } from '../../errors.ts';
import type { AppDescription } from './app-description.ts';

/** The container file that nobody has to name. */
export const OWN_CONTAINER_FILE = 'Dockerfile';

export interface NamedContainerFile {
  readonly path: string;
  readonly exists: boolean;
}

export interface ContainerFileFacts {
  readonly framework: Framework | null;
  /** The one that is named, in the catalog or elsewhere; null when none is. */
  readonly named: NamedContainerFile | null;
  /** True when there is a {@link OWN_CONTAINER_FILE}. */
  readonly hasOwn: boolean;
  readonly hasManifest: boolean;
  /** ENABLE_AUTO_DOCKERFILE */
  readonly mayGenerate: boolean;
  /** @throws CONTAINER_FILE_INVALID when none can be generated */
  readonly describe: () => AppDescription;
}

/** The repository's own container file, or one that is generated from what was found. */
export type ContainerFileChoice = { readonly reason: string; readonly warnings: readonly string[] } & (
  | { readonly path: string; readonly app: null }
  | {
      readonly path: null;
      readonly app: AppDescription;
      /** The repository's own, in whose place one is generated; null where it has none. */
      readonly unused: string | null;
    }
);

/**
 * Which container file is built (spec 2, step 4): the one that is named; else a generated one, where the platform may and
 * can; else the repository's own.
 *
 * @throws CONTAINER_FILE_MISSING, CONTAINER_FILE_INVALID
 */
export function chooseContainerFile(facts: ContainerFileFacts): ContainerFileChoice {
  const { named, hasOwn, framework } = facts;
  if (named?.exists === true) return { path: named.path, app: null, reason: `${named.path} is named`, warnings: [] };
  const warnings = named === null ? [] : [missing(named.path, hasOwn)];
  const own = (reason: string, more: readonly string[] = []): ContainerFileChoice => ({
    path: OWN_CONTAINER_FILE,
    app: null,
    reason,
    warnings: [...warnings, ...more],
  });
  if (!facts.mayGenerate) {
    if (hasOwn) return own('none is generated here');
    throw none(warnings);
  }
  if (framework === null && hasOwn) return own('the framework is none of those for which one is generated');
  if (framework === null && !facts.hasManifest) throw none(warnings);
  try {
    const app = facts.describe();
    const offer = `Dockerfile is not used, one for ${framework} is generated; to use it, name it in platform.io/dockerfile in catalog-info.yaml`;
    const reason = framework === null ? 'package.json tells how the app is started' : `the framework is ${framework}`;
    const unused = hasOwn ? OWN_CONTAINER_FILE : null;
    return { path: null, app, unused, reason, warnings: hasOwn ? [...warnings, offer] : warnings };
  } catch (error) {
    const cannot = error instanceof FairleadError && error.code === 'CONTAINER_FILE_INVALID';
    if (!cannot || !hasOwn) throw error;
    return own('none can be generated', [`Dockerfile is used, because none can be generated: ${error.message}`]);
  }
}

function missing(path: string, hasOwn: boolean): string {
  const other = hasOwn ? ' (there is a Dockerfile in the folder of the app)' : '';
  return `${path} does not exist; falling back to a generated container file: correct the name where it is declared${other}`;
}

function none(warnings: readonly string[]): FairleadError {
  const text =
    'There is no Dockerfile, and the framework is unknown: add a Dockerfile, or name the framework in platform.io/framework (express, fastify, hono, nextjs or static).';
  return new FairleadError('CONTAINER_FILE_MISSING', [...warnings, text].join('. '));
}
