import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { GENERATED_SECRETS, SERVICE_ROWS } from '../../domain/services.ts';
import { projectRoot } from './project.ts';

const FOLDER = join(projectRoot, 'adapters', 'env');

/**
 * Every variable that the platform reads: those of the sections in `adapters/env/`, found there so that a new module's are
 * among them without a list, and those of the table of services.
 */
export async function platformVariables(): Promise<readonly string[]> {
  const sections = Object.values(await envSections()).flatMap((section) => Object.keys(section));
  const ofServices = SERVICE_ROWS.flatMap(({ portVariable, baseUrlVariable, databaseUriVariable }) =>
    [portVariable, baseUrlVariable, databaseUriVariable ?? []].flat(),
  );
  return [...new Set([...sections, ...ofServices, ...GENERATED_SECRETS.map(({ variable }) => variable)])];
}

/** The sections by their names in the code. */
export async function envSections(): Promise<Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(FOLDER, file)).href)));
  return Object.fromEntries(modules.flatMap((module) => Object.entries(module).filter(isSection)));
}

type Section = [name: string, section: Readonly<Record<string, z.ZodType>>];

function isSection(entry: [string, unknown]): entry is Section {
  const [name, value] = entry;
  if (!name.endsWith('Section') || typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((kind) => kind instanceof z.ZodType);
}
