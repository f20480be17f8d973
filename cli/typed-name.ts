import { basename, relative } from 'node:path';

/** What tells how this program was started: the variables that package managers set, and the script that Node was given. */
export interface Started {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.argv[1]` */
  readonly script: string;
  readonly cwd: string;
}

/** By the first word of `npm_config_user_agent`: what runs a program of a package. */
const RUNNERS: Readonly<Record<string, string>> = { npm: 'npx', pnpm: 'pnpm', yarn: 'yarn', bun: 'bunx' };

/** Words that begin a command line of ours. */
export const COMMANDS = [
  'alerts',
  'audit',
  'builds',
  'cancel',
  'config',
  'console',
  'credentials',
  'db',
  'deploy',
  'doctor',
  'domain',
  'git',
  'grants',
  'help',
  'incidents',
  'init',
  'invite',
  'invites',
  'keys',
  'link',
  'locker',
  'lockfile',
  'login',
  'logout',
  'logs',
  'members',
  'monitors',
  'oauth',
  'open',
  'orgs',
  'platform',
  'registry',
  'releases',
  'retry',
  'rollback',
  'services',
  'status',
  'subscribers',
  'tail',
  'users',
  'validate',
  'wallet',
  'whoami',
] as const;

const QUOTED = new RegExp(`(?<![\\w/.-])(?:npx )?fairlead(?= (?:(?:${COMMANDS.join('|')})\\b|-|\\[))`, 'g');

/** What the user types to run this program again: `npx fairlead`, `node cli/fairlead.mjs`, or `fairlead` itself. */
export function typedName({ env, script, cwd }: Started): string {
  const { npm_config_user_agent: agent, npm_execpath: manager, npm_command: command } = env;
  if (agent !== undefined || manager !== undefined || command !== undefined) {
    return `${RUNNERS[agent?.split('/')[0] ?? ''] ?? 'npx'} fairlead`;
  }
  if (basename(script) !== 'fairlead.mjs') return 'fairlead';
  const path = relative(cwd, script);
  return `node ${path.startsWith('../../') ? script : path}`;
}

/** A text for people, in which the command lines that it proposes begin as the user typed this one. */
export function asTyped(text: string, name: string): string {
  return text.replace(QUOTED, name.replaceAll('$', '$$$$'));
}
