import { basename } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts';
import { type ApiClient, pathOf } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import type { CredentialsFile } from './login/credentials-file.ts';
import type { DesktopEnv } from './open-browser.ts';
import type { Output } from './output.ts';
import { nameFromFolder } from './project.ts';
import { buildReply, pageOf } from './replies.ts';
import type { Surroundings } from './surroundings.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly apiUrl?: string;
  readonly env: Environment;
  readonly color: boolean;
  readonly quiet?: boolean;
}

/** What a command works with. */
export interface CliContext {
  readonly output: Output;
  readonly environment: Environment;
  readonly connection: Connection;
  readonly api: ApiClient;
  /** The identity provider, where orgs and people are; found when it is first asked for. */
  readonly provider: () => Promise<ApiClient>;
  readonly credentials: CredentialsFile;
  /** What is known of the desktop this runs on. */
  readonly desktop: DesktopEnv;
  /** Where a person is asked. */
  readonly terminal: Pick<Surroundings, 'stdin' | 'stderr'>;
  readonly cwd: string;
  /** The checkout of Fairlead that this command line is in. */
  readonly checkout: string;
  readonly now: Clock;
}

export const ENVIRONMENT_CHOICES = ENVIRONMENTS;

/** The service that is meant: the one named, else the one of the folder this is run in. */
export async function serviceName(context: CliContext, given: string | undefined): Promise<string> {
  return given ?? nameFromFolder(context.cwd, undefined);
}

/**
 * The build that is meant: a build id, else the newest build of the service named, or of this folder's service.
 * @throws CliFailure with exit `notFound` when the service has no build in the environment
 */
export async function findBuildId(context: CliContext, given: string | undefined): Promise<string> {
  if (given?.startsWith('bld_') === true) return given;
  const service = await serviceName(context, given);
  const { items } = await context.api.call(pageOf(buildReply), {
    method: 'GET',
    path: pathOf('builds'),
    query: { service, environment: context.environment, limit: 1 },
  });
  const newest = items[0];
  if (newest !== undefined) return newest.id;
  throw new CliFailure('BUILD_NOT_FOUND', `${service} has no build in ${context.environment}.`, {
    exit: 'notFound',
    remedy: `See all: \`fairlead builds\`. Deploy: \`fairlead deploy\` in ${basename(context.cwd)}.`,
  });
}
