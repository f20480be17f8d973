import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../../domain/search-attributes.ts';
import { temporalCli } from '../tools/temporal-cli.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';

const SETTINGS = [
  ['--dynamic-config-value', 'system.enableActivityEagerExecution=true'],
  ['--sqlite-pragma', 'journal_mode=wal'],
  ['--sqlite-pragma', 'synchronous=normal'],
  ...Object.values(SEARCH_ATTRIBUTES).map((name) => ['--search-attribute', `${name}=Keyword`]),
];

/** Temporal with its web UI on a database file. */
export const temporal = definePart({
  name: 'temporal',
  title: 'Temporal and its UI',
  tools: [temporalCli],
  ports: {
    temporal: { usual: 7233, variable: 'FAIRLEAD_TEMPORAL_PORT', title: 'Temporal' },
    temporalUi: { usual: 8233, variable: 'FAIRLEAD_TEMPORAL_UI_PORT', title: 'the Temporal UI' },
  },
  folder: 'temporal',
  secrets: [],
  replacedBy: 'TEMPORAL_ADDRESS',
  replacedWith: ['TEMPORAL_NAMESPACE'],
  starts: 'always',
  provides: [
    { variable: 'TEMPORAL_ADDRESS', heldBy: 'every process', value: ({ ports }) => `${HOST}:${ports.temporal}` },
  ],
  addresses: (ports) => ({
    temporal: `${HOST}:${ports.temporal}`,
    'temporal-ui': `http://${HOST}:${ports.temporalUi}`,
  }),
  children: (tool, { dataDir, ports }) => [
    {
      name: 'temporal',
      command: tool.path,
      args: [
        ...['server', 'start-dev', '--headless=false', '--ip', HOST, '--ui-ip', HOST, '--log-level', 'warn'],
        ...['--port', String(ports.temporal), '--ui-port', String(ports.temporalUi)],
        ...['--db-filename', join(dataDir, 'temporal', 'temporal.db')],
        ...SETTINGS.flat(),
      ],
      exitsBy: 'watchdog',
      // The UI answers last, once the server behind it does.
      ready: { kind: 'http', url: `http://${HOST}:${ports.temporalUi}/api/v1/namespaces/default` },
      readyTimeoutMs: 60_000,
      graceMs: 10_000,
      beforeStart: async () => void (await mkdir(join(dataDir, 'temporal'), { recursive: true })),
    },
  ],
});
