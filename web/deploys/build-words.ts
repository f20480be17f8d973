import { type Html, html } from '../../api/http/pages/html.ts';
import type { BuildSummary, BuildView } from '../../domain/deploys/schema.ts';
import type { Tone } from '../look/badge.ts';
import type { IconName } from '../look/icons.ts';

const KINDS: Readonly<Record<BuildSummary['kind'], string>> = {
  deploy: 'Deploy',
  retry: 'Retry',
  rollback: 'Rollback',
  restart: 'Restart',
};

export function kindWord({ kind }: Pick<BuildSummary, 'kind'>): string {
  return KINDS[kind];
}

/** The first digits of a commit; the whole of it for who points at it. */
export function commitText(commit: string | null): Html | null {
  return commit === null ? null : html`<code title="${commit}">${commit.slice(0, 8)}</code>`;
}

/** What is built, such as `main at 1a2b3c4d`. */
export function sourceText({ source, commitSha }: Pick<BuildSummary, 'source' | 'commitSha'>): Html {
  if (source.kind === 'archive') return html`an uploaded archive`;
  const commit = commitText(commitSha ?? source.commit);
  const branch = source.branch ?? 'the default branch';
  return html`<bdi>${branch}</bdi>${commit !== null && html` at ${commit}`}`;
}

interface StepWord {
  readonly tone: Tone;
  readonly label: string;
  readonly icon: IconName;
}

/** A step by its state. */
export const STEP_WORDS: Readonly<Record<BuildView['steps'][number]['state'], StepWord>> = {
  pending: { tone: 'quiet', label: 'to do', icon: 'clock' },
  running: { tone: 'busy', label: 'running', icon: 'running' },
  completed: { tone: 'good', label: 'done', icon: 'check-circle' },
  skipped: { tone: 'quiet', label: 'skipped', icon: 'minus' },
  reused: { tone: 'good', label: 'taken from the build before', icon: 'undo' },
  failed: { tone: 'bad', label: 'failed', icon: 'x-circle' },
  warned: { tone: 'warn', label: 'done, with a warning', icon: 'alert' },
  cancelled: { tone: 'quiet', label: 'cancelled', icon: 'x-circle' },
  unknown: { tone: 'quiet', label: 'not known to this version', icon: 'info' },
};
