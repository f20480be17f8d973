import { statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../dev/project.ts';
import { residentVariables } from '../dev/runtime-variables.ts';
import { IMAGE_PROCESSES, type ImageProcess } from './image-processes.ts';
import { singleMachineSettings } from './single-machine.ts';

/**
 * The entry point of the platform's image: its argument names the process that this container is. It looks at the settings, and then
 * becomes that process: signals reach it as the first of the container.
 */

const USAGE = `usage: <image> <process>
       <image> probe <process>    ends with 0 where the process of this container is ready
       <image> object-store-link-user
                                  makes the user of MinIO by whose keys the builder signs links
       <image> secrets            prints the keys of a new installation, as lines of an environment file

processes: ${IMAGE_PROCESSES.map(({ name }) => name).join(', ')}
`;

async function main([word = '', ...rest]: readonly string[]): Promise<number> {
  if (word === 'secrets' && rest.length === 0) {
    const { installationSecrets } = await import('./installation-secrets.ts');
    process.stdout.write(installationSecrets());
    return 0;
  }
  if (word === 'object-store-link-user' && rest.length === 0) {
    const { makeLinkUser } = await import('./link-user.ts');
    await makeLinkUser(process.env);
    return 0;
  }
  const found = IMAGE_PROCESSES.find(({ name }) => name === (word === 'probe' ? rest[0] : word));
  if (found === undefined || rest.length > (word === 'probe' ? 1 : 0)) {
    process.stderr.write(USAGE);
    return 2;
  }
  if (word !== 'probe') return become(found);
  const { probe } = await import('./probe.ts');
  return await probe(found, process.env);
}

/** Returns only where it may not start. */
function become(wanted: ImageProcess): number {
  const { refused, warned } = singleMachineSettings(wanted, process.env, isOfContainer);
  for (const line of warned) process.stderr.write(`warning: ${line}\n`);
  for (const line of refused) process.stderr.write(`${line}\n`);
  if (refused.length > 0) return 1;
  const { program, args, health } = wanted;
  const variables = {
    [health.variable]: String(health.port),
    ...withoutEmpty(process.env),
    ...residentVariables(process.env),
  };
  // The same process from here on: a container's first one gets its signals, and nothing is left of this one in memory.
  process.execve?.(
    process.execPath,
    [process.execPath, ...program.flags, join(projectRoot, program.script), ...args],
    variables,
  );
  process.stderr.write(`this Node (${process.version}) cannot become another program: the image needs Node 24\n`);
  return 1;
}

/** An empty variable means "not set". */
function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  return Object.fromEntries(given);
}

/** Whether no volume is mounted there. */
function isOfContainer(folder: string): boolean {
  try {
    return statSync(folder).dev === statSync('/').dev;
  } catch {
    return true;
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
