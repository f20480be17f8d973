import { z } from 'zod';
import { serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { part } from '../platform/part.ts';
import { type Platform, pathOf } from '../platform/platform.ts';
import { repositoryAddress, serviceNameOf } from './service-name-of.ts';

const optional = z.string().trim().max(400).optional();

/** Fields of the form that names a repository, and of those that carry it on. */
export const sourceShape = {
  gitUrl: z.string().trim().min(1).max(2_000),
  name: optional,
  branch: optional,
  appPath: optional,
} as const;

type SourceFields = z.output<z.ZodObject<typeof sourceShape>>;

/** A service as POST /services takes it; it may be here or not. */
export interface NewService {
  readonly name: string;
  readonly gitUrl: string;
  readonly branch?: string;
  readonly appPath?: string;
}

/** What was typed, as a service; its name is that of the repository where none is given. @throws VALIDATION_FAILED */
export function newServiceOf({ gitUrl, name, branch, appPath }: SourceFields): NewService {
  const service = {
    name: serviceNameOf(given(name) ?? gitUrl),
    gitUrl: repositoryAddress(gitUrl),
    ...(given(branch) === undefined ? {} : { branch: given(branch) }),
    ...(given(appPath) === undefined ? {} : { appPath: given(appPath) }),
  } as NewService;
  if (serviceNameSchema.safeParse(service.name).success) return service;
  throw refused('name', 'The address gives no name for the service: choose one');
}

/** The service of that name as it is here; null for none. A look at a plan changes nothing of it. @throws VALIDATION_FAILED for another source */
export async function findSame(platform: Platform, wanted: NewService) {
  const { name, gitUrl, appPath } = wanted;
  const found = await part(platform.get('builder', pathOf('services', name), serviceViewSchema));
  if (!found.ok) {
    if (found.error.code === 'SERVICE_NOT_FOUND') return null;
    throw found.error;
  }
  const { value: here } = found;
  if (here.gitUrl !== null && bare(here.gitUrl) !== bare(gitUrl)) {
    throw refused('name', `${name} is here already, built from ${here.gitUrl}: choose another name`);
  }
  if (here.gitUrl !== null && appPath !== undefined && folder(appPath) !== folder(here.appPath ?? '')) {
    const built = here.appPath === null ? 'the top of the repository' : `its folder ${here.appPath}`;
    throw refused('name', `${name} is here already, built from ${built}: choose another name`);
  }
  // One that has no repository yet gets it, as its owner asks, with the deploy.
  return here.gitUrl === null ? null : here;
}

/** Has the service known to the platform, unless it is. @returns its name. @throws VALIDATION_FAILED, and what the builder refuses */
export async function register(platform: Platform, wanted: NewService): Promise<string> {
  const found = await findSame(platform, wanted);
  if (found !== null) return found.name;
  const { name } = await platform.send('builder', 'POST', '/services', serviceViewSchema, { body: wanted });
  return name;
}

function refused(field: string, message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}

function bare(address: string): string {
  return address.replace(/\/+$/, '').replace(/\.git$/, '');
}

function folder(path: string): string {
  return path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
