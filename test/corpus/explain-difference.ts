import type { Commands } from './commands.ts';

export type CommandKind = 'install' | 'build' | 'start';

interface Rule {
  readonly kind: CommandKind;
  /** Null stands for no command. */
  readonly fits: (theirs: string | null, ours: string | null, startScript: string | null) => boolean;
  readonly why: string;
}

const SERVES_SOURCE = /^(?:npx )?(?:nx|ng) (?:run \S+:)?serve\b/;

/** The first rule that fits explains a difference. */
const RULES: readonly Rule[] = [
  {
    kind: 'start',
    fits: (_, ours) => ours?.includes('web server') === true,
    why: 'a web server answers with the built site; the start script is for development, or serves the same files',
  },
  {
    kind: 'start',
    fits: (theirs, ours, script) =>
      isStartScript(theirs) && ours?.includes('start.sh') === true && /\bnext\b|standalone/.test(script ?? ''),
    why: 'next start or the standalone server, whichever the build made, at the given port',
  },
  {
    kind: 'start',
    fits: (theirs, ours, script) => isStartScript(theirs) && isEndOf(ours, script),
    why: 'the start script itself, without a package manager above it that keeps stop signals from it',
  },
  {
    kind: 'start',
    fits: (theirs, ours) => isStartScript(theirs) && ours === 'npm run start',
    why: 'the same script, run by the package manager that every image has',
  },
  {
    kind: 'start',
    fits: (theirs, ours, script) =>
      isStartScript(theirs) && SERVES_SOURCE.test(script ?? '') && /^node dist\/[\w./-]+$/.test(ours ?? ''),
    why: 'the start script serves the source for development; this is the server that the build makes',
  },
  {
    kind: 'install',
    fits: (theirs, ours) => theirs !== null && /--omit=dev|--prod(?:uction)?(?= |$)/.test(ours ?? ''),
    why: 'the same lockfile; nothing builds or starts the app from its development packages, so they are left out',
  },
  {
    kind: 'install',
    fits: (theirs, ours) => theirs !== null && /--include=dev|--production=false|--prod=false/.test(ours ?? ''),
    why: 'the same, with development packages asked for whatever NODE_ENV is; they are pruned after the build unless the start needs one',
  },
  {
    kind: 'install',
    fits: (theirs, ours) => theirs !== null && ours === null,
    why: 'nothing is installed, since nothing is built or started',
  },
];

const isStartScript = (command: string | null): boolean => /^(?:npm|yarn|pnpm|bun) run start$/.test(command ?? '');

/** The commands of ours are those of the script, or the last of them: its builds are done when the image is built. */
function isEndOf(ours: string | null, script: string | null): boolean {
  const own = ours?.replace(/^\/bin\/sh -c /, '').replace(/\bexec (?:env )?/g, '') ?? '';
  return (
    own !== '' && script !== null && (script === own || script.endsWith(`&& ${own}`) || script.endsWith(`; ${own}`))
  );
}

/**
 * Why a command of ours is not that of Nixpacks; null when it is. `UNEXPLAINED` begins what no rule explains, and what would
 * run there and not here.
 */
export function explainDifference(kind: CommandKind, theirs: Commands, ours: Commands): string | null {
  const [their, our] = [theirs[kind], ours[kind]];
  if (their === our) return null;
  const reason = ours.reasons[kind] ?? ours.reasons.start ?? 'no reason given';
  if (their !== null && theirs.start !== null && ours.start === null)
    return `UNEXPLAINED: ours would not start: ${reason}`;
  const rule = RULES.find((row) => row.kind === kind && row.fits(their, our, ours.startScript ?? null));
  if (rule !== undefined) return rule.why;
  return their === null ? `Nixpacks finds none; ${reason}` : `UNEXPLAINED: ${reason}`;
}
