import { z } from 'zod';
import { FairleadError } from '../errors.ts';
import type { PlatformConfig } from './catalog.ts';
import { checkShape } from './check-shape.ts';
import { readYaml } from './read-yaml.ts';
import { isInsidePath, joinInside } from './source-path.ts';

const EXPECTED = 'a relative path inside the repository, with / and without ..';
const path = z
  .string({ error: EXPECTED })
  .refine(isInsidePath, { error: EXPECTED })
  .nullish()
  .transform((value) => value ?? null);

const schema = z.object(
  { appPath: path, dockerfile: path, buildContext: path, helmChart: path },
  { error: 'a mapping with appPath, dockerfile, buildContext, helmChart' },
);

/** Reads `.platform.yaml` (spec 2, step 2). Other keys are ignored. @throws PLATFORM_CONFIG_INVALID with every problem. */
export function parsePlatformConfig(text: string, fileName = '.platform.yaml'): PlatformConfig {
  const source = { fileName, code: 'PLATFORM_CONFIG_INVALID' as const };
  const yaml = readYaml(text, source);
  return checkShape(schema, yaml.value, yaml, source);
}

export interface PathFacts {
  readonly serviceRecord: { readonly appPath: string | null; readonly dockerfilePath: string | null };
  readonly platformConfig: PlatformConfig | null;
}

export interface EffectivePaths {
  /** Directory of the app inside the source; `''` is the root. */
  readonly appPath: string;
  /** Hand-written container file inside the source; null when neither record nor file names one. */
  readonly dockerfile: string | null;
  /** Build context inside the source; `''` is the root. */
  readonly contextPath: string;
}

/**
 * Where app, container file and build context are (spec 2, step 2): the service record goes before the file, and the
 * directory of the container file stands in for an app path nobody names.
 *
 * @throws PLATFORM_CONFIG_INVALID when a path of the service record leaves the source.
 */
export function effectivePaths({ serviceRecord, platformConfig }: PathFacts): EffectivePaths {
  const recordDockerfile = inside('dockerfilePath', serviceRecord.dockerfilePath);
  const dockerfile = customDockerfile(recordDockerfile) ?? inside('dockerfile', platformConfig?.dockerfile ?? null);
  const appPath =
    inside('appPath', serviceRecord.appPath) ??
    inside('appPath', platformConfig?.appPath ?? null) ??
    directoryOf(recordDockerfile ?? dockerfile);
  const context = inside('buildContext', platformConfig?.buildContext ?? null);
  return { appPath, dockerfile, contextPath: joinInside(appPath, context ?? '') };
}

/** `Dockerfile` is what the record says when nobody chose: it asks for nothing in particular. */
function customDockerfile(file: string | null): string | null {
  return file === null || file === 'Dockerfile' ? null : file;
}

function directoryOf(file: string | null): string {
  return file === null ? '' : file.split('/').slice(0, -1).join('/');
}

function inside(field: string, value: string | null): string | null {
  if (value === null || value === '') return null;
  if (isInsidePath(value)) return joinInside(value);
  throw new FairleadError('PLATFORM_CONFIG_INVALID', `${field}: expected ${EXPECTED}, found ${JSON.stringify(value)}`, {
    details: { field },
  });
}
