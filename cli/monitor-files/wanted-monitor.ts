import type { CheckBody } from '../monitor-target.ts';

/** A monitor as `POST /api/monitors` takes it. */
export interface WantedMonitor {
  readonly name: string;
  readonly environment?: string;
  readonly check: CheckBody;
  readonly intervalSeconds: number;
  readonly isPublic?: boolean;
}

/** What a file has, and what of it cannot be taken over. */
export interface ReadMonitors {
  readonly monitors: readonly WantedMonitor[];
  readonly notes: readonly string[];
}

/** A name of another program as one that monitors have: lower-case letters, digits and dashes. */
export function serviceNameOf(title: string): string {
  const name = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' ? 'monitor' : name;
}
