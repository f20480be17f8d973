import type { CheckBody } from '../monitor-target.ts';

/** A monitor as `POST /api/monitors` takes it, and what of it the check gets besides. */
export interface WantedMonitor {
  readonly name: string;
  readonly environment?: string;
  readonly check: CheckBody;
  readonly intervalSeconds: number;
  readonly isPublic?: boolean;
  /** Of a file of another program: request headers as they stand in the monitor. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  /** Those whose values become secrets of the org, for the host of the check. */
  readonly secretHeaders?: readonly { readonly name: string; readonly value: string }[];
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

/** As {@link serviceNameOf} of a header's name, for the secret that its value becomes. */
export function secretNameOf(monitor: string, environment: string, header: string): string {
  return `${monitor}-${environment}-${serviceNameOf(header)}`;
}
