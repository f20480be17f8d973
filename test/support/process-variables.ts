import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { edgeSection } from '../../adapters/env/edge.ts';
import { httpServiceSection } from '../../adapters/env/http-service.ts';
import { serviceMetricsSection } from '../../adapters/env/metrics.ts';
import { serviceUrlsSection } from '../../adapters/env/service-urls.ts';
import { isSecret } from '../../adapters/env/variable-kinds.ts';
import { workerSection } from '../../adapters/env/worker.ts';
import { readVariables } from '../../adapters/read-variables.ts';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import type { ImageProcess } from '../../infra/image/image-processes.ts';
import { MODULES } from '../../workers/modules.ts';

type Section = Readonly<Record<string, z.ZodType>>;

/** Every variable that a process reads, and which of them are secret: from the sections that its own code reads. */
export async function processVariables({ name }: Pick<ImageProcess, 'name'>): Promise<{
  readonly all: ReadonlySet<string>;
  readonly secret: ReadonlySet<string>;
}> {
  const sections = [...(await sectionsOf(name)), serviceUrlsSection];
  const marked = sections.flatMap((section) =>
    Object.entries(section).flatMap(([one, kind]) => (isSecret(kind) ? one : [])),
  );
  const names = sections.flatMap((section) => Object.keys(section));
  const databases = databaseVariables(name);
  return { all: new Set([...names, ...databases, ...portVariable(name)]), secret: new Set([...marked, ...databases]) };
}

/** Reads an environment as the process itself does. @throws VALIDATION_FAILED listing what is wrong */
export async function readAsProcess(
  { name }: Pick<ImageProcess, 'name'>,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  for (const section of [...(await sectionsOf(name)), serviceUrlsSection]) readVariables(z.object(section), given);
}

async function sectionsOf(name: string): Promise<readonly Section[]> {
  if (name === 'edge') return [edgeSection];
  if (name === 'worker') return [workerSection, ...MODULES.map(({ section }) => section)];
  const path = join(projectRoot, 'api', 'services', `${name}.ts`);
  if (!existsSync(path)) throw new Error(`${name} is no service`);
  const module = (await import(pathToFileURL(path).href)) as Record<string, { name?: string; section?: Section }>;
  const definition = Object.values(module).find((one) => one.name === name);
  if (definition?.section === undefined) throw new Error(`${path} has no definition of ${name}`);
  const { INTERNAL_SERVICE_KEY, IDP_INTERNAL_KEY, ...keyless } = httpServiceSection;
  const isKeyless = SERVICE_ROWS.find((row) => row.name === name)?.holdsNoKey === true;
  const ofAll = isKeyless ? keyless : { ...keyless, INTERNAL_SERVICE_KEY, IDP_INTERNAL_KEY };
  return [ofAll, serviceMetricsSection, definition.section];
}

function databaseVariables(name: string): readonly string[] {
  const rows = name === 'worker' ? SERVICE_ROWS : SERVICE_ROWS.filter((row) => row.name === name);
  const own = rows.filter(({ database }) => database !== null);
  return own.length === 0
    ? []
    : ['MONGODB_URI', ...own.flatMap(({ databaseUriVariable }) => databaseUriVariable ?? [])];
}

function portVariable(name: string): readonly string[] {
  return SERVICE_ROWS.flatMap((row) => (row.name === name ? row.portVariable : []));
}
