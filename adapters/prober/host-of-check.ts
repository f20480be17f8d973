import type { MonitorCheck } from '../../domain/monitors/check-kinds.ts';

/** What the checks of a monitor load: of one host, only some run at once. Heartbeats load nothing. */
export function hostOfCheck(id: string, check: MonitorCheck): string {
  switch (check.kind) {
    case 'http':
    case 'websocket':
      return URL.parse(check.url)?.host ?? id;
    case 'dns':
      return `dns ${check.name}`;
    case 'heartbeat':
      return `heartbeat ${id}`;
    default:
      return `${check.host}:${check.port}`;
  }
}
